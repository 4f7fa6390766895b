// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sections of a profile are one section of its network: those at one site, on one lock class
// and inside the same section, in all thread classes.
#pragma once

#include "advisor/profile/Profile.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace qdadvise {

struct Placement {
  /// By section of the profile, the section of the network that it is part of. Absent where it
  /// never ran, where it stands for sections beyond max_sections, and inside of such a section.
  std::vector<std::optional<std::size_t>> places;
  /// By section of the network, its sections of the profile. An outer section comes before those
  /// inside it.
  std::vector<std::vector<std::size_t>> members;
};

Placement placeSections(const Profile &profile);

} // namespace qdadvise
