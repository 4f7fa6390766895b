// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every lock promises, step by step: situations are waited for, none is a matter of luck.
#include "Locks.h"
#include "Check.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <type_traits>

#ifdef __cpp_exceptions
#include <stdexcept>
#endif

extern "C" int cApiTest(void);
void delegationTests();

namespace {

template <typename Lock> void startsFree(const Row<Lock> &row) {
  static_assert(!std::is_copy_constructible_v<Lock> && !std::is_move_constructible_v<Lock>);
  static_assert(std::is_nothrow_default_constructible_v<Lock>);
  static constinit Lock lock; // needs nothing to run before main
  CHECK(sizeof(Lock) == row.bytes);
  CHECK(sizeof(Lock) <= 4096);
  CHECK(!lock.looks_taken());
  // The C initializers rely on it.
  const auto zero = std::make_unique<unsigned char[]>(sizeof(Lock));
  CHECK(std::memcmp(static_cast<const void *>(&lock), zero.get(), sizeof(Lock)) == 0);
}

template <typename Lock> void excludes(const Row<Lock> &) {
  const auto first = std::make_unique<Lock>(), second = std::make_unique<Lock>();
  {
    const std::scoped_lock both(*first, *second);
    CHECK(first->looks_taken());
    CHECK(second->looks_taken());
    std::thread([&] {
      CHECK(!first->try_lock());
      CHECK(!second->try_lock());
    }).join();
  }
  CHECK(!first->looks_taken());
  CHECK(!second->looks_taken());
  for (int again = 0; again < 3; ++again) {
    CHECK(first->try_lock());
    first->unlock();
    first->lock();
    first->unlock();
  }
  std::unique_lock tried(*first, std::try_to_lock);
  CHECK(tried.owns_lock());
  tried.unlock();
  CHECK(!first->looks_taken());
}

template <typename Lock> void waits(const Row<Lock> &) {
  Lock lock;
  int value = 0;
  std::atomic<bool> started{false};
  lock.lock();
  std::thread waiting([&] {
    started = true;
    const std::lock_guard guard(lock);
    ++value;
  });
  while (!started)
    std::this_thread::yield();
  for (int turn = 0; turn < 100; ++turn) {
    CHECK(value == 0);
    std::this_thread::yield();
  }
  lock.unlock();
  waiting.join();
  CHECK(value == 1);
  CHECK(!lock.looks_taken());
}

/// Every arrival changes the first bytes of a lock that has a line of waiters.
template <typename Lock> std::uint32_t beginning(const Lock &lock) {
  return __atomic_load_n(reinterpret_cast<const std::uint32_t *>(&lock), __ATOMIC_RELAXED);
}

template <typename Lock> void keepsOrder(const Row<Lock> &row) {
  if (!row.inOrder)
    return;
  Lock lock;
  std::vector<int> order;
  std::vector<std::thread> threads;
  lock.lock();
  for (int index = 0; index < 6; ++index) {
    const std::uint32_t before = beginning(lock);
    threads.emplace_back([&, index] {
      const std::lock_guard guard(lock);
      order.push_back(index);
    });
    while (beginning(lock) == before)
      std::this_thread::yield();
  }
  lock.unlock();
  for (std::thread &thread : threads)
    thread.join();
  CHECK(order.size() == 6);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

template <Shared Lock> void sharesWithReadersOnly(const Row<Lock> &) {
  Lock lock;
  {
    const std::shared_lock mine(lock);
    CHECK(lock.looks_taken());
    std::thread([&] {
      const std::shared_lock theirs(lock);
      CHECK(lock.try_lock_shared());
      CHECK(!lock.try_lock());
      lock.unlock_shared();
    }).join();
    CHECK(!lock.try_lock());
  }
  CHECK(!lock.looks_taken());
  CHECK(lock.try_lock());
  std::thread([&] { CHECK(!lock.try_lock_shared()); }).join();
  lock.unlock();
  CHECK(lock.try_lock_shared());
  lock.unlock_shared();
  CHECK(!lock.looks_taken());
}

template <Shared Lock> void writerAndReaderWaitForEachOther(const Row<Lock> &) {
  Lock lock;
  int value = 0;
  lock.lock_shared();
  std::thread writer([&] {
    const std::lock_guard guard(lock);
    CHECK(value == 0);
    value = 1;
  });
  for (int turn = 0; turn < 100; ++turn) {
    CHECK(value == 0);
    std::this_thread::yield();
  }
  lock.unlock_shared();
  writer.join();
  lock.lock();
  std::thread reader([&] {
    const std::shared_lock guard(lock);
    CHECK(value == 2);
  });
  for (int turn = 0; turn < 100; ++turn)
    std::this_thread::yield();
  value = 2;
  lock.unlock();
  reader.join();
  CHECK(!lock.looks_taken());
}

#ifdef __cpp_exceptions
template <typename Lock> void isUsableAfterAnException(const Row<Lock> &) {
  Lock lock;
  try {
    const std::lock_guard guard(lock);
    throw std::runtime_error("inside");
  } catch (const std::runtime_error &) {
    CHECK(!lock.looks_taken());
  }
  CHECK(lock.try_lock());
  lock.unlock();
}
#endif

} // namespace

int main() {
  RUN_FOR(Any, startsFree);
  RUN_FOR(Any, excludes);
  RUN_FOR(Any, waits);
  RUN_FOR(Any, keepsOrder);
  RUN_FOR(Shared, sharesWithReadersOnly);
  RUN_FOR(Shared, writerAndReaderWaitForEachOther);
#ifdef __cpp_exceptions
  RUN_FOR(Any, isUsableAfterAnException);
#endif
  delegationTests();
  failures += cApiTest();
  return failures != 0;
}
