// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Load imbalance: a pipeline with most threads where there is least to do, as in PARSEC's
// ferret. Fixed: threads in proportion to the work.

#include <atomic>
#include <cstdio>
#include <random>
#include <semaphore>
#include <thread>
#include <vector>

#ifdef FIXED
constexpr int readers = 1, rankers = 3;
#else
constexpr int readers = 3, rankers = 1;
#endif
constexpr int images = 120;

std::counting_semaphore<images> slots(2), filled(0);
std::atomic<int> toRead{images}, toRank{images};
std::atomic<unsigned> ranks;

void readImages() {
  while (toRead-- > 0) {
    slots.acquire();
    filled.release();
  }
}

void rankImages() {
  for (int image = --toRank; image >= 0; image = --toRank) {
    filled.acquire();
    std::mt19937 generator(static_cast<unsigned>(image));
    generator.discard(500'000);
    ranks += generator();
    slots.release();
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < readers; ++i)
    threads.emplace_back(readImages);
  for (int i = 0; i < rankers; ++i)
    threads.emplace_back(rankImages);
  for (std::thread &thread : threads)
    thread.join();
  std::printf("%u\n", ranks.load());
}
