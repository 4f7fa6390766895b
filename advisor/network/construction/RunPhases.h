// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of a run: parts in which threads spend their time in different places
// (docs/theory/run-phases.md).
#pragma once

#include "advisor/network/Network.h"
#include "advisor/network/construction/Placement.h"
#include "advisor/profile/Profile.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace qdadvise {

/// Adds the phases to a network that was constructed from the profile. `classes` are the thread
/// classes of the network, by thread class of the profile. Returns the number of phases, 1 where
/// the network stays as it is.
std::size_t addPhases(Network &network, const Profile &profile, const Placement &placement,
                      const std::vector<std::optional<std::size_t>> &classes);

} // namespace qdadvise
