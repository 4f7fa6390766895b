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
// CHECK-LABEL: define {{.*}}third
void third() {}
