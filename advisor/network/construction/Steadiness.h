// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the windows of a run tell: whether the run was the same throughout, and how much its
// observations depend on each other.
#pragma once

#include "advisor/profile/Profile.h"

#include <cstddef>
#include <vector>

namespace qdadvise {

/// The statistical inefficiency of the holding times of these sections: as many observations count
/// as one for the error of the mean. Successive observations may be alike: then means over windows
/// differ by more than chance, and it is their variance (of a ratio, by blocks) over that of
/// independent observations. 1 where they are independent, or where the windows tell too little.
/// `mean`, `variance` and `samples` are those of all observations together.
double inefficiencyOfHolds(const Profile &profile, const std::vector<std::size_t> &sections,
                           double mean, double variance, double samples);

/// The same for the local computation of a thread class between two sections.
double inefficiencyOfLocals(const Profile &profile, std::size_t threadClass, double mean,
                            double variance, double samples);

/// The share of their time that threads of these classes spend in other places (sections, or local
/// computation) than over the whole run, on average over the windows. 0 where the windows tell too
/// little.
double unsteadiness(const Profile &profile, const std::vector<bool> &classes);

} // namespace qdadvise
