// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hooks=patch: a record of 8 bytes for each hook, in a section that is linked to the function's
// and of its group. Where nothing is optimised there is none.

// RUN: %clangxx -O2 -ffunction-sections %patch_flags -c %s -o %t.o
// RUN: llvm-readelf --sections --section-groups %t.o | FileCheck %s
// CHECK: [{{ *}}[[SECTION:[0-9]+]]] .text._Z6insidev
// CHECK: qdadvise_sled_table PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000018 00 AL [[SECTION]] 0 4
// CHECK: [{{ *}}[[SECTION:[0-9]+]]] .text._Z7inline$v
// CHECK: qdadvise_sled_table PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000018 00 ALG [[SECTION]] 0 4
// CHECK: COMDAT group section {{.*}} [_Z7inline$v] contains 4 sections
// CHECK: qdadvise_sled_table

// Functions that share a section have their records in one, too.
// RUN: %clangxx -O2 %patch_flags -DTWO -c %s -o %t.o
// RUN: llvm-readelf --sections %t.o | FileCheck %s --check-prefix=SHARED
// SHARED: qdadvise_sled_table PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000030 00 AL
// SHARED: qdadvise_sled_table PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000018 00 ALG
// SHARED-NOT: {{ }}qdadvise_sled_table PROGBITS

// Hooks of one instant between which nothing happens have one sled: those of a lock's function and
// of what it calls, where it was inlined.
// RUN: %clangxx -O2 %patch_flags -DNESTED -c %s -o %t.o
// RUN: llvm-readelf --sections %t.o | FileCheck %s --check-prefix=NESTED
// NESTED: qdadvise_sled_table PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000018 00

// Where the program looks whether it has the lock, the hook of the inner acquisition moves to the
// outer one's, behind the branch.
// RUN: %clangxx -O2 %patch_flags -DNESTED -DLOOKS -S %s -o %t.s
// RUN: FileCheck %s --check-prefix=LOOKS < %t.s
// LOOKS: callq pthread_mutex_lock
// LOOKS-NEXT: testl %eax, %eax
// LOOKS-NEXT: jne

// A sled changes no register, whatever there are.
// RUN: %clangxx -O2 -mavx512f %patch_flags -S -emit-llvm %s -o - | FileCheck %s --check-prefix=KEEPS
// KEEPS: call void asm {{[^~]*}},~{flags}"

// A function that the linker drops takes its sleds along.
// RUN: %clangxx -O2 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections %patch_flags %s -o %t
// RUN: llvm-readelf --sections %t | FileCheck %s --check-prefix=KEPT
// KEPT: qdadvise_sled_table PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000018 00

// RUN: %clangxx -O2 -fno-integrated-as %patch_flags %s -o %t && %t

// RUN: %clangxx -O0 %patch_flags -c %s -o %t.o
// RUN: llvm-readelf --sections %t.o | FileCheck %s --check-prefix=NONE
// NONE-NOT: qdadvise_sled_table

#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;

#ifdef NESTED
class Lock {
public:
  explicit Lock(pthread_mutex_t *mutex) : inner(mutex) {}
  void lock() { // reads where the mutex is
#ifdef LOOKS
    if (pthread_mutex_lock(inner) != 0)
      __builtin_trap();
#else
    pthread_mutex_lock(inner);
#endif
  }
  void unlock() { pthread_mutex_unlock(inner); }

private:
  pthread_mutex_t *inner;
};

void nested(Lock &outer) {
  outer.lock();
  ++count;
  outer.unlock();
}
#else
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

#ifdef TWO
void alsoInside() {
  if (pthread_mutex_trylock(&lock) == 0) {
    count += 2;
    pthread_mutex_unlock(&lock);
  }
}
#endif

int main() { inline$(); }
#endif
