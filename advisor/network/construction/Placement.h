// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sections of a profile are one in its network: those at one site on one lock class, inside
// the same one, whatever thread class ran them.
#pragma once

#include "advisor/profile/Profile.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace qdadvise {

struct Placement {
  /// Of each section of the profile, the one of the network that it is part of. None: it never ran,
  /// or it is one beyond max_sections, or inside of such a one.
  std::vector<std::optional<std::size_t>> places;
  /// The sections of the profile, by section of the network. An outer section comes before those
  /// inside it.
  std::vector<std::vector<std::size_t>> members;
};

Placement placeSections(const Profile &profile);

} // namespace qdadvise
