// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Improper primitives: a thread waits by trying to take a lock over and over.
// Fixed: it sleeps on a condition variable.

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex lock;
int result;

#ifdef FIXED
std::condition_variable isReady;
bool ready;

void produce() {
  std::lock_guard<std::mutex> guard(lock);
  result = 42;
  ready = true;
  isReady.notify_one();
}

void consume() {
  std::unique_lock<std::mutex> guard(lock);
  isReady.wait(guard, [] { return ready; });
  std::printf("%d\n", result);
}

int main() {
  std::thread consumer(consume);
  produce();
  consumer.join();
}
#else
std::atomic<int> failures;

// The computation takes as long as the other thread needs for so many tries.
void produce() {
  while (failures < 100'000)
    std::this_thread::yield();
  result = 42;
}

void consume() {
  while (!lock.try_lock())
    ++failures;
  std::printf("%d\n", result);
  lock.unlock();
}

int main() {
  lock.lock();
  std::thread consumer(consume);
  produce();
  lock.unlock();
  consumer.join();
}
#endif
