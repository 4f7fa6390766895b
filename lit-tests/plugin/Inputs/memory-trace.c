// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A runtime for tests of the plugin's `memory` (hooks=call). A thread is traced from a
// lock's acquire to its release. Each access is printed as
//
//   <read, write or both>[ atomic] <bytes> at <offset in the program's `data`, or elsewhere>
//
// and each release as
//
//   released after <instructions> instructions, <number> on the own stack
//
// without the instructions if the environment has no TRACE_INSTRUCTIONS.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern char data[] __attribute__((weak));
enum { dataBytes = 4096 };

_Thread_local void *__qdadvise_trace __attribute__((weak, tls_model("initial-exec")));
static _Thread_local unsigned instructionsRun, onStack;

__attribute__((preserve_most)) void __qdadvise_trace_block(uint32_t instructions,
                                                           uint32_t stackAccesses) {
  instructionsRun += instructions;
  onStack += stackAccesses;
}

__attribute__((preserve_most)) void __qdadvise_trace_access(const void *address, uint64_t bytes,
                                                            uint32_t what) {
  static const char *const kinds[] = {"nothing", "read", "write", "both"};
  const uintptr_t offset = (uintptr_t)address - (uintptr_t)data;
  printf("%s%s %llu at ", kinds[what & 3], what & 4 ? " atomic" : "", (unsigned long long)bytes);
  if (data && offset < dataBytes)
    printf("%u\n", (unsigned)offset);
  else
    printf("elsewhere\n");
}

void __qdadvise_event(void *site, uint32_t instant, const void *lock) {
  enum { acquire = 1, release = 2 };
  if (instant == acquire) {
    instructionsRun = onStack = 0;
    __qdadvise_trace = (void *)lock;
  } else if (instant == release && __qdadvise_trace) {
    __qdadvise_trace = NULL;
    if (getenv("TRACE_INSTRUCTIONS"))
      printf("released after %u instructions, %u on the own stack\n", instructionsRun, onStack);
    else
      printf("released, %u on the own stack\n", onStack);
  }
}
