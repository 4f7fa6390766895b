// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks of `hooks=call`: instrumented code calls in directly.
#include "runtime/abi/sled_record.h"
#include "runtime/hooks/call_paths.h"
#include "runtime/hooks/lock_words.h"
#include "runtime/hooks/reader_hooks.h"
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
  if (isReaders(hotThread, *site, static_cast<Instant>(instant)))
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

/// The hook where isReaders says so.
__attribute__((noinline)) void readerEvent(const SiteRecord *site, std::uint32_t what,
                                           std::uint64_t lock, std::uint32_t stack) {
  if (!storeReader(*site, {what, lock, stack}))
    recordReader(what, lock, stack);
}

/// Where the hook of an attempt sees the lock's word without a call.
inline __attribute__((always_inline)) bool readAtOnce(const SiteRecord &site, std::uint32_t self,
                                                      const void *address, std::uint32_t &what) {
  if (site.kind == LockKind::pthreadMutex)
    what |= readPthreadMutex(address, self, false);
  else if (site.kind == LockKind::pthreadRwlock)
    what |= readPthreadRwlock(address, self, (site.flags & siteShared) != 0);
  else
    return site.kind == LockKind::unknown;
  return true;
}

/// The hook. Calls only in last place: so it saves no registers.
inline __attribute__((always_inline)) void event(SiteRecord *site, std::uint32_t instant,
                                                 const void *address, std::uint32_t stack) {
  const std::uint32_t index = __atomic_load_n(&site->index, __ATOMIC_RELAXED);
  if (__builtin_expect(static_cast<std::int32_t>(index) <= 0, 0)) // none, or siteDetour
    return (countsSitesOnly() ? countEvent : eventSlowly)(site, instant, address, stack);
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

extern "C" {
/// Does what the hook below leaves to it. Its own frame is none to those that walk the stack: to
/// them it was called from where the sled is. `__qdadvise_sled` jumps to it, so that the return
/// address is that of the hook's code behind the sled, and above it are %rdx, %rsi and %rdi.
__attribute__((preserve_most, visibility("hidden"))) void
qdadviseSledSlowly(SiteRecord *site, std::uint32_t instant, const void *address);
/// What it calls.
__attribute__((visibility("hidden"))) void qdadviseSledEvent(SiteRecord *site,
                                                             std::uint32_t instant,
                                                             const void *address,
                                                             std::uint32_t stack) {
  event(site, instant, address, stack);
}
}

// The return address for those that walk the stack stands in the place of %rdi meanwhile.
__asm__(R"(
  .text
  .p2align 4
  .hidden qdadviseSledSlowly
  .globl qdadviseSledSlowly
  .type qdadviseSledSlowly,@function
qdadviseSledSlowly:
  .cfi_startproc
  .cfi_def_cfa %rsp, 32
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_offset %rbp, -40
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rax
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  movq 8(%rbp), %rax
  movslq 4(%rax), %rcx
  leaq 8(%rax,%rcx), %rax
  movq 32(%rbp), %rcx
  pushq %rcx
  movq %rax, 32(%rbp)
  leaq 8(%rbp), %rcx
  andq $-16, %rsp
  callq qdadviseSledEvent
  movq -56(%rbp), %rax
  movq %rax, 32(%rbp)
  leaq -48(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rcx
  popq %rax
  popq %rbp
  .cfi_def_cfa %rsp, 32
  retq
  .cfi_endproc
  .size qdadviseSledSlowly, . - qdadviseSledSlowly
)");

namespace {

/// The stack pointer as hooks of a sled tell frames apart by it: where the return address is, the
/// same in every call from one frame, and for what follows in last place.
inline __attribute__((always_inline)) std::uint32_t sledStack(const void *frame) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(frame) +
                                    sizeof(std::uintptr_t));
}

} // namespace

// What these do themselves needs few registers, and calls nothing.

extern "C" __attribute__((visibility("hidden"), preserve_most)) void
qdadviseSledReader(SiteRecord *site, std::uint32_t instant, const void *address) {
  const std::uint32_t index = __atomic_load_n(&site->index, __ATOMIC_RELAXED);
  const ReaderEvent reader{packEvent(index - 1, static_cast<Instant>(instant)),
                           reinterpret_cast<std::uintptr_t>(address),
                           sledStack(__builtin_frame_address(0))};
  if (static_cast<std::int32_t>(index) > 0 && storeReader(*site, reader))
    return;
  [[clang::musttail]] return qdadviseSledSlowly(site, instant, address);
}

/// An attempt that was not stored. Most are not where they are counted.
extern "C" __attribute__((visibility("hidden"), preserve_most)) void
qdadviseSledUnstored(SiteRecord *site, std::uint32_t instant, const void *address) {
  if (recordingState() == RecordingState::counting)
    return countAttempt(hotThread, Instant::attempt, site->role);
  [[clang::musttail]] return qdadviseSledSlowly(site, instant, address);
}

extern "C" __attribute__((visibility("default"), preserve_most)) void
__qdadvise_sled(SiteRecord *site, std::uint32_t instant, const void *address) {
  const std::uint32_t stack = sledStack(__builtin_frame_address(0));
  const std::uint32_t index = __atomic_load_n(&site->index, __ATOMIC_RELAXED);
  HotThread &thread = hotThread;
  std::uint32_t what = packEvent(index - 1, static_cast<Instant>(instant));
  const auto lock = reinterpret_cast<std::uintptr_t>(address);
  if (static_cast<std::int32_t>(index) > 0) {
    if (instant == static_cast<std::uint32_t>(Instant::attempt)) {
      if (readAtOnce(*site, thread.id, address, what) &&
          storeEvent(thread, what, Instant::attempt, lock, stack, isStamped(site->role)))
        return;
      [[clang::musttail]] return qdadviseSledUnstored(site, instant, address);
    } else if (isReaders(thread, *site, static_cast<Instant>(instant))) {
      [[clang::musttail]] return qdadviseSledReader(site, instant, address);
    } else if (storeEvent(thread, what, static_cast<Instant>(instant), lock, stack,
                          isStamped(site->role))) {
      return;
    }
  }
  [[clang::musttail]] return qdadviseSledSlowly(site, instant, address);
}

#endif
