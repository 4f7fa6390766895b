// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One std::mutex held for a spin of 1, 10 and 100 us: the recorded mean holding time
// agrees with the program's own time stamps, in both hook modes, at -O0 and -O2.
//
// RUN: %clangxx --config=%cfgdir/profile.cfg -std=c++20 -O0 %s -o %t.xray0
// RUN: %clangxx --config=%cfgdir/profile.cfg -std=c++20 -O2 %s -o %t.xray2
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -std=c++20 -O0 %s -o %t.call0
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -std=c++20 -O2 %s -o %t.call2
// RUN: %python %S/Inputs/accuracy.py %t.xray0 %t.qdprof
// RUN: %python %S/Inputs/accuracy.py %t.xray2 %t.qdprof
// RUN: %python %S/Inputs/accuracy.py %t.call0 %t.qdprof
// RUN: %python %S/Inputs/accuracy.py %t.call2 %t.qdprof
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>

static std::mutex mutex;

int main(int, char **arguments) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::nanoseconds length(std::atol(arguments[1]));
  const int rounds = std::atoi(arguments[2]);
  std::chrono::nanoseconds sum{0};
  for (int i = 0; i < rounds; ++i) {
    const std::lock_guard<std::mutex> guard(mutex);
    const auto from = Clock::now();
    auto to = from;
    while (to - from < length)
      to = Clock::now();
    sum += to - from;
  }
  std::printf("%f\n", static_cast<double>(sum.count()) / rounds);
}
