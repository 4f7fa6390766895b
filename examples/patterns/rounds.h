// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads that go through rounds together. The first to have a lock keeps it until the
// other one comes for it, too: the lock is contended on any machine, not by chance.
#pragma once

#include <atomic>
#include <barrier>
#include <thread>

class Rounds {
public:
  /// Before the lock of each round: when both are through with the last one.
  void come() {
    bothThrough.arrive_and_wait();
    ++arrivals;
  }
  /// With the lock: until the other thread has come to this round (from 0 on).
  void awaitOther(int round) const {
    while (arrivals < 2 * (round + 1))
      std::this_thread::yield();
  }

private:
  std::barrier<> bothThrough{2};
  std::atomic<int> arrivals{0};
};
