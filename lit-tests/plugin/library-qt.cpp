// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Qt's locks and lockers by their names.

// RUN: %call_cxx -O0 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %xray_cxx -O2 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s

#include "qt.h"

QMutex mutex;
QReadWriteLock table;
QWaitCondition condition;

int main() {
  {
    // CHECK-DAG: site acquire library-qt.cpp:[[#@LINE+1]]:{{.*}}| mutex | mutex | QMutex |{{.*}}flags 0
    QMutexLocker locker(&mutex);
    // CHECK-DAG: site wait library-qt.cpp:[[#@LINE+1]]:{{.*}}| mutex |
    condition.wait(&mutex);
    // CHECK-DAG: site release library-qt.cpp:[[#@LINE+1]]:{{.*}}flags 0
    locker.unlock();
    // CHECK-DAG: site acquire library-qt.cpp:[[#@LINE+1]]:
    locker.relock();
    // CHECK-DAG: site release library-qt.cpp:[[#@LINE+1]]:{{.*}}flags 16
  }
  // CHECK-DAG: site acquire library-qt.cpp:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 1
  mutex.tryLock();
  {
    // CHECK-DAG: site acquire library-qt.cpp:[[#@LINE+1]]:{{.*}}| table |{{.*}}flags 4
    QReadLocker locker(&table);
  }
  // CHECK-DAG: site acquire library-qt.cpp:[[#@LINE+1]]:{{.*}}| table |{{.*}}flags 0
  table.lockForWrite();
}
