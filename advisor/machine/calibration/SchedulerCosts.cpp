// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/calibration/SchedulerCosts.h"

#include "advisor/machine/calibration/BusyTime.h"
#include "advisor/machine/calibration/Team.h"

#include <qdadvise/locks/spin_wait.h>
#include <sched.h>
#include <utility>

namespace qdadvise {
namespace {

template <typename Operation> Figure perOperation(Effort effort, Operation operation) {
  constexpr int batch = 100;
  std::vector<double> samples;
  for (int sample = 0; sample < effort.samples; ++sample) {
    const double start = nowNs();
    for (int i = 0; i < batch; ++i)
      operation();
    samples.push_back((nowNs() - start) / batch);
  }
  return *summarize(std::move(samples));
}

} // namespace

Figure measurePause(Effort effort) { return perOperation(effort, spin_wait::pause); }

Figure measureYield(Effort effort) { return perOperation(effort, sched_yield); }

Figure measureSwitch(int processor, const Figure &yield, Effort effort) {
  std::atomic<bool> stop{false};
  Figure figure;
  Team team({processor, processor});
  team.run([&](int index) {
    if (index == 1) {
      while (!stop.load(std::memory_order_relaxed))
        sched_yield();
      return;
    }
    // Each yield of this thread is followed by one of the other.
    figure = perOperation(effort, sched_yield);
    stop.store(true, std::memory_order_relaxed);
  });
  figure.value = std::max(0.0, figure.value / 2 - yield.value);
  figure.spread = *figure.spread / 2;
  return figure;
}

std::optional<Figure> measureTimeslice(int processor, Effort effort) {
  constexpr double leastGapNs = 100'000; // interrupts are shorter
  constexpr double longestNs = 20e6;     // without a common core, a stretch would never end
  std::vector<double> stretches[2];
  std::atomic<bool> stop{false};
  Team team({processor, processor});
  team.run([&](int index) {
    std::vector<double> &own = stretches[index];
    const double begin = nowNs(), end = begin + effort.samples * longestNs;
    double began = begin, last = begin;
    while (last < end && !stop.load(std::memory_order_relaxed)) {
      const double now = nowNs();
      if (now - last > leastGapNs) {
        own.push_back(last - began);
        began = now;
        if (static_cast<int>(own.size()) >= effort.samples)
          stop.store(true, std::memory_order_relaxed);
      }
      last = now;
    }
  });
  stretches[0].insert(stretches[0].end(), stretches[1].begin(), stretches[1].end());
  return summarize(std::move(stretches[0]));
}

double measureOthers(double seconds) {
  const BusyTime before = readBusyTime();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const BusyTime after = readBusyTime();
  return after.all > before.all ? (after.busy - before.busy) / (after.all - before.all) : 0;
}

} // namespace qdadvise
