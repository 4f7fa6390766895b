// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that does little but take locks is slowed down by its hooks by more than they take
// alone. `record` says how to have that measured, and a report that it was, in both hook modes.
//
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -std=c++17 -O2 -pthread %s -o %t.call
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -DEVEN_LESS -std=c++17 -O2 -pthread %s -o %t.less
// RUN: %qdadvise record --all -o %t.qdprof -- %t.less 2>&1 | FileCheck %s --check-prefix=HINT
// RUN: env QDADVISE_OPTIONS=slices=2 %qdadvise record -o %t.qdprof -- %t.call 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %qdadvise report %t.qdprof | FileCheck %s
// RUN: %clangxx --config=%cfgdir/profile-xray.cfg -std=c++17 -O2 -pthread %s -o %t.xray
// RUN: env QDADVISE_OPTIONS=slices=2 %qdadvise record -o %t.qdprof -- %t.xray 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %qdadvise report %t.qdprof | FileCheck %s
//
// Two threads that take turns stand in each other's way: nothing is measured, and nothing hinted at.
// (Of two that do not, one may have a processor for a whole slice, and then it is measured.)
// RUN: env QDADVISE_OPTIONS=slices=2 %qdadvise record -o %t.qdprof -- %t.call 2 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %qdadvise report %t.qdprof | FileCheck %s --check-prefix=SEVERAL
//
// HINT: hooks took {{[0-9]+}}% of the time or more: with QDADVISE_OPTIONS=slices=2 it is measured what they cost in this program
// NONE-NOT: hooks took
// CHECK: ns each where they are, taken out
// SEVERAL: {{[0-9.]+}} ns each, taken out
#include <atomic>
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
static std::atomic<int> turn{0};
static std::atomic<bool> over{false};

static void work(int self, int threads) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + std::chrono::seconds(1); Clock::now() < end;)
    for (int i = 0; i < 1000; ++i) {
      while (threads > 1 && turn != self && !over)
        std::this_thread::yield();
      {
        const std::lock_guard<std::mutex> guard(lock);
        for (int step = 0; step < stepsInside; ++step)
          inside = inside * 3 + 1;
      }
      for (int step = 0; step < stepsOutside; ++step)
        outside = outside * 3 + 1;
      if (threads > 1)
        turn = 1 - self;
    }
  over = true;
}

int main(int argc, char **) {
  std::vector<std::thread> threads;
  for (int i = 0; i < argc; ++i) // with an argument, two
    threads.emplace_back(work, i, argc);
  for (std::thread &thread : threads)
    thread.join();
}
