// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::mutexes held for a spin of 1, 10 and 100 us: the recorded mean holding times
// agree with the program's own time stamps, in all hook modes, at -O0 and -O2.
//
// The two pairs of stamps are not the same instants, and the machine may run something
// else just between them. So one lock after the other has its turn, and the test looks
// at the median over the locks: a disturbance is in the means of a few, an error of the
// recording is in all.
//
// RUN: %clangxx --config=%cfgdir/profile-xray.cfg -I%source/runtime/include -O0 %s -o %t.xray0
// RUN: %clangxx --config=%cfgdir/profile-xray.cfg -I%source/runtime/include -O2 %s -o %t.xray2
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -I%source/runtime/include -O0 %s -o %t.call0
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -I%source/runtime/include -O2 %s -o %t.call2
// RUN: %clangxx --config=%cfgdir/profile.cfg -I%source/runtime/include -O2 %s -o %t.patch2
// RUN: %python %S/Inputs/accuracy.py %t.xray0 %t.qdprof
// RUN: %python %S/Inputs/accuracy.py %t.xray2 %t.qdprof
// RUN: %python %S/Inputs/accuracy.py %t.call0 %t.qdprof
// RUN: %python %S/Inputs/accuracy.py %t.call2 %t.qdprof
// RUN: %python %S/Inputs/accuracy.py %t.patch2 %t.qdprof
#include "qdadvise/profile.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <time.h>

static constexpr int lockCount = 25;
static std::mutex locks[lockCount];

/// Not <chrono>: at -O0 its layers take as long as a hook.
static long nowNs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(int, char **arguments) {
  const long length = std::atol(arguments[1]);
  const int rounds = std::atoi(arguments[2]);
  for (int lock = 0; lock < lockCount; ++lock)
    qdadvise_name_lock(&locks[lock], ("turn" + std::to_string(lock)).c_str());
  for (int lock = 0; lock < lockCount; ++lock) {
    long sum = 0;
    for (int i = 0; i < rounds; ++i) {
      const std::lock_guard<std::mutex> guard(locks[lock]);
      const long from = nowNs();
      long to = from;
      while (to - from < length)
        to = nowNs();
      sum += to - from;
    }
    std::printf("turn%d %f\n", lock, static_cast<double>(sum) / rounds);
  }
}
