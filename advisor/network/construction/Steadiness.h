// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the windows of a run tell of it: whether it was the same throughout, and how much
// its observations hang together.
#pragma once

#include "advisor/profile/Profile.h"

#include <cstddef>
#include <vector>

namespace qdadvise {

/// How many independent observations the mean holding time of these sections is as good as.
/// Successive ones may be alike: then means over windows differ by more than chance, and their
/// variance (of a ratio, by blocks) takes the place of that of single observations. `mean`,
/// `variance` and `samples` are those of all observations together.
double independentHolds(const Profile &profile, const std::vector<std::size_t> &sections,
                        double mean, double variance, double samples);

/// The same of the mean local computation of a thread class, from section to section.
double independentLocals(const Profile &profile, std::size_t threadClass, double mean,
                         double variance, double samples);

/// Which share of their time threads of these classes spend otherwise (in another section, or
/// between them) than on the whole, on average over the windows; 0 where they tell too little.
double unsteadiness(const Profile &profile, const std::vector<bool> &classes);

} // namespace qdadvise
