// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler does not know that a sled may lead to a call: so all registers are kept, those of
// vectors too, whatever the hook does and whatever the stack's alignment.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t | FileCheck %s
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s --check-prefix=COUNTS
// COUNTS: dropped 0 unmatched 0
// COUNTS: site 7 executed 10000 inside 0 failed 714
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=100 %t | FileCheck %s
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:path_sites=test.c %t | FileCheck %s
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:enabled=0 %t | FileCheck %s
#include "sites.h"
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__

enum { generals = 15, vectors = 16, vectorBytes = 32 };
struct registers {
  uint64_t general[generals]; // all but %rsp
  unsigned char vector[vectors][vectorBytes];
};

// Calls the runtime as the code behind a sled does, with these registers, and says what is in them
// afterwards. `lower` is what the stack pointer is moved by.
void hookWith(const struct registers *before, struct registers *after, struct site *site,
              uint64_t instant, const void *address, uint64_t lower);
__attribute__((weak)) void __qdadvise_sled(void);
__attribute__((weak)) void __qdadvise_register_sled_table(const void *begin, const void *end);

__asm__(R"(
  .macro vectors load, base, wide
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  .if \wide
  .if \load
  vmovdqu 120+32*\n(\base), %ymm\n
  .else
  vmovdqu %ymm\n, 120+32*\n(\base)
  .endif
  .else
  .if \load
  movdqu 120+32*\n(\base), %xmm\n
  .else
  movdqu %xmm\n, 120+32*\n(\base)
  .endif
  .endif
  .endr
  .endm

  .text
hookWith:
  pushq %rbx
  pushq %rbp
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, %rax
  subq %r9, %rsp
  pushq %rax
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  cmpl $0, isWide(%rip)
  je 0f
  vectors 1, %rdi, 1
  jmp 1f
0:
  vectors 1, %rdi, 0
1:
  movq (%rdi), %rax
  movq 8(%rdi), %rbx
  movq 16(%rdi), %rcx
  movq 24(%rdi), %rdx
  movq 32(%rdi), %rsi
  movq 48(%rdi), %rbp
  movq 56(%rdi), %r8
  movq 64(%rdi), %r9
  movq 72(%rdi), %r10
  movq 80(%rdi), %r11
  movq 88(%rdi), %r12
  movq 96(%rdi), %r13
  movq 104(%rdi), %r14
  movq 112(%rdi), %r15
  movq 40(%rdi), %rdi
  pushq %rdi
  pushq %rsi
  pushq %rdx
  movq 24(%rsp), %rdx
  movq 32(%rsp), %rsi
  movq 40(%rsp), %rdi
  callq *__qdadvise_sled@GOTPCREL(%rip)
  popq %rdx
  popq %rsi
  popq %rdi
  .byte 0xe9
  .long 0f - . - 4
0:
  pushq %rdi
  movq 32(%rsp), %rdi
  movq %rax, (%rdi)
  movq %rbx, 8(%rdi)
  movq %rcx, 16(%rdi)
  movq %rdx, 24(%rdi)
  movq %rsi, 32(%rdi)
  popq 40(%rdi)
  movq %rbp, 48(%rdi)
  movq %r8, 56(%rdi)
  movq %r9, 64(%rdi)
  movq %r10, 72(%rdi)
  movq %r11, 80(%rdi)
  movq %r12, 88(%rdi)
  movq %r13, 96(%rdi)
  movq %r14, 104(%rdi)
  movq %r15, 112(%rdi)
  cmpl $0, isWide(%rip)
  je 0f
  vectors 0, %rdi, 1
  vzeroupper
  jmp 1f
0:
  vectors 0, %rdi, 0
1:
  movq 32(%rsp), %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbp
  popq %rbx
  retq
)");
__attribute__((used)) int isWide = 0;

enum { kinds = 9 }; // those whose word is no pointer
static char locks[kinds][16384] __attribute__((aligned(64)));
static struct site sites[3 * kinds];
REGISTER(sites)

__attribute__((constructor(101))) static void fill(void) {
  for (int i = 0; i < 3 * kinds; ++i)
    sites[i] = (struct site)LOCK_SITE(i % 3 == 1 ? roleRelease : roleAcquire, i / 3,
                                      i % 3 == 2 ? siteShared : 0, i + 1, "main()", "lock", "Lock",
                                      i / 3 + 1);
}

static uint64_t seed = 1;
static uint64_t drawn(void) {
  return seed = seed * 6364136223846793005 + 1442695040888963407;
}

static void hookKeepsAll(int number, enum instant instant) {
  struct registers before, after;
  for (int i = 0; i < generals; ++i)
    before.general[i] = drawn();
  for (int i = 0; i < vectors; ++i)
    for (int j = 0; j < vectorBytes; ++j)
      before.vector[i][j] = isWide || j < vectorBytes / 2 ? (unsigned char)(drawn() >> 32) : 0;
  memset(&after, 0, sizeof after);
  const uint64_t lower = drawn() >> 32 & 0x78;
  hookWith(&before, &after, &sites[number], instant, locks[number / 3], lower);
  if (memcmp(&before, &after, sizeof before) == 0)
    return;
  for (int i = 0; i < generals; ++i)
    if (before.general[i] != after.general[i])
      printf("site %d instant %d: general register %d has changed\n", number, instant, i);
  for (int i = 0; i < vectors; ++i)
    if (memcmp(before.vector[i], after.vector[i], vectorBytes) != 0)
      printf("site %d instant %d: vector register %d has changed\n", number, instant, i);
  exit(1);
}

int main(void) {
  isWide = __builtin_cpu_supports("avx") != 0;
  if (__qdadvise_register_sled_table)
    __qdadvise_register_sled_table(NULL, NULL);
  for (int turn = 0; turn < 5000; ++turn)
    for (int kind = 0; kind < kinds; ++kind)
      for (int shared = 0; shared < 3; shared += 2) {
        const int taken = 3 * kind + shared;
        hookKeepsAll(taken, atAttempt);
        hookKeepsAll(taken, turn % 7 == 3 ? atFail : atAcquire);
        if (turn % 7 != 3)
          hookKeepsAll(3 * kind + 1, atRelease);
      }
  // What is stored with a lock in hand is not replayed before the buffer is full.
  hookKeepsAll(3 * kindMutex, atAttempt);
  hookKeepsAll(3 * kindMutex, atAcquire);
  for (int turn = 0; turn < 5000; ++turn) {
    hookKeepsAll(3 * kindSpin, atAttempt);
    hookKeepsAll(3 * kindSpin, atAcquire);
    hookKeepsAll(3 * kindSpin + 1, atRelease);
  }
  hookKeepsAll(3 * kindMutex + 1, atRelease);
  puts("kept"); // CHECK: kept
  return 0;
}

#else
int main(void) { puts("kept"); }
#endif
