// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Just enough of a test framework to be built with any sanitizer, which the
// distribution's GoogleTest is not.
#pragma once

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

inline std::atomic<int> failures{0};

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                 \
      ++failures;                                                                                  \
    }                                                                                              \
  } while (false)

#define RUN(test)                                                                                  \
  do {                                                                                             \
    std::fprintf(stderr, "%s\n", #test);                                                           \
    test();                                                                                        \
  } while (false)

/// Runs body(0) … body(count − 1), each on a thread of its own, all let go at once.
template <typename Body> void onThreads(int count, Body body) {
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (int index = 0; index < count; ++index)
    threads.emplace_back([&, index] {
      while (!go)
        std::this_thread::yield();
      body(index);
    });
  go = true;
  for (std::thread &thread : threads)
    thread.join();
}
