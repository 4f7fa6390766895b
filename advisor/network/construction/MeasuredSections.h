// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The critical sections of a network as they were measured: how long they hold their lock, and what
// they touch.
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
  /// What a memory trace says of each section; absent where it was not traced.
  std::vector<std::optional<SectionMemory>> memory;
  /// The names of sections without a measured holding time, for which it is a guess.
  std::vector<std::string> guessed;
};

/// The site of a network from the site of a profile.
SourceSite sourceOf(const ProfiledSite &site);

/// `locks` are those of the network; `lockOf` says which of them each section of the network takes.
MeasuredSections measuredSections(const Profile &profile, const Placement &placement,
                                  const std::vector<Lock> &locks,
                                  const std::vector<std::size_t> &lockOf, const Machine &machine);

} // namespace qdadvise
