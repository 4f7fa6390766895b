// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hooks_sled.h. Compiled with -mgeneral-regs-only; what it calls (lock_words.cpp) with
// -mno-implicit-float.
#include "runtime/hooks/hooks_sled.h"

#include "runtime/hooks/lock_words.h"
#include "runtime/hooks/reader_hooks.h"
#include "runtime/hooks/recorder.h"
#include "runtime/hooks/registration.h"

#if defined(__x86_64__)

#if defined(__SSE__)
#error "compile this with -mgeneral-regs-only"
#endif

#include <cpuid.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

/// Where a thread's buffer ends for an event. One that could be replayed, but for what the thread
/// has begun and not ended, is filled. Null where recordSlowly has more to do than to store it.
const Event *limitFor(const HotThread &thread, Instant instant) {
  const Event *const soft = softLimit();
  if (recordingState() != RecordingState::on || tracesMemory() || !thread.slot || !soft)
    return nullptr;
  return instant == Instant::attempt && thread.open == 0 ? soft
                                                         : thread.slot->events + bufferEvents;
}

/// Whether hooks have nothing to do for a thread any more, or not yet: they are being turned off,
/// or on. On a busy machine the thread that does it waits for a processor meanwhile.
bool isOutsideSlice(const HotThread &thread) {
  return recordingState() != RecordingState::on && thread.slot && !softLimit();
}

} // namespace

extern "C" {
/// Does what the hook below leaves to it. Its own frame is none to those that walk the stack: to
/// them it was called from where the sled is. `__qdadvise_sled` jumps to it, so that the return
/// address is that of the hook's code behind the sled, and above it are %rdx, %rsi and %rdi.
__attribute__((no_caller_saved_registers, visibility("hidden"))) void
qdadviseSledSlowly(SiteRecord *site, std::uint32_t instant, const void *address);

/// The states of vector registers as XSAVE numbers them; 0: there is only FXSAVE. And the bytes
/// that it takes to save them.
__attribute__((visibility("hidden"))) std::uint32_t qdadviseVectorStates = 0;
__attribute__((visibility("hidden"))) std::uint64_t qdadviseVectorBytes = 512;

/// What needs no vector registers either, but calls something, or is not where every hook looks for
/// it. False, and nothing was done, where more is needed.
__attribute__((visibility("hidden"))) bool qdadviseSledPlainly(const SiteRecord *site,
                                                               std::uint32_t instant,
                                                               const void *address,
                                                               std::uint32_t stack) {
  const std::uint32_t index = __atomic_load_n(&site->index, __ATOMIC_RELAXED);
  if (actsAtOnce(site->role) || index == 0)
    return false;
  HotThread &thread = hotThread;
  if (isOutsideSlice(thread))
    return true;
  const auto at = static_cast<Instant>(instant);
  const std::uint32_t what = packEvent(
      index - 1, at, at == Instant::attempt ? readLockWord(*site, thread.id, address) : 0);
  if ((index & siteDetour) != 0)
    return false;
  const auto lock = reinterpret_cast<std::uintptr_t>(address);
  const bool stamped = isStamped(site->role);
  if (isReaders(thread, *site, at))
    return storeReader(*site, {what, lock, stack}, limitFor(thread, at));
  return storeEventBefore([&] { return limitFor(thread, at); }, thread, what, at, lock, stack,
                          stamped);
}
}

// The return address for those that walk the stack stands in the place of %rdi meanwhile. XSAVE
// wants 64 bytes behind the first 512 to be zero, and to begin at a multiple of 64.
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
  andq $-64, %rsp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  callq qdadviseSledPlainly
  popq %rcx
  popq %r8
  popq %rsi
  popq %rdi
  testb %al, %al
  jne 2f
  subq qdadviseVectorBytes(%rip), %rsp
  xorl %edx, %edx
  movl qdadviseVectorStates(%rip), %eax
  testl %eax, %eax
  je 0f
  movq %rdx, 512(%rsp)
  movq %rdx, 520(%rsp)
  movq %rdx, 528(%rsp)
  movq %rdx, 536(%rsp)
  movq %rdx, 544(%rsp)
  movq %rdx, 552(%rsp)
  movq %rdx, 560(%rsp)
  movq %rdx, 568(%rsp)
  xsave64 (%rsp)
  jmp 1f
0:
  fxsave64 (%rsp)
1:
  movq %r8, %rdx
  callq qdadviseSledEvent
  xorl %edx, %edx
  movl qdadviseVectorStates(%rip), %eax
  testl %eax, %eax
  je 0f
  xrstor64 (%rsp)
  jmp 2f
0:
  fxrstor64 (%rsp)
2:
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

/// Bits of XCR0: x87, SSE, AVX, three of AVX-512, and the second half of the general registers.
constexpr std::uint32_t keptStates = 7u | 7u << 5 | 1u << 19;

} // namespace

void runtime::noteVectorRegisters() {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_OSXSAVE) == 0)
    return;
  std::uint32_t states = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(states), "=d"(high) : "c"(0));
  states &= keptStates;
  constexpr std::uint32_t stateLeaf = 0xd, firstFar = 2;
  std::uint64_t bytes = 512 + 64;
  for (std::uint32_t state = firstFar; state < 32; ++state)
    if ((states >> state & 1) != 0) {
      __cpuid_count(stateLeaf, state, a, b, c, d);
      bytes = a + b > bytes ? a + b : bytes;
    }
  qdadviseVectorBytes = (bytes + 63) & -std::uint64_t{64};
  qdadviseVectorStates = states;
}

// What these do themselves needs few registers, and calls nothing.

extern "C" __attribute__((visibility("hidden"), no_caller_saved_registers)) void
qdadviseSledReader(SiteRecord *site, std::uint32_t instant, const void *address) {
  const std::uint32_t index = __atomic_load_n(&site->index, __ATOMIC_RELAXED);
  const ReaderEvent reader{packEvent(index - 1, static_cast<Instant>(instant)),
                           reinterpret_cast<std::uintptr_t>(address),
                           sledStack(__builtin_frame_address(0))};
  if (static_cast<std::int32_t>(index) > 0 && storeReader(*site, reader, softLimit()))
    return;
  [[clang::musttail]] return qdadviseSledSlowly(site, instant, address);
}

/// An attempt that was not stored. Most are not where they are counted.
extern "C" __attribute__((visibility("hidden"), no_caller_saved_registers)) void
qdadviseSledUnstored(SiteRecord *site, std::uint32_t instant, const void *address) {
  if (recordingState() == RecordingState::counting)
    return countAttempt(hotThread, Instant::attempt, site->role);
  [[clang::musttail]] return qdadviseSledSlowly(site, instant, address);
}

extern "C" __attribute__((visibility("default"), no_caller_saved_registers)) void
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
