// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lightest recording: how often each site took its lock, found it taken and failed, in both
// hook modes. What it does not tell is asked of it in vain.
//
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -std=c++20 -O2 -pthread -I%source/runtime/include %s -o %t.call
// RUN: env QDADVISE_OPTIONS=counters_only=sites %qdadvise record -o %t.qdprof -- %t.call
// RUN: %qdadvise report --format json %t.qdprof | FileCheck %s
// RUN: %clangxx --config=%cfgdir/profile-xray.cfg -std=c++20 -O2 -pthread -I%source/runtime/include %s -o %t.xray
// RUN: env QDADVISE_OPTIONS=counters_only=sites %qdadvise record -o %t.other -- %t.xray
// RUN: %qdadvise report --format json %t.other | FileCheck %s
//
// Failures, and sections that were left before the start, or are after the stop.
// CHECK: "name": "table"
// CHECK: "function": "fill(int)"
// CHECK: "acquisitions": 1001
// CHECK: "contended": 1
// CHECK: "function": "tryIt()"
// CHECK: "acquisitions": 10
// CHECK: "contended": 0
// CHECK: "try_failures": 5
//
// RUN: %qdadvise report %t.qdprof | FileCheck %s --check-prefix=TEXT
// TEXT: note: counts of sites only: no times were taken, nor do these tell the locks
// TEXT: table
//
// RUN: not %qdadvise predict --threads 2 %t.qdprof 2>&1 | FileCheck %s --check-prefix=PREDICT
// PREDICT: error: {{.*}}the profile has counts but no times: record again without counters_only
//
// Those of a fleet are merged like any others.
// RUN: env QDADVISE_OPTIONS=counters_only=sites %qdadvise record -o %t.again -- %t.call
// RUN: %qdadvise merge -o %t.fleet %t.qdprof %t.again
// RUN: %qdadvise report %t.fleet | FileCheck %s --check-prefix=FLEET
// FLEET: Hooks (call): {{[0-9]+}} events, {{[0-9.]+}} ns each{{$}}
// FLEET: counts of sites only
// FLEET: {{ }}2002 {{.*}}site-counts.cpp:
//
// RUN: %qdadvise record -o %t.timed -- %t.call
// RUN: not %qdadvise merge -o %t.never %t.timed --visits %t.qdprof 2>&1 | FileCheck %s --check-prefix=VISITS
// VISITS: error: the run of '{{.*}}' for --visits, of counters_only=sites, does not say which section follows which: record it with counters_only=1
// RUN: env QDADVISE_OPTIONS=counters_only=1 %qdadvise record -o %t.counted -- %t.call
// RUN: not %qdadvise report %t.counted %t.qdprof 2>&1 | FileCheck %s --check-prefix=MERGE
// MERGE: error: {{.*}}a profile of counters_only=sites has no ways from section to section
#include <qdadvise/profile.h>

#include <atomic>
#include <mutex>
#include <sched.h>
#include <thread>

static std::mutex table;
static int rows;

static void fill(int times) {
  for (int i = 0; i < times; ++i) {
    table.lock();
    ++rows;
    table.unlock();
  }
}

static void tryIt() {
  if (table.try_lock()) {
    ++rows;
    table.unlock();
  }
}

/// Comes while the lock is held by somebody who waits for that.
static void meet(std::mutex &lock) {
  std::atomic<int> waiting = 0;
  lock.lock();
  std::thread other([&] {
    for (int i = 0; i < 5; ++i)
      tryIt();
    waiting = 1;
    fill(1);
  });
  while (waiting == 0)
    sched_yield();
  // Past the attempt's look at the lock, when it sleeps.
  while (__atomic_load_n(reinterpret_cast<int *>(lock.native_handle()), __ATOMIC_RELAXED) != 2)
    sched_yield();
  lock.unlock();
  other.join();
}

int main() {
  qdadvise_stop();
  fill(100);
  qdadvise_start();
  fill(500);
  qdadvise_reset();
  fill(1000);
  for (int i = 0; i < 10; ++i)
    tryIt();
  meet(table);
  qdadvise_stop();
  fill(100);
}
