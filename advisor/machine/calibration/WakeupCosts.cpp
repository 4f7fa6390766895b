// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/calibration/WakeupCosts.h"

#include "advisor/machine/calibration/Team.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qdadvise {
namespace {

/// Returns how many threads were woken.
long futexWake(std::atomic<int> &word) {
  return syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void futexWait(std::atomic<int> &word, int seen) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

struct alignas(128) Cell {
  std::atomic<int> value{0};
};

} // namespace

Figure measureEmptyWake(Effort effort) {
  constexpr int batch = 100;
  std::atomic<int> word{0};
  std::vector<double> samples;
  for (int sample = 0; sample < effort.samples; ++sample) {
    const double start = nowNs();
    for (int i = 0; i < batch; ++i)
      futexWake(word);
    samples.push_back((nowNs() - start) / batch);
  }
  return *summarize(std::move(samples));
}

std::optional<WakeupFigures> measureWakeup(int wakerProcessor, int sleeperProcessor, double sleptNs,
                                           Effort effort) {
  Cell word, sleeping, awake;
  double asleepSince = 0, awakeAt = 0;
  std::vector<double> latencies, costs;
  Team team({wakerProcessor, sleeperProcessor});

  const auto await = [](const Cell &cell, int round) {
    for (unsigned turns = 0; cell.value.load(std::memory_order_acquire) != round; ++turns)
      if (turns > 10000)
        sched_yield();
  };
  const auto sleeper = [&](int round) {
    asleepSince = nowNs();
    sleeping.value.store(round, std::memory_order_release);
    while (word.value.load(std::memory_order_acquire) != round)
      futexWait(word.value, round - 1);
    awakeAt = nowNs();
    awake.value.store(round, std::memory_order_release);
  };
  const auto waker = [&](int round) {
    await(sleeping, round);
    const double due = asleepSince + sleptNs;
    double before = nowNs();
    while (before < due)
      before = nowNs();
    word.value.store(round, std::memory_order_release);
    const long woken = futexWake(word.value);
    const double after = nowNs();
    await(awake, round);
    // A round in which the sleeper was not asleep yet does not count.
    if (woken == 1) {
      latencies.push_back(awakeAt - before);
      costs.push_back(after - before);
    }
  };
  team.run([&](int index) {
    for (int round = 1; round <= effort.samples; ++round)
      index == 0 ? waker(round) : sleeper(round);
  });

  const auto latency = summarizeModes(std::move(latencies));
  const auto cost = summarizeModes(std::move(costs));
  if (!latency || !cost)
    return std::nullopt;
  return WakeupFigures{*latency, *cost};
}

} // namespace qdadvise
