// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Improper granularity: a lock for one number, held while a random generator warms up, as in
// PARSEC's canneal. Fixed: only the number is taken with the lock held.

#include "rounds.h"

#include <cstdio>
#include <mutex>
#include <random>
#include <thread>

constexpr int generators = 100; // of each thread
constexpr int warmUp = 50'000;

Rounds rounds;
std::mutex seedLock;
unsigned seed = 1;

#ifdef FIXED
std::mt19937 makeGenerator(int) {
  unsigned mine;
  {
    std::lock_guard<std::mutex> guard(seedLock);
    mine = seed++;
  }
  std::mt19937 generator(mine);
  generator.discard(warmUp + 100 * (mine % 64));
  return generator;
}
#else
std::mt19937 makeGenerator(int round) {
  rounds.come();
  std::lock_guard<std::mutex> guard(seedLock);
  rounds.awaitOther(round);
  std::mt19937 generator(seed++);
  generator.discard(warmUp + 100 * (seed % 64));
  return generator;
}
#endif

void simulate(unsigned &sum) {
  for (int i = 0; i < generators; ++i)
    sum += makeGenerator(i)();
}

int main() {
  unsigned mine = 0, others = 0;
  std::thread other(simulate, std::ref(others));
  simulate(mine);
  other.join();
  std::printf("%u\n", mine + others);
}
