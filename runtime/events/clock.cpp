// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See clock.h.
#include "runtime/events/clock.h"

namespace qdadvise::runtime {

constinit std::uint64_t endedLocks = 0;

namespace {

/// How long the two clocks are compared at least.
constexpr std::uint64_t comparedNs = 2'000'000;

} // namespace

Clocks readClocks() {
  // The tightest of several tries, so that an interrupt between the two readings does no harm.
  Clocks best{};
  std::uint64_t tightest = ~std::uint64_t{0};
  for (int i = 0; i < 16; ++i) {
    const std::uint64_t before = readStamp();
    const std::uint64_t ns = clockNs(CLOCK_MONOTONIC);
    const std::uint64_t width = readStamp() - before;
    if (width < tightest) {
      tightest = width;
      best = {before + width / 2, ns};
    }
  }
  return best;
}

double ticksPerNsSince(const Clocks &from) {
  Clocks to;
  do
    to = readClocks();
  while (to.ns - from.ns < comparedNs);
  return static_cast<double>(to.stamp - from.stamp) / static_cast<double>(to.ns - from.ns);
}

double medianOf(double *values, unsigned count) {
  if (count == 0)
    return 0;
  for (unsigned i = 1; i < count; ++i) {
    const double value = values[i];
    unsigned at = i;
    for (; at > 0 && values[at - 1] > value; --at)
      values[at] = values[at - 1];
    values[at] = value;
  }
  return values[count / 2];
}

double calibrateStampTicks() {
  constexpr unsigned rounds = 15;
  constexpr unsigned reads = 64;
  double costs[rounds];
  for (double &cost : costs) {
    const std::uint64_t from = readStamp();
    std::uint64_t last = from;
    for (unsigned i = 0; i < reads; ++i)
      last = readStamp();
    cost = static_cast<double>(last - from) / reads;
  }
  return medianOf(costs, rounds);
}

} // namespace qdadvise::runtime
