// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibrates the work, runs the threads and collects their figures.
#pragma once

#include "bench/meta/Program.h"

#include <algorithm>
#include <fstream>

namespace qdadvise::meta {

/// The mean time of a round on this thread, without a lock, with so many operations on one
/// structure and so many turns. It is the median of several batches.
inline double roundNs(const Configuration &like, Structure which, double operations, double turns) {
  Configuration configuration = like;
  configuration.fifoAfterFifo = configuration.fifoAfterHeap = which == fifo ? 1 : 0;
  Amounts amounts;
  amounts.operations.fill(operations);
  amounts.turns = turns;
  const auto shared = std::make_unique<Shared<Nothing>>();
  Counters counters;
  std::vector<double> batches;
  for (std::uint64_t batch = 0; batch < 15; ++batch) {
    std::uint64_t begin = 0;
    constexpr std::uint64_t before = 1024, measured = 4096;
    work<false>(*shared, configuration, amounts, like.seed + batch, counters,
                [&](std::uint64_t rounds) {
                  if (rounds == before)
                    begin = nowNs();
                  return rounds == before + measured;
                });
    batches.push_back(static_cast<double>(nowNs() - begin) / measured);
  }
  std::nth_element(batches.begin(), batches.begin() + 7, batches.end());
  return batches[7];
}

/// Fits straight lines through few and many operations, and through few and many turns. They vary
/// as much as in the run, since mispredicted branches are part of the time.
inline Calibration calibrate(const Configuration &configuration) {
  constexpr double few = 8, many = 64, manyTurns = 512;
  Calibration calibration;
  for (const Structure which : {fifo, heap}) {
    const double base = roundNs(configuration, which, few, few);
    calibration.operationNs[which] =
        (roundNs(configuration, which, many, few) - base) / (many - few);
    const double turnNs =
        (roundNs(configuration, which, few, manyTurns) - base) / (manyTurns - few);
    calibration.turnNs += turnNs / 2;
    calibration.roundNs[which] =
        std::max(0.0, base - few * (calibration.operationNs[which] + turnNs));
  }
  return calibration;
}

/// The numbers of the processors that this process may use.
inline std::vector<int> processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> result;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set))
      result.push_back(i);
  return result;
}

inline void pinTo(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/// How long the calling thread has been ready to run without having a core. 0 where the kernel does
/// not say.
inline double waitedForCoreNs() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran = 0, waited = 0;
  return file >> ran >> waited ? waited : 0;
}

/// The sums over the threads at one moment.
struct Snapshot {
  std::uint64_t at = nowNs();
  std::vector<std::array<std::uint64_t, structures>> sections, atLockNs;

  explicit Snapshot(const std::vector<Counters> &threads) {
    for (const Counters &one : threads) {
      sections.push_back({one.sections[fifo].load(), one.sections[heap].load()});
      atLockNs.push_back({one.atLockNs[fifo].load(), one.atLockNs[heap].load()});
    }
  }
};

template <typename Lock>
Measured measure(const Configuration &configuration, const Amounts &amounts) {
  const auto count = static_cast<std::size_t>(configuration.threads);
  // Without a lock every thread has its own structures.
  constexpr bool apart = std::is_same_v<Lock, Nothing>;
  std::vector<std::unique_ptr<Shared<Lock>>> shared;
  for (std::size_t i = 0; i < (apart ? count : 1); ++i)
    shared.push_back(std::make_unique<Shared<Lock>>());
  std::vector<Counters> counters(count);
  std::vector<double> waitedShares(count);
  const std::vector<int> available = processors();
  const bool pinned = configuration.pin && count <= available.size();

  std::atomic<std::size_t> ready{0};
  alignas(128) std::atomic<bool> stop{false};
  const auto threadOf = [&](std::size_t index) {
    if (pinned)
      pinTo(available[index]);
    ready.fetch_add(1);
    while (ready.load() < count)
      sched_yield();
    const double waited = waitedForCoreNs();
    const std::uint64_t begin = nowNs();
    Shared<Lock> &own = *shared[apart ? index : 0];
    const std::uint64_t seed = configuration.seed * 1'000'003 + index;
    const auto enough = [&](std::uint64_t) { return stop.load(std::memory_order_relaxed); };
    if (configuration.timed)
      work<true>(own, configuration, amounts, seed, counters[index], enough);
    else
      work<false>(own, configuration, amounts, seed, counters[index], enough);
    waitedShares[index] = (waitedForCoreNs() - waited) /
                          static_cast<double>(std::max<std::uint64_t>(1, nowNs() - begin));
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i)
    threads.emplace_back(threadOf, i);

  const auto sleep = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  while (ready.load() < count)
    sched_yield();
  sleep(configuration.warmUpSeconds);
  const Snapshot before(counters);
  sleep(configuration.seconds);
  const Snapshot after(counters);
  stop.store(true);
  for (std::thread &thread : threads)
    thread.join();

  Measured measured;
  measured.seconds = static_cast<double>(after.at - before.at) * 1e-9;
  measured.leastOfAThread = ~std::uint64_t{0};
  for (const double share : waitedShares)
    measured.waitedForCore += share / static_cast<double>(count);
  std::array<std::uint64_t, structures> asked{}, done{};
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t own = 0;
    for (const Structure which : {fifo, heap}) {
      const std::uint64_t sections = after.sections[i][which] - before.sections[i][which];
      measured.sections[which] += sections;
      own += sections;
      measured.atLockNs[which] +=
          static_cast<double>(after.atLockNs[i][which] - before.atLockNs[i][which]);
      asked[which] += counters[i].operations[which].load();
    }
    measured.leastOfAThread = std::min(measured.leastOfAThread, own);
  }
  for (const Structure which : {fifo, heap})
    if (measured.sections[which] > 0)
      measured.atLockNs[which] /= static_cast<double>(measured.sections[which]);
  for (const auto &one : shared) {
    done[fifo] += one->queue.data.operations();
    done[heap] += one->heapOfNumbers.data.operations();
    measured.intact = measured.intact && one->queue.data.intact();
  }
  measured.intact = measured.intact && done == asked;
  for (const auto &one : shared)
    measured.intact = one->heapOfNumbers.data.intact() && measured.intact;
  return measured;
}

} // namespace qdadvise::meta
