// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folly's shared mutex and its holder by their names.

// RUN: %call_cxx -O0 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %xray_cxx -O2 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s

#include "folly.h"

folly::SharedMutex mutex;

int main() {
  {
    // CHECK-DAG: site acquire library-folly.cpp:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 4
    folly::SharedMutex::ReadHolder holder(mutex);
    // CHECK-DAG: site release library-folly.cpp:[[#@LINE+1]]:{{.*}}flags 20
  }
  // CHECK-DAG: site acquire library-folly.cpp:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 0
  mutex.lock_upgrade();
  // CHECK-DAG: site release library-folly.cpp:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 0
  mutex.unlock_upgrade();
}
