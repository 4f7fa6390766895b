// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The critical sections of a network, as they were measured: how long they hold their lock, less
// what is no part of that, and what they touch.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"
#include "advisor/network/construction/Placement.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

struct MeasuredSections {
  std::vector<Section> sections;
  /// By section, what a diagnosis run says; none: it was not traced.
  std::vector<std::optional<SectionMemory>> memory;
  /// Names of those whose holding time is a guess, for there was none.
  std::vector<std::string> guessed;
};

/// The network's of the profile's.
SourceSite sourceOf(const ProfiledSite &site);

/// `locks` are the network's and `lockOf` says, by section of it, which one is the section's.
MeasuredSections measuredSections(const Profile &profile, const Placement &placement,
                                  const std::vector<Lock> &locks,
                                  const std::vector<std::size_t> &lockOf, const Machine &machine);

} // namespace qdadvise
