// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QDAdvise's own locks, in C++ and in C: each is of its kind.

// RUN: %call_cxx -O0 -I%source/runtime/include %s %libdir/libqdadvise_locks.a -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %xray_cxx -O2 -I%source/runtime/include %s %libdir/libqdadvise_locks.a -o %t && env TRACE_SITES=1 %t | FileCheck %s

#include <qdadvise/locks/clh_lock.h>
#include <qdadvise/locks/locks_c.h>
#include <qdadvise/locks/mcs_lock.h>
#include <qdadvise/locks/mrqd_lock.h>
#include <qdadvise/locks/qd_lock.h>
#include <qdadvise/locks/spinlock.h>
#include <qdadvise/locks/ticket_lock.h>

#include <mutex>

qdadvise::qd_lock qd;
qdadvise::spinlock spin;
qdadvise::mrqd_lock mrqd;
qdadvise::ticket_lock ticket;
qdadvise::mcs_lock mcs;
qdadvise::clh_lock clh;
qdadvise_mcs inC = QDADVISE_MCS_INITIALIZER;
qdadvise_mrqd readersInC = QDADVISE_MRQD_INITIALIZER;

int main() {
  // CHECK-DAG: site acquire own-locks.cpp:[[#@LINE+1]]:{{.*}} kind 4 flags 0
  qd.lock();
  qd.unlock();
  // CHECK-DAG: site acquire own-locks.cpp:[[#@LINE+1]]:{{.*}} kind 5 flags 0
  { const std::lock_guard<qdadvise::spinlock> guard(spin); }
  // CHECK-DAG: site acquire own-locks.cpp:[[#@LINE+1]]:{{.*}} kind 6 flags 4
  mrqd.lock_shared();
  mrqd.unlock_shared();
  // CHECK-DAG: site acquire own-locks.cpp:[[#@LINE+1]]:{{.*}} kind 7 flags 1
  if (ticket.try_lock())
    ticket.unlock();
  // CHECK-DAG: site acquire own-locks.cpp:[[#@LINE+1]]:{{.*}} kind 8 flags 0
  mcs.lock();
  mcs.unlock();
  // CHECK-DAG: site acquire own-locks.cpp:[[#@LINE+1]]:{{.*}} kind 9 flags 0
  clh.lock();
  clh.unlock();
  // CHECK-DAG: site acquire own-locks.cpp:[[#@LINE+1]]:{{.*}}| inC | qdadvise_mcs |{{.*}} kind 8 flags 0
  qdadvise_mcs_lock(&inC);
  qdadvise_mcs_unlock(&inC);
  // CHECK-DAG: site acquire own-locks.cpp:[[#@LINE+1]]:{{.*}}| readersInC |{{.*}} kind 6 flags 5
  if (qdadvise_mrqd_try_lock_shared(&readersInC))
    qdadvise_mrqd_unlock_shared(&readersInC);
  return 0;
}
