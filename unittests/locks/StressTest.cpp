// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many threads, more than cores, on few locks. What is protected is deliberately not
// atomic: ThreadSanitizer sees a race where exclusion fails, the sums are wrong without.
#include "Check.h"
#include "Locks.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>

#ifdef __cpp_exceptions
#include <stdexcept>
#endif

using qdadvise::basic_qd_lock;

namespace {

constexpr int threadCount = 8;
int rounds = 20000;

/// A generator per thread, so that a run is as random as its scheduling only.
struct Random {
  std::uint32_t state;
  std::uint32_t operator()() {
    state = state * 1664525u + 1013904223u;
    return state >> 16;
  }
};

/// Two numbers that are the same whenever nobody is inside. Now and then the core is
/// given away between the two: a holder without a core is what waiters meet where
/// there are more threads than cores.
struct Protected {
  long first = 0, second = 0;
  long add() {
    CHECK(first == second);
    ++first;
    if (first % 32 == 0)
      std::this_thread::yield();
    ++second;
    return first;
  }
};

template <typename Lock> void exclude(Lock &lock, int threads, int turns) {
  Protected data;
  std::atomic<long> entered{0};
  onThreads(threads, [&](int) {
    long mine = 0;
    for (int turn = 0; turn < turns; ++turn)
      if (turn % 4 == 0) {
        if (!lock.try_lock())
          continue;
        data.add();
        ++mine;
        lock.unlock();
      } else {
        const std::lock_guard guard(lock);
        data.add();
        ++mine;
      }
    entered += mine;
  });
  CHECK(data.first == entered);
  CHECK(!lock.looks_taken());
}

/// Where waiters are served in order, each hand-over waits for a thread that may have no core.
template <typename Lock> void excludes(const Row<Lock> &row) {
  Lock lock;
  exclude(lock, threadCount, row.inOrder ? rounds / 20 : rounds);
}

/// More threads than a CLH lock has nodes.
template <typename Lock> void excludesManyThreads(const Row<Lock> &) {
  Lock lock;
  exclude(lock, 80, rounds / 400);
}

/// Readers never see a writer's data half done; writers see every earlier one.
template <Shared Lock> void readersAndWriters(const Row<Lock> &) {
  Lock lock;
  Protected data;
  std::atomic<long> written{0};
  onThreads(threadCount, [&](int index) {
    Random random{static_cast<std::uint32_t>(index) + 9};
    long mine = 0;
    for (int round = 0; round < rounds; ++round) {
      const std::uint32_t choice = random() % 16;
      if (choice < 2) {
        const std::lock_guard guard(lock);
        data.add();
        ++mine;
      } else if (choice == 2 && lock.try_lock()) {
        data.add();
        ++mine;
        lock.unlock();
      } else if (choice > 3 || lock.try_lock_shared()) {
        if (choice > 3)
          lock.lock_shared();
        CHECK(data.first == data.second);
        if (choice == 15)
          std::this_thread::yield();
        CHECK(data.first == data.second);
        lock.unlock_shared();
      }
    }
    written += mine;
  });
  CHECK(data.first == written);
  CHECK(!lock.looks_taken());
}

/// What the operations of all threads do under the lock. Each has a cell of its own, which
/// must end at one: none is lost and none executed twice. The values must all differ. And
/// those of one thread come in the order in which it asked for them.
class Ledger {
public:
  long perform(int thread, int round) {
    int &last = latest[static_cast<std::size_t>(thread)];
    CHECK(last + 1 == round);
    last = round;
    ++executed[static_cast<std::size_t>(thread * rounds + round)];
    const long value = data.add();
    ++returned[static_cast<std::size_t>(value)];
    return value;
  }
  void check() const {
    CHECK(data.first == static_cast<long>(size));
    std::size_t once = 0, different = 0;
    for (std::size_t cell = 0; cell < size; ++cell) {
      once += executed[cell] == 1;
      different += returned[cell + 1] == 1;
    }
    CHECK(once == size);
    CHECK(different == size);
  }

private:
  const std::size_t size = static_cast<std::size_t>(threadCount) * static_cast<std::size_t>(rounds);
  Protected data;
  std::vector<unsigned char> executed = std::vector<unsigned char>(size);
  std::vector<unsigned char> returned = std::vector<unsigned char>(size + 1);
  std::vector<int> latest = std::vector<int>(threadCount, -1);
};

template <Delegating Lock> void mixedOperations(const Row<Lock> &) {
  Lock lock;
  Ledger ledger;
  onThreads(threadCount, [&](int index) {
    Random random{static_cast<std::uint32_t>(index) * 2654435761u + Lock::capacity};
    long last = 0; // of the values this thread was given
    for (int round = 0; round < rounds; ++round) {
      long value = 0;
      switch (random() % 6) {
      case 0: {
        const std::lock_guard guard(lock);
        value = ledger.perform(index, round);
        break;
      }
      case 1:
        while (!lock.try_lock())
          std::this_thread::yield();
        value = ledger.perform(index, round);
        lock.unlock();
        break;
      case 2: {
        // AddressSanitizer sees an operation that is executed after its caller left.
        const auto box = std::make_unique<int>(round);
        value = *lock.delegate(
            [&ledger, index, &box] { return std::make_unique<long>(ledger.perform(index, *box)); });
        break;
      }
      case 3:
      case 4:
        lock.delegate_detached([&ledger, index, round] { ledger.perform(index, round); });
        continue;
      default:
        value = lock.delegate([&] { return ledger.perform(index, round); });
      }
      CHECK(value > last);
      last = value;
    }
  });
  ledger.check();
  CHECK(!lock.looks_taken());
}

/// Operations on one lock that use a second one, and others that use the second alone.
void nested() {
  qdadvise::qd_lock outer;
  basic_qd_lock<3> inner;
  Protected outerData, innerData;
  onThreads(threadCount, [&](int index) {
    for (int round = 0; round < rounds; ++round)
      if (index % 2 == 0)
        outer.delegate([&] {
          outerData.add();
          if (round % 2 == 0)
            inner.delegate([&] { innerData.add(); });
          else {
            const std::lock_guard guard(inner);
            innerData.add();
          }
        });
      else
        CHECK(inner.delegate([&] { return innerData.add(); }) > 0);
  });
  CHECK(outerData.first == static_cast<long>(threadCount) / 2 * rounds);
  CHECK(innerData.first == static_cast<long>(threadCount) * rounds);
}

#ifdef __cpp_exceptions
void exceptions() {
  basic_qd_lock<5> lock;
  Protected data;
  onThreads(threadCount, [&](int index) {
    Random random{static_cast<std::uint32_t>(index) + 1};
    for (int round = 0; round < rounds / 4; ++round) {
      const long mine = static_cast<long>(index) * rounds + round;
      const bool fails = random() % 2 == 0;
      bool threw = false;
      try {
        const long value = lock.delegate([&] {
          data.add();
          if (fails)
            throw mine;
          return mine;
        });
        CHECK(value == mine);
      } catch (const long thrown) {
        threw = true;
        CHECK(thrown == mine);
      }
      CHECK(threw == fails);
    }
  });
  CHECK(data.first == static_cast<long>(threadCount) * (rounds / 4));
  CHECK(lock.word() == 0);
}
#endif

/// An array of small locks, as in a hash table with a lock per bucket.
void manySmallLocks() {
  basic_qd_lock<4> locks[16];
  Protected data[16];
  onThreads(threadCount, [&](int index) {
    Random random{static_cast<std::uint32_t>(index) + 77};
    for (int round = 0; round < rounds; ++round) {
      const std::uint32_t bucket = random() % 16;
      locks[bucket].delegate([&] { data[bucket].add(); });
    }
  });
  long sum = 0;
  for (const Protected &bucket : data)
    sum += bucket.first;
  CHECK(sum == static_cast<long>(threadCount) * rounds);
}

/// Memory on which whoever says that an operation is done is slow to go on.
struct LingeringMemory : qdadvise::hardware_memory {
  template <typename T> struct atomic : std::atomic<T> {
    using std::atomic<T>::atomic;
    void store(T value, std::memory_order order) noexcept {
      std::atomic<T>::store(value, order);
      if constexpr (std::is_same_v<T, bool>)
        std::this_thread::yield();
    }
  };
};

/// The last user of an object destroys it, with the lock in it: the others may not have left
/// their delegations, but must not touch it any more. AddressSanitizer sees who does.
template <Delegating Lock> void lastUserDestroys() {
  struct Object {
    Lock lock;
    int users = 2;
  };
  constexpr int pairs = threadCount / 2;
  const int turns = rounds / 40;
  std::vector<std::atomic<Object *>> objects(static_cast<std::size_t>(pairs * turns));
  std::atomic<int> destroyed{0};
  onThreads(threadCount, [&](int index) {
    for (int round = 0; round < turns; ++round) {
      // Each pair meets at an object that whoever comes first makes.
      std::atomic<Object *> &place = objects[static_cast<std::size_t>(index / 2 * turns + round)];
      auto made = std::make_unique<Object>();
      Object *object = nullptr;
      if (place.compare_exchange_strong(object, made.get()))
        object = made.release();
      if (object->lock.delegate([object] {
            std::this_thread::yield(); // so that the other one comes to be helped
            return --object->users == 0;
          })) {
        object->lock.lock();
        object->lock.unlock();
        delete object;
        ++destroyed;
      }
    }
  });
  CHECK(destroyed == pairs * turns);
}

} // namespace

/// The argument multiplies the number of rounds.
int main(int argc, char **argv) {
  if (argc > 1) {
    const int factor = std::atoi(argv[1]);
    if (factor < 1 || factor > 1000) {
      std::fprintf(stderr, "%s: the argument is a number from 1 to 1000\n", argv[0]);
      return 2;
    }
    rounds *= factor;
  }
  RUN_FOR(Any, excludes);
  RUN_FOR(Any, excludesManyThreads);
  RUN_FOR(Shared, readersAndWriters);
  RUN_FOR(Delegating, mixedOperations);
  RUN((lastUserDestroys<basic_qd_lock<4, LingeringMemory>>));
  RUN((lastUserDestroys<qdadvise::basic_mrqd_lock<4, LingeringMemory>>));
  RUN(nested);
#ifdef __cpp_exceptions
  RUN(exceptions);
#endif
  RUN(manySmallLocks);
  return failures != 0;
}
