// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/calibration/TimerCosts.h"

#include "advisor/machine/calibration/Ticks.h"

#include <algorithm>
#include <array>
#include <vector>

namespace qdadvise {
namespace {

constexpr int batch = 2000;

struct Event {
  std::uint64_t stamp;
  const void *address;
};
std::array<Event, 512> events;
std::size_t nextEvent = 0;

[[gnu::noinline]] void hook(const void *address) {
  events[nextEvent] = {readTicks(), address};
  nextEvent = (nextEvent + 1) % events.size();
}

} // namespace

Figure measureTimerRead(Effort effort) {
  std::vector<double> samples;
  for (int sample = 0; sample < effort.samples; ++sample) {
    const double start = nowNs();
    for (int i = 0; i < batch; ++i) {
      std::uint64_t ticks = readTicks();
      asm volatile("" : "+r"(ticks));
    }
    samples.push_back((nowNs() - start) / batch);
  }
  return summarize(std::move(samples)).value_or(Figure());
}

Figure measureHook(Effort effort) {
  std::vector<double> samples;
  for (int sample = 0; sample < effort.samples; ++sample) {
    const double start = nowNs();
    for (int i = 0; i < batch; ++i)
      hook(&samples);
    samples.push_back((nowNs() - start) / batch);
  }
  return summarize(std::move(samples)).value_or(Figure());
}

double measureClockGhz() {
  constexpr int steps = 20000;
  constexpr double forNs = 5e6; // a core that was idle takes milliseconds to run up its clock
  double best = 0;
  for (const double end = nowNs() + forNs; nowNs() < end;) {
    unsigned long value = 1, step = 3;
    const double start = nowNs();
#pragma clang loop unroll_count(8)
    for (int i = 0; i < steps; ++i) {
      value += step;
      asm volatile("" : "+r"(value), "+r"(step));
    }
    // Interruptions only make it slower.
    best = std::max(best, steps / (nowNs() - start));
  }
  return best;
}

std::optional<double> nominalClockGhz() {
#if defined(__x86_64__) || defined(__i386__)
  return 1 / nsPerTick();
#else
  return std::nullopt;
#endif
}

} // namespace qdadvise
