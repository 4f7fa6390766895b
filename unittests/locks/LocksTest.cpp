// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the locks promise, step by step: the lock's word is watched, so that every
// situation is one that was waited for and none a matter of luck.
#include "Check.h"

#include <qdadvise/locks/locks_c.h>
#include <qdadvise/locks/qd_lock.h>
#include <qdadvise/locks/spinlock.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

#ifdef __cpp_exceptions
#include <stdexcept>
#endif

extern "C" int cApiTest(void);

using qdadvise::basic_qd_lock;
using qdadvise::qd_lock;
using qdadvise::spinlock;

static_assert(sizeof(spinlock) == 4);
static_assert(sizeof(qd_lock) <= 4096);
static_assert(sizeof(basic_qd_lock<4>) == 128, "small enough for an array of them");
static_assert(!std::is_copy_constructible_v<qd_lock> && !std::is_move_constructible_v<qd_lock>);
static_assert(std::is_nothrow_default_constructible_v<qd_lock>);

namespace {

/// Waits until `count` operations are in the queue.
template <typename Lock> void awaitQueued(const Lock &lock, unsigned count) {
  while ((lock.word() & Lock::count_mask) < count)
    std::this_thread::yield();
}

/// Runs `inside` while a helper holds the lock with `count` operations of other threads
/// in its queue, `delegated(i)` each.
template <typename Lock, typename Delegated>
void withQueue(Lock &lock, int count, Delegated delegated) {
  std::atomic<bool> held{false};
  std::thread helper([&] {
    lock.delegate([&] {
      held = true;
      awaitQueued(lock, static_cast<unsigned>(count));
    });
  });
  while (!held)
    std::this_thread::yield();
  onThreads(count, delegated);
  helper.join();
}

void lockableConcept() {
  qd_lock qd;
  spinlock spin;
  {
    const std::scoped_lock both(qd, spin);
    CHECK(qd.word() == qd_lock::taken);
    CHECK(spin.word() == spinlock::taken);
    std::thread([&] {
      CHECK(!qd.try_lock());
      CHECK(!spin.try_lock());
    }).join();
  }
  CHECK(qd.word() == 0);
  CHECK(spin.word() == 0);
  CHECK(qd.try_lock());
  CHECK(spin.try_lock());
  qd.unlock();
  spin.unlock();
}

void valuesOfAFreeLock() {
  qd_lock lock;
  int number = 1;
  CHECK(lock.delegate([&] { return ++number; }) == 2);
  lock.delegate([&] { ++number; });
  CHECK(number == 3);
  static_assert(std::is_void_v<decltype(lock.delegate([] {}))>);
  static_assert(std::is_same_v<decltype(lock.delegate([&]() -> int & { return number; })), int &>);
  static_assert(
      std::is_same_v<decltype(lock.delegate([&]() -> int && { return std::move(number); })),
                     int &&>);
  CHECK(&lock.delegate([&]() -> int & { return number; }) == &number);
  CHECK(*lock.delegate([] { return std::make_unique<int>(7); }) == 7);
  struct MoveOnlyOperation {
    std::unique_ptr<int> value;
    std::unique_ptr<int> operator()() && { return std::move(value); }
  };
  CHECK(*lock.delegate(MoveOnlyOperation{std::make_unique<int>(8)}) == 8);
  const auto constant = [] { return 9; };
  CHECK(lock.delegate(constant) == 9);
  CHECK(lock.word() == 0);
}

void valuesOfDelegatedOperations() {
  qd_lock lock;
  int number = 0;
  std::thread::id executor[5];
  withQueue(lock, 5, [&](int index) {
    const auto note = [&] { executor[index] = std::this_thread::get_id(); };
    switch (index) {
    case 0:
      CHECK(*lock.delegate([&] {
        note();
        return std::make_unique<int>(7);
      }) == 7);
      break;
    case 1:
      CHECK(&lock.delegate([&]() -> int & {
        note();
        return number;
      }) == &number);
      break;
    case 2:
      lock.delegate([&] {
        note();
        ++number;
      });
      break;
    case 3: {
      int &&reference = lock.delegate([&]() -> int && {
        note();
        return std::move(number);
      });
      CHECK(&reference == &number);
      break;
    }
    default:
      CHECK(lock.delegate([&]() -> const std::string {
        note();
        return std::string(100, 'x');
      }) == std::string(100, 'x'));
    }
    CHECK(executor[index] != std::this_thread::get_id());
  });
  CHECK(number == 1);
  CHECK(std::count(executor, executor + 5, executor[0]) == 5);
  CHECK(lock.word() == 0);
}

/// A value is constructed once, moved once and destroyed as often as it lives.
void valuesAreNotLeaked() {
  struct Counted {
    int *alive;
    explicit Counted(int *count) : alive(count) { ++*alive; }
    Counted(Counted &&other) noexcept : alive(other.alive) { ++*alive; }
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;
    ~Counted() { --*alive; }
  };
  qd_lock lock;
  int alive[2] = {0, 0};
  withQueue(lock, 2, [&](int index) {
    const Counted value = lock.delegate([&] { return Counted(&alive[index]); });
    CHECK(*value.alive == 1);
  });
  CHECK(alive[0] == 0 && alive[1] == 0);
}

/// One hold executes the helper's operation and at most `Capacity` others.
void helpIsLimited() {
  basic_qd_lock<2> lock;
  std::atomic<bool> held{false};
  std::atomic<int> started{0};
  int executedByHelper = 0;
  std::thread::id helperId;
  std::thread helper([&] {
    helperId = std::this_thread::get_id();
    lock.delegate([&] {
      held = true;
      awaitQueued(lock, 2);
      while (started < 3)
        std::this_thread::yield();
    });
  });
  while (!held)
    std::this_thread::yield();
  onThreads(3, [&](int) {
    ++started;
    lock.delegate([&] { executedByHelper += std::this_thread::get_id() == helperId; });
  });
  helper.join();
  CHECK(executedByHelper == 2);
  CHECK(lock.word() == 0);
}

/// While the lock is held by lock(), a delegated operation waits.
void lockClosesTheQueue() {
  qd_lock lock;
  bool executed = false;
  std::atomic<bool> started{false};
  lock.lock();
  std::thread delegating([&] {
    started = true;
    lock.delegate([&] { executed = true; });
  });
  while (!started)
    std::this_thread::yield();
  for (int turn = 0; turn < 100; ++turn) {
    CHECK(!executed);
    CHECK(lock.word() == qd_lock::taken);
    std::this_thread::yield();
  }
  lock.unlock();
  delegating.join();
  CHECK(executed);
}

void nestedDelegation() {
  qd_lock outer, inner;
  int value = 0;
  withQueue(outer, 3, [&](int) {
    CHECK(outer.delegate([&] { return inner.delegate([&] { return ++value; }); }) > 0);
  });
  CHECK(value == 3);
  CHECK(outer.word() == 0 && inner.word() == 0);
}

#ifdef __cpp_exceptions
template <typename Lock, typename Operation> std::string thrownBy(Lock &lock, Operation operation) {
  try {
    lock.delegate(operation);
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "nothing";
}

void exceptionOfAFreeLock() {
  qd_lock lock;
  CHECK(thrownBy(lock, []() -> int { throw std::runtime_error("own"); }) == "own");
  CHECK(lock.word() == 0);
  CHECK(lock.delegate([] { return 4; }) == 4);
}

/// Everybody throws, the helper as well: each gets its own exception back.
void exceptionsOfDelegatedOperations() {
  qd_lock lock;
  std::atomic<bool> held{false};
  std::thread helper([&] {
    CHECK(thrownBy(lock, [&] {
            held = true;
            awaitQueued(lock, 4);
            throw std::runtime_error("helper");
          }) == "helper");
  });
  while (!held)
    std::this_thread::yield();
  onThreads(4, [&](int index) {
    if (index == 3) {
      CHECK(lock.delegate([] { return std::string("value"); }) == "value");
      return;
    }
    const std::string mine = std::to_string(index);
    CHECK(thrownBy(lock, [&]() -> std::string { throw std::runtime_error(mine); }) == mine);
  });
  helper.join();
  CHECK(lock.word() == 0);
  CHECK(lock.delegate([] { return 5; }) == 5);
}
#endif

} // namespace

int main() {
  RUN(lockableConcept);
  RUN(valuesOfAFreeLock);
  RUN(valuesOfDelegatedOperations);
  RUN(valuesAreNotLeaked);
  RUN(helpIsLimited);
  RUN(lockClosesTheQueue);
  RUN(nestedDelegation);
#ifdef __cpp_exceptions
  RUN(exceptionOfAFreeLock);
  RUN(exceptionsOfDelegatedOperations);
#endif
  failures += cApiTest();
  return failures != 0;
}
