// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/Phases.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {
namespace {

/// A phase has its share of the observations. What was observed at all stays so.
void keepShare(std::uint64_t &samples, double share) {
  if (samples > 0)
    samples = static_cast<std::uint64_t>(
        std::max<long long>(1, std::llround(share * static_cast<double>(samples))));
}

} // namespace

Network networkOfPhase(const Network &network, std::size_t phase) {
  Network result = network;
  const double share = network.phases[phase];
  result.phases.clear();
  for (Section &section : result.sections) {
    if (!section.phases.empty()) {
      section.hold.mean *= section.phases[phase].hold;
      section.visits *= section.phases[phase].visits;
      section.phases.clear();
    }
    keepShare(section.hold.samples, share);
  }
  for (Transition &transition : result.transitions) {
    if (!transition.phases.empty()) {
      transition.probability = transition.phases[phase].probability;
      transition.local.mean *= transition.phases[phase].local;
      transition.phases.clear();
    }
    keepShare(transition.samples, share);
    keepShare(transition.local.samples, share);
  }
  std::erase_if(result.transitions, [](const Transition &each) { return each.probability <= 0; });
  return result;
}

} // namespace qdadvise
