// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many threads, more than cores, on few locks. What is protected is deliberately not
// atomic: ThreadSanitizer sees a race where exclusion fails, the sums are wrong without.
#include "Check.h"

#include <qdadvise/locks/qd_lock.h>
#include <qdadvise/locks/spinlock.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>

#ifdef __cpp_exceptions
#include <stdexcept>
#endif

using qdadvise::basic_qd_lock;
using qdadvise::qd_lock;
using qdadvise::spinlock;

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

void spinlockExcludes() {
  spinlock lock;
  Protected data;
  long attempts[threadCount] = {};
  onThreads(threadCount, [&](int index) {
    for (int round = 0; round < rounds; ++round)
      if (round % 4 == 0) {
        if (!lock.try_lock())
          continue;
        data.add();
        ++attempts[index];
        lock.unlock();
      } else {
        const std::lock_guard guard(lock);
        data.add();
        ++attempts[index];
      }
  });
  long sum = 0;
  for (const long count : attempts)
    sum += count;
  CHECK(data.first == sum);
  CHECK(lock.word() == 0);
}

/// Each operation of each thread has a cell of its own, which must end at one: none is
/// lost and none executed twice. The returned values must all differ.
template <unsigned Capacity> void mixedOperations() {
  basic_qd_lock<Capacity> lock;
  Protected data;
  const auto size = static_cast<std::size_t>(threadCount) * static_cast<std::size_t>(rounds);
  std::vector<unsigned char> executed(size), returned(size + 1);
  onThreads(threadCount, [&](int index) {
    Random random{static_cast<std::uint32_t>(index) * 2654435761u + Capacity};
    for (int round = 0; round < rounds; ++round) {
      const std::size_t cell = static_cast<std::size_t>(index) * static_cast<std::size_t>(rounds) +
                               static_cast<std::size_t>(round);
      long value = 0;
      switch (random() % 5) {
      case 0: {
        const std::lock_guard guard(lock);
        ++executed[cell];
        value = data.add();
        break;
      }
      case 1:
        while (!lock.try_lock())
          std::this_thread::yield();
        ++executed[cell];
        value = data.add();
        lock.unlock();
        break;
      case 2: {
        // AddressSanitizer sees an operation that is executed after its caller left.
        const auto box = std::make_unique<long>(1);
        value = *lock.delegate([&executed, &data, cell, &box] {
          executed[cell] = static_cast<unsigned char>(executed[cell] + *box);
          return std::make_unique<long>(data.add());
        });
        break;
      }
      default:
        value = lock.delegate([&] {
          ++executed[cell];
          return data.add();
        });
      }
      ++returned[static_cast<std::size_t>(value)];
    }
  });
  CHECK(data.first == static_cast<long>(size));
  CHECK(lock.word() == 0);
  std::size_t once = 0, different = 0;
  for (std::size_t cell = 0; cell < size; ++cell) {
    once += executed[cell] == 1;
    different += returned[cell + 1] == 1;
  }
  CHECK(once == size);
  CHECK(different == size);
}

/// Operations on one lock that use a second one, and others that use the second alone.
void nested() {
  qd_lock outer;
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
  RUN(spinlockExcludes);
  RUN(mixedOperations<1>);
  RUN(mixedOperations<3>);
  RUN(mixedOperations<64>);
  RUN(nested);
#ifdef __cpp_exceptions
  RUN(exceptions);
#endif
  RUN(manySmallLocks);
  return failures != 0;
}
