// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several runs of one program, one after the other, to be merged. What disturbs a run, as another
// program on the same cores does, makes its times longer. So a time counts in the runs that are not
// much longer than the one in the middle.
#pragma once

#include "advisor/profile/Profile.h"

#include <vector>

namespace qdadvise {

/// Whether these are at least two runs of the same command, with times, and no two at the same
/// time: processes of one run are not.
bool areRepeated(const std::vector<Profile> &runs);

/// Takes the times of a section, or of a way from section to section, out of the runs in which
/// their mean is more than 15 % and 2 ns above the median run's (of two: the shorter one's). The
/// median is that of the runs whose threads did not wait for processors, where there are some. A
/// way gets the median's times instead, for its count says where threads go. Shortens such runs,
/// and takes out their windows where more than 5 % of what threads computed was taken out. Returns
/// in how many runs anything was taken out.
std::size_t removeDisturbances(std::vector<Profile> &runs);

} // namespace qdadvise
