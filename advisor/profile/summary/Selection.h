// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which locks and sites of a summary are wanted, and in which order.
#pragma once

#include "advisor/profile/summary/Summary.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

struct Selection {
  std::string sort = "wait";
  std::optional<std::size_t> top = {}; ///< so many locks
  std::string lock = {};               ///< part of the name of a lock; "": all
  std::string site = {};               ///< FILE or FILE:LINE, FILE from any folder on; "": all
};

/// What locks and sites can be sorted by, each the greatest first: `wait` and `hold`, the times
/// that were waited for and held altogether; `util`, `con` and `total` as they are printed.
std::vector<std::string> sortKeys();

/// The locks, and under each the sites, that are wanted, sorted: of a lock with some of the
/// sites all figures, its own, stay. Fails where no lock or no site is so called, naming those
/// that there are.
Expected<ProfileSummary> select(ProfileSummary summary, const Profile &profile,
                                const Selection &selection);

} // namespace qdadvise
