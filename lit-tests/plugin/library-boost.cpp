// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boost.Thread's locks and guards by their names.

// RUN: %call_cxx -O0 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %xray_cxx -O2 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s

#include "boost.h"

boost::mutex mutex;
boost::condition_variable condition;

int main() {
  {
    // CHECK-DAG: site acquire library-boost.cpp:[[#@LINE+1]]:{{.*}}| mutex | mutex | boost::mutex |{{.*}}flags 0
    boost::mutex::scoped_lock lock(mutex);
    // CHECK-DAG: site wait library-boost.cpp:[[#@LINE+1]]:{{.*}}| mutex | mutex |
    condition.wait(lock);
    // CHECK-DAG: site release library-boost.cpp:[[#@LINE+1]]:{{.*}}flags 0
    lock.unlock();
    // CHECK-DAG: site acquire library-boost.cpp:[[#@LINE+1]]:
    lock.lock();
    // CHECK-DAG: site release library-boost.cpp:[[#@LINE+1]]:{{.*}}flags 16
  }
  {
    // CHECK-DAG: site acquire library-boost.cpp:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 1
    boost::unique_lock<boost::mutex> lock(mutex, boost::try_to_lock_t());
  }
  {
    // CHECK-DAG: site acquire library-boost.cpp:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 0
    boost::lock_guard<boost::mutex> lock(mutex);
  }
}
