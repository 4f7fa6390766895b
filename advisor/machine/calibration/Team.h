// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads to measure with, which are pinned and begin at the same moment.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace qdadvise {

/// Nanoseconds on the monotonic clock, comparable between cores.
inline double nowNs() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Pins the calling thread as long as the object lives. Has no effect where the system refuses.
class Pinned {
public:
  explicit Pinned(int processor);
  ~Pinned();
  Pinned(const Pinned &) = delete;
  Pinned &operator=(const Pinned &) = delete;

private:
  std::vector<unsigned char> before;
};

/// One thread for each given processor. The first is the caller's.
class Team {
public:
  explicit Team(std::vector<int> processors);
  ~Team();
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  int size() const { return count; }
  /// Runs body(0) … body(size − 1) at once. All threads are running on their cores before the first
  /// body begins, so that a short body is seldom interrupted. Returns the time from there to the
  /// end of the last, in nanoseconds.
  double run(const std::function<void(int)> &body);

private:
  void member(int index, int processor);
  void begin();

  const int count;
  const std::function<void(int)> *task = nullptr;
  std::atomic<int> generation{0}, arrived{0}, working{0};
  bool ending = false;
  Pinned pinned;
  std::vector<std::thread> threads;
};

} // namespace qdadvise
