// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TBB's locks and their scoped_lock, found through inline namespaces and aliases.

// RUN: %call_cxx -O0 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %xray_cxx -O2 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s

#include "tbb.h"

tbb::spin_mutex mutex;

int main() {
  {
    // CHECK-DAG: site acquire library-tbb.cpp:[[#@LINE+1]]:{{.*}}| mutex | mutex | {{.*}}spin_mutex |{{.*}}flags 0
    tbb::spin_mutex::scoped_lock lock(mutex);
    // CHECK-DAG: site release library-tbb.cpp:[[#@LINE+1]]:{{.*}}flags 0
    lock.release();
    // CHECK-DAG: site acquire library-tbb.cpp:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 1
    lock.try_acquire(mutex);
    // CHECK-DAG: site release library-tbb.cpp:[[#@LINE+1]]:{{.*}}flags 16
  }
}
