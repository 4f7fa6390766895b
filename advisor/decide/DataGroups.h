// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the sections of a lock by the data that they share. Sections without data in common need
// no common lock.
#pragma once

#include "advisor/profile/Profile.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace qdadvise {

/// Indices of sections.
using DataGroup = std::vector<std::size_t>;

/// The sections that access what others access, too, in groups: those of different groups were
/// never seen to use the same data, where one of them writes. None where that is not known of all
/// of them, as of one that was not traced (null).
std::optional<std::vector<DataGroup>>
dataGroups(const std::vector<const SectionMemory *> &sections);

} // namespace qdadvise
