// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Improper primitives: a mutex around a counter, which costs more than the counting.
// Fixed: an atomic counter.

#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

constexpr int requests = 500'000;

#ifdef FIXED
std::atomic<long> hits;

void countHit() { ++hits; }
#else
std::mutex hitsLock;
long hits;

void countHit() {
  std::lock_guard<std::mutex> guard(hitsLock);
  ++hits;
}
#endif

void serve() {
  for (int i = 0; i < requests; ++i)
    countHit();
}

// One thread after the other: the lock is not contended.
int main() {
  serve();
  std::thread other(serve);
  other.join();
  std::printf("%ld hits\n", static_cast<long>(hits));
}
