// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks of `hooks=call`: instrumented code calls in directly.
#include "runtime/hooks/call_paths.h"
#include "runtime/hooks/hooks_sled.h"
#include "runtime/hooks/lock_words.h"
#include "runtime/hooks/reader_hooks.h"
#include "runtime/hooks/recorder.h"
#include "runtime/hooks/registration.h"

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

/// Does what the hook below cannot do at once. Sites whose hooks
/// act at once have no index, so that the hook below need not ask.
__attribute__((noinline)) void eventSlowly(SiteRecord *site, std::uint32_t instant,
                                           const void *address, std::uint32_t stack) {
  if (actsAtOnce(site->role))
    return actAtOnce(*site, address);
  std::uint32_t index = __atomic_load_n(&site->index, __ATOMIC_RELAXED);
  if (index == 0)
    index = registerLate(*site);
  if (index == 0)
    return countDropped();
  std::uint32_t flags = 0;
  if (instant == static_cast<std::uint32_t>(Instant::attempt))
    flags = readLockWord(*site, hotThread.id, address);
  std::uint32_t what = packEvent(index - 1, static_cast<Instant>(instant), flags);
  const auto lock = reinterpret_cast<std::uintptr_t>(address);
  if ((index & siteDetour) != 0)
    what = onCallPath(what, lock, stack, __builtin_frame_address(0), 0);
  if (isReaders(hotThread, *site, static_cast<Instant>(instant)))
    return recordReader(what, lock, stack);
  if (!storeEvent(hotThread, what, static_cast<Instant>(instant), lock, stack,
                  isStamped(site->role)))
    recordSlowly(what, lock, stack);
}

/// The hook where isReaders says so.
__attribute__((noinline)) void readerEvent(const SiteRecord *site, std::uint32_t what,
                                           std::uint64_t lock, std::uint32_t stack) {
  if (!storeReader(*site, {what, lock, stack}, softLimit()))
    recordReader(what, lock, stack);
}

/// The hook. Calls only in last place: so it saves no registers.
inline __attribute__((always_inline)) void event(SiteRecord *site, std::uint32_t instant,
                                                 const void *address, std::uint32_t stack) {
  const std::uint32_t index = __atomic_load_n(&site->index, __ATOMIC_RELAXED);
  if (__builtin_expect(static_cast<std::int32_t>(index) <= 0, 0)) // none, or siteDetour
    return eventSlowly(site, instant, address, stack);
  HotThread &thread = hotThread;
  std::uint32_t what = packEvent(index - 1, static_cast<Instant>(instant));
  const auto lock = reinterpret_cast<std::uintptr_t>(address);
  if (instant == static_cast<std::uint32_t>(Instant::attempt)) {
    if (!readAtOnce(*site, thread.id, address, what))
      return eventSlowly(site, instant, address, stack);
    // Its own copy of what follows, which knows what instant it is.
    if (__builtin_expect(
            !storeEvent(thread, what, Instant::attempt, lock, stack, isStamped(site->role)), 0))
      recordSlowly(what, lock, stack);
    return;
  }
  if (__builtin_expect(isReaders(thread, *site, static_cast<Instant>(instant)), 0))
    return readerEvent(site, what, lock, stack);
  if (__builtin_expect(!storeEvent(thread, what, static_cast<Instant>(instant), lock, stack,
                                   isStamped(site->role)),
                       0))
    recordSlowly(what, lock, stack);
}

} // namespace

extern "C" __attribute__((visibility("default"))) void
__qdadvise_event(SiteRecord *site, std::uint32_t instant, const void *address) {
  event(site, instant, address, stackPointer());
}

#if defined(__x86_64__)
void qdadviseSledEvent(SiteRecord *site, std::uint32_t instant, const void *address,
                       std::uint32_t stack) {
  event(site, instant, address, stack);
}
#endif
