// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the delegation locks promise, step by step: the lock's word is watched, so that every
// situation is one that was waited for and none a matter of luck.
#include "Check.h"
#include "Locks.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>

#ifdef __cpp_exceptions
#include <exception>
#include <stdexcept>
#endif

using qdadvise::basic_mrqd_lock;
using qdadvise::basic_qd_lock;

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

template <typename Lock> void valuesOfAFreeLock() {
  Lock lock;
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

template <typename Lock> void valuesOfDelegatedOperations() {
  Lock lock;
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
template <typename Lock> void valuesAreNotLeaked() {
  struct Counted {
    int *alive;
    explicit Counted(int *count) : alive(count) { ++*alive; }
    Counted(Counted &&other) noexcept : alive(other.alive) { ++*alive; }
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;
    ~Counted() { --*alive; }
  };
  Lock lock;
  int alive[2] = {0, 0};
  withQueue(lock, 2, [&](int index) {
    const Counted value = lock.delegate([&] { return Counted(&alive[index]); });
    CHECK(*value.alive == 1);
  });
  CHECK(alive[0] == 0 && alive[1] == 0);
}

/// One hold executes the helper's operation and at most `Capacity` others.
template <typename Lock> void helpIsLimited() {
  Lock lock;
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
template <typename Lock> void lockClosesTheQueue() {
  Lock lock;
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
    CHECK(lock.word() == Lock::taken);
    std::this_thread::yield();
  }
  lock.unlock();
  delegating.join();
  CHECK(executed);
}

template <typename Lock> void nestedDelegation() {
  Lock outer, inner;
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

template <typename Lock> void exceptionOfAFreeLock() {
  Lock lock;
  CHECK(thrownBy(lock, []() -> int { throw std::runtime_error("own"); }) == "own");
  CHECK(lock.word() == 0);
  CHECK(lock.delegate([] { return 4; }) == 4);
}

/// Everybody throws, the helper as well: each gets its own exception back.
template <typename Lock> void exceptionsOfDelegatedOperations() {
  Lock lock;
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

/// The helper stays in its operation until the other thread is back.
template <typename Lock> void detachedDoesNotWait() {
  Lock lock;
  std::atomic<bool> held{false}, back{false};
  int executed = 0;
  std::thread helper([&] {
    lock.delegate([&] {
      held = true;
      while (!back)
        std::this_thread::yield();
      CHECK(executed == 0);
    });
    CHECK(executed == 2); // by this thread, before it returned
  });
  while (!held)
    std::this_thread::yield();
  const auto operation = [&] { ++executed; };
  lock.delegate_detached(operation);
  lock.delegate_detached([&executed] { return ++executed; });
  back = true;
  helper.join();
  CHECK(lock.word() == 0);
}

template <typename Lock> void detachedOfAFreeLock() {
  Lock lock;
  int executed = 0;
  lock.delegate_detached([&] { ++executed; });
  CHECK(executed == 1);
  CHECK(lock.word() == 0);
}

/// Detached, synchronous and locked sections of one thread, at a lock that another helps.
template <typename Lock> void oneThreadsOperationsKeepTheirOrder() {
  Lock lock;
  std::vector<int> order;
  withQueue(lock, 1, [&](int) {
    for (int number = 0; number < 10; ++number)
      lock.delegate_detached([&order, number] { order.push_back(number); });
    lock.delegate([&] { order.push_back(10); });
    CHECK(order.size() == 11);
    lock.delegate_detached([&] { order.push_back(11); });
    const std::lock_guard guard(lock);
    CHECK(order.size() == 12);
    order.push_back(12);
  });
  CHECK(order.size() == 13);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

/// Move-only operations, executed by others and at once: none leaks, none is destroyed twice.
template <typename Lock> void detachedOperationsAreDestroyed() {
  Lock lock;
  const auto token = std::make_shared<int>(0);
  withQueue(lock, 3, [&](int) {
    lock.delegate_detached([token, once = std::unique_ptr<int>()]() mutable {
      CHECK(!once);
      once = std::make_unique<int>(++*token);
    });
  });
  lock.delegate_detached([token] { ++*token; });
  CHECK(*token == 4);
  CHECK(token.use_count() == 1);
}

template <typename Lock> void largeDetachedOperationsAreWaitedFor() {
  Lock lock;
  struct Large {
    bool &executed;
    long ballast[4];
    void operator()() && { executed = true; }
  };
  struct NoMove {
    bool &executed;
    explicit NoMove(bool &flag) : executed(flag) {}
    NoMove(const NoMove &other) noexcept(false) : executed(other.executed) {}
    void operator()() { executed = true; }
  };
  withQueue(lock, 2, [&](int index) {
    bool executed = false;
    if (index == 0)
      lock.delegate_detached(Large{executed, {}});
    else
      lock.delegate_detached(NoMove(executed));
    CHECK(executed);
  });
}

/// A full queue is waited for; nothing is lost.
template <typename Lock> void detachedOperationsBeyondTheQueue() {
  Lock lock;
  int executed = 0;
  withQueue(lock, 2, [&](int) {
    for (int round = 0; round < 100; ++round)
      lock.delegate_detached([&] { ++executed; });
  });
  lock.delegate([&] { CHECK(executed == 200); });
}

#ifdef __cpp_exceptions
template <typename Lock> void detachedThatCannotBeCopied() {
  struct Uncopyable {
    Uncopyable() = default;
    Uncopyable(const Uncopyable &) { throw std::runtime_error("copy"); }
    void operator()() { CHECK(false); }
  };
  Lock lock;
  const Uncopyable operation;
  bool threw = false;
  try {
    lock.delegate_detached(operation);
  } catch (const std::runtime_error &) {
    threw = true;
  }
  CHECK(threw);
  CHECK(lock.word() == 0);
}

template <typename Lock> void detachedThatThrowsEndsTheProgram() {
  const pid_t child = fork();
  if (child == 0) {
    std::set_terminate([] { _exit(42); });
    Lock lock;
    lock.delegate_detached([] { throw std::runtime_error("nobody to tell"); });
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}
#endif

/// The lock is taken at once; the operation waits until the last reader has left.
void delegationWaitsForReaders() {
  qdadvise::mrqd_lock lock;
  std::atomic<bool> executed{false};
  lock.lock_shared();
  std::thread writer([&] { lock.delegate([&] { executed = true; }); });
  while (!(lock.word() & lock.taken))
    std::this_thread::yield();
  std::thread([&] { CHECK(!lock.try_lock_shared()); }).join();
  for (int turn = 0; turn < 100; ++turn) {
    CHECK(!executed);
    std::this_thread::yield();
  }
  lock.unlock_shared();
  writer.join();
  CHECK(executed);
  CHECK(!lock.looks_taken());
}

void readerSeesWhatItDetached() {
  qdadvise::mrqd_lock lock;
  std::vector<int> seen(4);
  withQueue(lock, 4, [&](int index) {
    int &mine = seen[static_cast<std::size_t>(index)];
    lock.delegate_detached([&mine] { ++mine; });
    const std::shared_lock reading(lock);
    CHECK(mine == 1);
  });
}

/// Writers never pause: readers would starve without their patience having an end.
void readersComeInAmongWriters() {
  basic_mrqd_lock<2> lock;
  long first = 0, second = 0;
  std::atomic<bool> enough{false};
  onThreads(4, [&](int index) {
    if (index == 0) {
      for (int round = 0; round < 100; ++round) {
        const std::shared_lock reading(lock);
        CHECK(first == second);
      }
      enough = true;
      return;
    }
    while (!enough)
      lock.delegate([&] {
        ++first;
        if (first % 16 == 0)
          std::this_thread::yield();
        ++second;
      });
  });
  CHECK(first == second);
}

} // namespace

template <typename Lock, typename Small> static void testsOf() {
  RUN(valuesOfAFreeLock<Lock>);
  RUN(valuesOfDelegatedOperations<Lock>);
  RUN(valuesAreNotLeaked<Lock>);
  RUN(helpIsLimited<Small>);
  RUN(lockClosesTheQueue<Lock>);
  RUN(nestedDelegation<Lock>);
  RUN(detachedDoesNotWait<Lock>);
  RUN(detachedOfAFreeLock<Lock>);
  RUN(oneThreadsOperationsKeepTheirOrder<Lock>);
  RUN(detachedOperationsAreDestroyed<Lock>);
  RUN(largeDetachedOperationsAreWaitedFor<Lock>);
  RUN(detachedOperationsBeyondTheQueue<Small>);
#ifdef __cpp_exceptions
  RUN(exceptionOfAFreeLock<Lock>);
  RUN(exceptionsOfDelegatedOperations<Lock>);
  RUN(detachedThatCannotBeCopied<Lock>);
  RUN(detachedThatThrowsEndsTheProgram<Lock>);
#endif
}

void delegationTests() {
  testsOf<qdadvise::qd_lock, basic_qd_lock<2>>();
  testsOf<qdadvise::mrqd_lock, basic_mrqd_lock<2>>();
  RUN(delegationWaitsForReaders);
  RUN(readerSeesWhatItDetached);
  RUN(readersComeInAmongWriters);
}
