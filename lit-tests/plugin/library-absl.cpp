// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Abseil's locks by their names: sites are the user's lines, whatever stands inside.

// RUN: %call_cxx -O0 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %xray_cxx -O2 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s

#include "absl.h"

absl::Mutex mutex;
absl::CondVar condition;

int main() {
  // CHECK-DAG: site acquire library-absl.cpp:[[#@LINE+1]]:{{.*}}| mutex | mutex | absl::{{(lts_1::)?}}Mutex |{{.*}}flags 0
  mutex.Lock();
  // CHECK-DAG: site acquire library-absl.cpp:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 1
  mutex.TryLock();
  // CHECK-DAG: site wait library-absl.cpp:[[#@LINE+1]]:{{.*}}| mutex |
  mutex.Await(absl::Condition());
  // CHECK-DAG: site wait library-absl.cpp:[[#@LINE+1]]:{{.*}}| mutex |
  condition.Wait(&mutex);
  // CHECK-DAG: site release library-absl.cpp:[[#@LINE+1]]:{{.*}}| mutex |
  mutex.Unlock();
  {
    // CHECK-DAG: site acquire library-absl.cpp:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 0
    absl::MutexLock lock(&mutex);
    // CHECK-DAG: site release library-absl.cpp:[[#@LINE+1]]:{{.*}}flags 16
  }
  {
    // CHECK-DAG: site acquire library-absl.cpp:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 4
    absl::ReaderMutexLock lock(&mutex);
  }
}
