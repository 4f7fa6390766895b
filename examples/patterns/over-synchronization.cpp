// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Over-synchronization: a journal with a lock of its own, which is only written while the lock
// of the whole batch is held. Fixed: without the inner lock.

#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

constexpr int batches = 20, entries = 20'000;

std::mutex batchLock;
std::vector<int> journal;

#ifdef FIXED
void append(int entry) { journal.push_back(entry); }
#else
std::mutex journalLock;

void append(int entry) {
  std::lock_guard<std::mutex> guard(journalLock);
  journal.push_back(entry);
}
#endif

void writeBatches() {
  for (int i = 0; i < batches; ++i) {
    std::lock_guard<std::mutex> guard(batchLock);
    journal.clear();
    for (int entry = 0; entry < entries; ++entry)
      append(entry);
  }
}

// One thread after the other: the locks are not contended.
int main() {
  writeBatches();
  std::thread other(writeBatches);
  other.join();
  std::printf("%zu entries\n", journal.size());
}
