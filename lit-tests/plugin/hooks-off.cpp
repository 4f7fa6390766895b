// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks that are off say nothing, but for those that name threads: recording may begin
// when they are long started.

// RUN: %call_cxx -pthread -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -pthread -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -pthread -O2 -fPIE -pie %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -pthread -O2 -fno-pie -no-pie %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -pthread -O0 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -pthread -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -pthread -O2 -fPIE -pie %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -pthread -O2 -fno-pie -no-pie %s -o %t && %t | FileCheck %s

// Where code is optimised there is no call to find that out.
// RUN: %clangxx -O2 %call_flags -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
// IR-LABEL: define {{.*}}section
// IR: load atomic i32, ptr {{.*}}@__start_qdadvise_sites
// IR-NOT: call {{.*}}@__qdadvise_hook(
// RUN: %clangxx -O2 %patch_flags -S -emit-llvm %s -o - | FileCheck %s --check-prefix=PATCH
// PATCH-LABEL: define {{.*}}section
// PATCH-NOT: load atomic
// PATCH: call void asm sideeffect
// PATCH-NOT: call {{.*}}@__qdadvise_hook(

#include <pthread.h>
#include <thread>

extern "C" void turnHooks(int on);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void work() {}
void section() {
  pthread_mutex_lock(&lock);
  // CHECK: attempt [[#SECTION:@LINE-1]]
  // CHECK-NEXT: acquire [[#SECTION]]
  // CHECK-NEXT: release {{.*}}
  pthread_mutex_unlock(&lock);
}

int main() {
  section();
  turnHooks(0);
  section();
  std::thread thread(work);
  // CHECK-NEXT: spawn [[#@LINE-14]]
  thread.join();
  turnHooks(1);
  section();
  // CHECK-NEXT: attempt [[#SECTION]]
  // CHECK-NEXT: acquire [[#SECTION]]
  // CHECK-NEXT: release {{.*}}
  // CHECK-NOT: {{.}}
}
