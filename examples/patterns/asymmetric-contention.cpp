// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asymmetric contention: a hash table with a lock for each bucket, and a hash by which the
// threads' keys meet in one bucket, as in PARSEC's dedup. Fixed: a hash that spreads them.

#include "rounds.h"

#include <array>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

constexpr unsigned buckets = 4;
constexpr int rounds = 200; // of each thread
constexpr int others = 100; // keys of each other bucket

struct Bucket {
  std::mutex lock;
  std::set<unsigned> keys;
};
std::array<Bucket, buckets> table;
Rounds meeting;

// Keys are multiples of 64.
unsigned hash(unsigned key) {
#ifdef FIXED
  return key / 64 % buckets;
#else
  return key % buckets;
#endif
}

void insert(unsigned key, int round) {
  Bucket &bucket = table[hash(key)];
  meeting.come();
  std::lock_guard<std::mutex> guard(bucket.lock);
  meeting.awaitOther(round);
  for (unsigned i = 0; i < 300; ++i)
    bucket.keys.insert(key + i % 64);
}

// One thread has the even multiples, the other the odd ones.
void fill(unsigned first) {
  for (int i = 0; i < rounds; ++i)
    insert(64 * (first + 2 * static_cast<unsigned>(i)), i);
}

int main() {
  for (Bucket &bucket : table)
    for (int i = 0; i < others; ++i) {
      std::lock_guard<std::mutex> guard(bucket.lock);
      bucket.keys.insert(static_cast<unsigned>(i));
    }
  std::thread other(fill, 1);
  fill(0);
  other.join();
  std::size_t keys = 0;
  for (const Bucket &bucket : table)
    keys += bucket.keys.size();
  std::printf("%zu keys\n", keys);
}
