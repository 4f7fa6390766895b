// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects and sorts the locks and sites of a summary.
#pragma once

#include "advisor/profile/summary/Summary.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

struct Selection {
  std::string sort = "wait";
  std::optional<std::size_t> top = {}; ///< the number of locks; absent for all
  std::string lock = {};               ///< part of the name of a lock; "" for all
  std::string site = {};               ///< FILE or FILE:LINE, FILE from any folder on; "" for all
};

/// The keys to sort locks and sites by, the greatest first: `wait` and `hold` are the sums of
/// waiting and holding times; `util`, `con` and `total` are as printed.
std::vector<std::string> sortKeys();

/// Returns the wanted locks, and the wanted sites of each, sorted. A lock keeps all its figures
/// also where only some of its sites are wanted. Fails where there is no such lock or site, and
/// names those that there are.
Expected<ProfileSummary> select(ProfileSummary summary, const Profile &profile,
                                const Selection &selection);

} // namespace qdadvise
