// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hook_cost.h.
#include "runtime/replay/hook_cost.h"

#include "runtime/events/clock.h"
#include "runtime/replay/replay_context.h"

namespace qdadvise::runtime {

void Stretch::add(const Event *events, std::size_t count, const ReplayContext &context) {
  // Every event of a recording in slices comes by here: so the loop counts, and has no branch.
  std::uint64_t hooks = 0, ofXray = 0, unstamped = 0, begun = 0, taking = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Event &event = events[i];
    const Instant instant = instantOf(event);
    if (__builtin_expect(instant >= readersInstant, 0)) {
      if (instant == pauseInstant)
        excludeInterval(event.address, context.nsPerTick);
      continue;
    }
    const SiteRole role = context.sites[siteOf(event)].role;
    ++hooks;
    ofXray += (event.what & eventXray) != 0;
    unstamped += !isStamped(role);
    begun += instant == Instant::attempt;
    taking += takesLock(instant, role);
  }
  attemptHooks += begun;
  attempts += taking;
  hookTicks += static_cast<double>(hooks - ofXray) * context.callHookTicks +
               static_cast<double>(ofXray) * context.xrayHookTicks +
               static_cast<double>(hooks - unstamped) * context.drift() -
               static_cast<double>(unstamped) * context.stampTicks;
}

void Stretch::excludeInterval(std::uint64_t pauseTicks, double nsPerTick) {
  constexpr double longestNs = 100'000;
  const auto pause = static_cast<double>(pauseTicks);
  const double longest = longestNs / nsPerTick;
  const double taken = pause < longest ? pause : longest;
  ticks -= taken;
  recorderTicks += taken;
}

void HookCost::compare(const Stretch &withAll, const Stretch &withFew, double fewTicks) {
  constexpr std::uint64_t least = 1000;
  if (withAll.attempts < least || withFew.attempts < least)
    return;
  const auto all = static_cast<double>(withAll.attempts);
  // Few hooks take little: that they may cost more than alone as well is left aside.
  const double few = fewTicks * static_cast<double>(withAll.attemptHooks) / all;
  const double without = withFew.ticks / static_cast<double>(withFew.attempts) - few;
  const double alone = withAll.hookTicks / all;
  if (!(alone > 0))
    return;
  factors[compared % most] = (withAll.ticks / all - without) / alone;
  ++compared;
}

double HookCost::factor() const {
  constexpr unsigned least = 3;
  constexpr double largestError = 0.3, smallest = 0.5, largest = 8;
  const unsigned count = compared < most ? compared : most;
  if (count < least)
    return 1;
  double values[most];
  double distances[most];
  for (unsigned i = 0; i < count; ++i)
    values[i] = factors[i];
  const double median = medianOf(values, count);
  for (unsigned i = 0; i < count; ++i)
    distances[i] = factors[i] > median ? factors[i] - median : median - factors[i];
  // The standard error of a median, from the median distance of what is spread as errors are.
  const double spread = 1.2533 * 1.4826 * medianOf(distances, count);
  const double bound = largestError * median;
  const bool agree = spread * spread <= bound * bound * count;
  return agree && median >= smallest && median <= largest ? median : 1;
}

} // namespace qdadvise::runtime
