// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much more processor time the program takes beside copies of itself.
#pragma once

#include "advisor/profile/Profile.h"

#include <cstddef>
#include <string>
#include <vector>

namespace qdadvise {

/// One number of copies.
struct CopiesSlowdown {
  unsigned copies = 2;
  double factor = 1;    ///< processor time beside the others over that alone: the rounds' median
  double deviation = 0; ///< standard deviation of the factor's logarithm in one round
  std::size_t rounds = 0;
};

/// On one machine.
struct MeasuredCopies {
  std::string cpu;
  unsigned processors = 0;
  std::vector<CopiesSlowdown> slowdowns; ///< by copies, ascending
  std::size_t rounds() const;
};

/// By machine; those with most rounds come first. One disturbed round of five does not move what
/// they say: the deviation follows from the median distance to the median.
std::vector<MeasuredCopies> measuredCopies(const Profile &profile);

} // namespace qdadvise
