// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the threads of a class go from section to section of a network, as it was measured. The
// result is a closed chain of what they repeat.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"
#include "advisor/network/construction/Placement.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace qdadvise {

struct MeasuredTransitions {
  std::vector<Transition> transitions;
  std::uint64_t nested = 0; ///< transitions from or to nested sections, which are left out
  /// For threads that scale and run many sections: the time before and after what they repeat,
  /// which is left out with the sections that ran only then, and the time between.
  double outsideNs = 0, repeatedNs = 0;
  /// For threads that scale and run few: what is before their first section and after their last.
  double endsNs = 0;
};

/// The transitions of a class of the network, which is `threadClass` of the profile. The network
/// has its locks, sections and classes already.
MeasuredTransitions measuredTransitions(const Profile &profile, std::size_t threadClass,
                                        const Placement &placement, const Network &network,
                                        std::size_t networkClass, const Machine &machine);

} // namespace qdadvise
