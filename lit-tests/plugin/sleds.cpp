// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hooks=patch: a record of 12 bytes for each hook, in a section that is linked to the function's
// and of its group. Where nothing is optimised there is none.

// RUN: %clangxx -O2 -ffunction-sections %patch_flags -c %s -o %t.o
// RUN: llvm-readelf --sections --section-groups %t.o | FileCheck %s
// CHECK: [{{ *}}[[SECTION:[0-9]+]]] .text._Z6insidev
// CHECK: qdadvise_sleds PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000024 00 AL [[SECTION]] 0 4
// CHECK: [{{ *}}[[SECTION:[0-9]+]]] .text._Z7inline$v
// CHECK: qdadvise_sleds PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000024 00 ALG [[SECTION]] 0 4
// CHECK: COMDAT group section {{.*}} [_Z7inline$v] contains 4 sections
// CHECK: qdadvise_sleds

// A function that the linker drops takes its sleds along.
// RUN: %clangxx -O2 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections %patch_flags %s -o %t
// RUN: llvm-readelf --sections %t | FileCheck %s --check-prefix=KEPT
// KEPT: qdadvise_sleds PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000024 00

// RUN: %clangxx -O2 -fno-integrated-as %patch_flags %s -o %t && %t

// RUN: %clangxx -O0 %patch_flags -c %s -o %t.o
// RUN: llvm-readelf --sections %t.o | FileCheck %s --check-prefix=NONE
// NONE-NOT: qdadvise_sleds

#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;

void inside() {
  if (pthread_mutex_trylock(&lock) == 0) { // attempt, and one hook after it
    ++count;
    pthread_mutex_unlock(&lock);
  }
}

__attribute__((noinline)) inline void inline$() {
  pthread_mutex_lock(&lock);
  ++count;
  pthread_mutex_unlock(&lock);
}

int main() { inline$(); }
