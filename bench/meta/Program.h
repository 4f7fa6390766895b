// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meta-benchmark of section VI of the 2015 paper as a program. Threads go round
//
//     local computation -> section on the FIFO queue or on the heap -> ...
//
// A section is a number of operations on its structure; local computation is a number of turns of
// an arithmetic loop. Both numbers are drawn. Calibration says how long either takes. Times in
// nanoseconds.
#pragma once

#include "bench/meta/Locks.h"
#include "bench/meta/Structures.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <random>
#include <sched.h>
#include <thread>
#include <vector>

namespace qdadvise::meta {

struct Configuration {
  double sectionNs = 1000, localNs = 3000;
  double fifoAfterFifo = 0.5, fifoAfterHeap = 0.5;
  bool exponential = true; ///< else all times are equal
  int threads = 1;
  std::uint64_t seed = 1;
  double seconds = 0.3, warmUpSeconds = 0.05;
  bool timed = false; ///< take two time stamps a section, for the mean time at each lock
  bool pin = true;    ///< pin threads, where each can have a core
};

enum Structure : std::uint32_t { fifo, heap, structures };

/// The time of the work on one thread without a lock. One round takes
/// roundNs + operations * operationNs[structure] + turns * turnNs. Half of roundNs counts as
/// section, half as local computation.
struct Calibration {
  std::array<double, structures> operationNs{};
  double turnNs = 0;
  std::array<double, structures> roundNs{};
};

struct Measured {
  double seconds = 0;
  std::array<std::uint64_t, structures> sections{};
  std::array<double, structures> atLockNs{}; ///< mean, where timed
  std::uint64_t leastOfAThread = 0;          ///< sections of the thread that had the fewest
  double waitedForCore = 0;                  ///< mean share of the threads' time, warm-up included
  bool intact = true; ///< the structures are valid, and saw as many operations as were asked for
  double throughputPerS() const {
    return static_cast<double>(sections[fifo] + sections[heap]) / seconds;
  }
};

/// The mean numbers of operations (by structure) and turns of a round.
struct Amounts {
  std::array<double, structures> operations{};
  double turns = 0;
};

inline Amounts amountsOf(const Configuration &configuration, const Calibration &calibration) {
  Amounts amounts;
  double roundNs = 0;
  for (const Structure one : {fifo, heap}) {
    roundNs += calibration.roundNs[one] / 2;
    amounts.operations[one] =
        (configuration.sectionNs - calibration.roundNs[one] / 2) / calibration.operationNs[one];
  }
  amounts.turns = (configuration.localNs - roundNs / 2) / calibration.turnNs;
  return amounts;
}

/// The length of each round's section and local computation over the mean: the quantiles of the
/// distribution in random order, so that the mean is exact however few there are. They are drawn
/// beforehand, so that the logarithm is no part of the measured time.
struct Stretch {
  float section, local;
};
inline std::vector<Stretch> drawStretches(bool exponential, std::uint64_t seed) {
  constexpr std::size_t count = 4096; // 32 KiB: stays in the first-level cache
  std::vector<float> quantiles(count, 1);
  if (exponential)
    for (std::size_t i = 0; i < count; ++i)
      quantiles[i] = static_cast<float>(-std::log((static_cast<double>(i) + 0.5) / count));
  std::mt19937_64 random(seed);
  std::vector<Stretch> result(count);
  const auto shuffle = [&] {
    for (std::size_t i = count; i > 1; --i)
      std::swap(quantiles[i - 1], quantiles[random() % i]);
  };
  shuffle();
  for (std::size_t i = 0; i < count; ++i)
    result[i].section = quantiles[i];
  shuffle();
  for (std::size_t i = 0; i < count; ++i)
    result[i].local = quantiles[i];
  return result;
}

/// A chain of multiplications, whose latency no other instruction hides. The compiler knows nothing
/// of the value, so that it cannot combine several.
[[gnu::noinline]] inline std::uint64_t compute(std::uint64_t value, std::uint32_t turns) {
  for (; turns > 0; --turns) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(value));
  }
  return value;
}

/// Everything that a lock protects, on lines of its own: pairs of lines, since neighbours are
/// fetched.
template <typename Lock, typename Data> struct alignas(128) Protected {
  Lock lock;
  alignas(128) Data data;
};

template <typename Lock> struct Shared {
  Protected<Lock, FifoQueue> queue;
  Protected<Lock, PairingHeap> heapOfNumbers;
};

/// The figures of one thread, which it writes alone, and which are read at the end.
struct alignas(128) Counters {
  std::array<std::atomic<std::uint64_t>, structures> sections{}, atLockNs{}, operations{};
};

inline std::uint64_t nowNs() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

/// Increments a counter with one writer, without a read-modify-write.
inline void add(std::atomic<std::uint64_t> &counter, std::uint64_t value) {
  counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
}

/// Sections need the results of computations and the other way round. Otherwise a processor would
/// overlap the two.
template <bool timed, typename Lock, typename Data>
inline std::uint64_t section(Protected<Lock, Data> &at, std::uint32_t operations,
                             std::uint64_t value, Counters &counters, Structure which) {
  const std::uint64_t begin = timed ? nowNs() : 0;
  const auto seed = static_cast<std::uint32_t>(value >> 32);
  const std::uint64_t result = at.lock.run(at.data, [operations, seed](Data &data) {
    Randomness random(seed);
    for (std::uint32_t i = 0; i < operations; ++i)
      data.operate(random);
    return random.next();
  });
  if constexpr (timed)
    add(counters.atLockNs[which], nowNs() - begin);
  add(counters.sections[which], 1);
  add(counters.operations[which], operations);
  return value + result;
}

/// Runs one thread until `enough(rounds)`.
template <bool timed, typename Lock, typename Enough>
[[gnu::noinline]] void work(Shared<Lock> &shared, const Configuration &configuration,
                            const Amounts &amounts, std::uint64_t seed, Counters &counters,
                            Enough enough) {
  const std::vector<Stretch> stretches = drawStretches(configuration.exponential, seed);
  const auto threshold = [](double probability) {
    return static_cast<std::uint64_t>(probability * 0x1p32);
  };
  const std::uint64_t fifoFollows[] = {threshold(configuration.fifoAfterFifo),
                                       threshold(configuration.fifoAfterHeap)};
  const auto perOperation = std::array{static_cast<float>(amounts.operations[fifo]),
                                       static_cast<float>(amounts.operations[heap])};
  const auto perTurn = static_cast<float>(amounts.turns);
  const auto number = [](float mean, float stretch) {
    return static_cast<std::uint32_t>(mean * stretch + 0.5f);
  };
  Randomness random(static_cast<std::uint32_t>(seed * 2654435761u));
  Structure which = random.next() % 2 == 0 ? fifo : heap;
  std::uint64_t value = seed, rounds = 0;
  for (std::size_t i = 0; !enough(rounds); i = (i + 1) % stretches.size(), ++rounds) {
    value = compute(value, number(perTurn, stretches[i].local));
    which = random.next() < fifoFollows[which] ? fifo : heap;
    const std::uint32_t operations = number(perOperation[which], stretches[i].section);
    if (which == fifo)
      value = section<timed>(shared.queue, operations, value, counters, fifo);
    else
      value = section<timed>(shared.heapOfNumbers, operations, value, counters, heap);
  }
  static std::atomic<std::uint64_t> used; // so that nobody leaves the computation out
  used.store(value, std::memory_order_relaxed);
}

} // namespace qdadvise::meta
