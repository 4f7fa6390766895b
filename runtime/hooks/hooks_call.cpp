// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks of `hooks=call`: instrumented code calls in directly.
#include "runtime/hooks/call_paths.h"
#include "runtime/hooks/lock_words.h"
#include "runtime/hooks/recorder.h"
#include "runtime/hooks/registration.h"

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

/// Flags of an attempt's event (eventTaken and so on), as the lock's own word says just now.
std::uint32_t readLockWord(LockKind kind, std::uint32_t siteFlags, const void *address) {
  const bool shared = (siteFlags & siteShared) != 0;
  if (kind == LockKind::pthreadMutex)
    return readPthreadMutex(address, hotThread.id, shared);
  if (kind == LockKind::pthreadRwlock)
    return readPthreadRwlock(address, hotThread.id, shared);
  const LockWordReader reader = lockWordReader(kind);
  return reader ? reader(address, hotThread.id, shared) : 0;
}

/// Whether an event may change who reads what: the acquisition of a reader, or the release
/// of one.
bool isReaders(const SiteRecord &site) {
  return ((site.flags & siteShared) != 0 || hotThread.reading != 0) && isStamped(site.role) &&
         !countsOnly();
}

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
    flags = readLockWord(site->kind, site->flags, address);
  std::uint32_t what = packEvent(index - 1, static_cast<Instant>(instant), flags);
  if (countsSitesOnly()) {
    if (site->role == SiteRole::acquire)
      countOnly(what);
    return;
  }
  const auto lock = reinterpret_cast<std::uintptr_t>(address);
  if ((index & siteDetour) != 0)
    what = onCallPath(what, lock, stack, __builtin_frame_address(0), 0);
  if (instant != static_cast<std::uint32_t>(Instant::attempt) && isReaders(*site))
    return recordReader(what, lock, stack);
  if (!storeEvent(hotThread, what, static_cast<Instant>(instant), lock, stack,
                  isStamped(site->role)))
    recordSlowly(what, lock, stack);
}

/// The one detour that has to be fast (RecordingKind::siteCounts).
__attribute__((noinline)) void countEvent(SiteRecord *site, std::uint32_t instant,
                                          const void *address, std::uint32_t stack) {
  const std::uint32_t index = __atomic_load_n(&site->index, __ATOMIC_RELAXED);
  if (__builtin_expect(site->role != SiteRole::acquire || index == 0, 0))
    return eventSlowly(site, instant, address, stack);
  const bool isAttempt = instant == static_cast<std::uint32_t>(Instant::attempt);
  countOnly(packEvent(index - 1, static_cast<Instant>(instant),
                      isAttempt ? readLockWord(site->kind, site->flags, address) : 0));
}

} // namespace

// Calls only in last place: so it saves no registers.
extern "C" __attribute__((visibility("default"))) void
__qdadvise_event(SiteRecord *site, std::uint32_t instant, const void *address) {
  const std::uint32_t stack = stackPointer();
  const std::uint32_t index = __atomic_load_n(&site->index, __ATOMIC_RELAXED);
  if (__builtin_expect(static_cast<std::int32_t>(index) <= 0, 0)) // none, or siteDetour
    return (countsSitesOnly() ? countEvent : eventSlowly)(site, instant, address, stack);
  HotThread &thread = hotThread;
  std::uint32_t what = packEvent(index - 1, static_cast<Instant>(instant));
  const auto lock = reinterpret_cast<std::uintptr_t>(address);
  if (instant == static_cast<std::uint32_t>(Instant::attempt)) {
    const LockKind kind = site->kind;
    if (kind == LockKind::pthreadMutex)
      what |= readPthreadMutex(address, thread.id, false);
    else if (kind == LockKind::pthreadRwlock)
      what |= readPthreadRwlock(address, thread.id, (site->flags & siteShared) != 0);
    else if (kind != LockKind::unknown)
      return eventSlowly(site, instant, address, stack);
    // Its own copy of what follows, which knows what instant it is.
    if (__builtin_expect(
            !storeEvent(thread, what, Instant::attempt, lock, stack, isStamped(site->role)), 0))
      recordSlowly(what, lock, stack);
    return;
  }
  if (__builtin_expect(isReaders(*site), 0))
    return recordReader(what, lock, stack);
  if (__builtin_expect(!storeEvent(thread, what, static_cast<Instant>(instant), lock, stack,
                                   isStamped(site->role)),
                       0))
    recordSlowly(what, lock, stack);
}
