// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that does little but take locks is slowed down by its hooks by more than they take
// alone. `record` says how to have that measured, and a report that it was, in both hook modes.
//
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -std=c++20 -O2 -pthread %s -o %t.call
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -DEVEN_LESS -std=c++20 -O2 -pthread %s -o %t.less
// RUN: %qdadvise record --all -o %t.qdprof -- %t.less 2>&1 | FileCheck %s --check-prefix=HINT
// RUN: env QDADVISE_OPTIONS=slices=2 %qdadvise record -o %t.qdprof -- %t.call 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %qdadvise report %t.qdprof | FileCheck %s
// RUN: %clangxx --config=%cfgdir/profile-xray.cfg -std=c++20 -O2 -pthread %s -o %t.xray
// RUN: env QDADVISE_OPTIONS=slices=2 %qdadvise record -o %t.qdprof -- %t.xray 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %qdadvise report %t.qdprof | FileCheck %s
//
// Two threads stand in each other's way: nothing is measured, and nothing hinted at.
// RUN: env QDADVISE_OPTIONS=slices=2 %qdadvise record -o %t.qdprof -- %t.call 2 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %qdadvise report %t.qdprof | FileCheck %s --check-prefix=SEVERAL
//
// HINT: hooks took {{[0-9]+}}% of the time or more: with QDADVISE_OPTIONS=slices=2 it is measured what they cost in this program
// NONE-NOT: hooks took
// CHECK: ns each where they are, taken out
// SEVERAL: {{[0-9.]+}} ns each, taken out
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#ifdef EVEN_LESS // so that hooks take more than 5 % of the time on any machine
enum { stepsInside = 5, stepsOutside = 10 };
#else
enum { stepsInside = 20, stepsOutside = 40 };
#endif

static std::mutex lock;
static volatile unsigned inside;
static thread_local volatile unsigned outside;

static void work() {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + std::chrono::seconds(1); Clock::now() < end;)
    for (int i = 0; i < 1000; ++i) {
      {
        const std::lock_guard<std::mutex> guard(lock);
        for (int step = 0; step < stepsInside; ++step)
          inside = inside * 3 + 1;
      }
      for (int step = 0; step < stepsOutside; ++step)
        outside = outside * 3 + 1;
    }
}

int main(int argc, char **) {
  std::vector<std::thread> threads;
  for (int i = 0; i < argc; ++i) // with an argument, two
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
}
