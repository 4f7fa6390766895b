// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is inlined without hooks is inlined with them: they weigh nothing.

// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %call_flags %s -o - | FileCheck %s --check-prefixes=CHECK,CALL
// RUN: %clangxx -O2 -S -emit-llvm %patch_flags %s -o - | FileCheck %s --check-prefixes=CHECK,PATCH
// RUN: %clangxx -O2 -S -emit-llvm %xray_flags %s -o - | FileCheck %s --check-prefixes=CHECK,XRAY

#include <pthread.h>

pthread_mutex_t first, second;
int count;

static void sections() {
  pthread_mutex_lock(&first);
  ++count;
  pthread_mutex_unlock(&first);
  pthread_mutex_lock(&second);
  ++count;
  pthread_mutex_unlock(&second);
}

// CHECK-LABEL: define {{.*}}one
// CALL: @__qdadvise_event
// PATCH: call void asm sideeffect {{.*}}__qdadvise_sled
// XRAY: @__qdadvise_attempt
// CHECK-NOT: call {{.*}}sections
void one() { sections(); }
// CHECK-LABEL: define {{.*}}other
// CHECK-NOT: call {{.*}}sections
void other() { sections(); }

// A function that returns with a lock has hooks of its own, for callers elsewhere. They stay behind
// where it is inlined: the call has hooks there.
// CHECK-LABEL: define {{.*}}enter
// CALL: @llvm.returnaddress
// PATCH: @llvm.addressofreturnaddress
void enter() { pthread_mutex_lock(&first); }
// CHECK-LABEL: define {{.*}}user
// CALL-NOT: {{call .*enter|@llvm.returnaddress}}
// PATCH-NOT: {{call .*enter|@llvm.addressofreturnaddress}}
// XRAY: call {{.*}}enter
void user() {
  enter();
  ++count;
  pthread_mutex_unlock(&first);
}
// CHECK-LABEL: define {{.*}}third
void third() {}
