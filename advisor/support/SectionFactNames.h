// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the facts of critical sections (runtime/abi/section_facts.h).
#pragma once

#include "runtime/abi/section_facts.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

/// In the order of the facts' bits.
inline constexpr auto factNames = [] {
  std::array<std::pair<const char *, SectionFact>, std::size(sectionFactTable)> names;
  std::transform(std::begin(sectionFactTable), std::end(sectionFactTable), names.begin(),
                 [](const SectionFactRow &row) { return std::pair(row.name, row.fact); });
  std::sort(names.begin(), names.end(),
            [](const auto &a, const auto &b) { return a.second < b.second; });
  return names;
}();

static_assert(
    [] {
      for (std::size_t i = 0; i < factNames.size(); ++i)
        if (factNames[i].second != factReturns << i)
          return false;
      return true;
    }(),
    "each fact has one row");

/// The names of the facts in the set; none where the facts of the section are not known.
inline std::vector<std::string> namesOfFacts(SectionFactBits facts) {
  std::vector<std::string> names;
  for (const auto &[name, fact] : factNames)
    if ((facts & factsKnown) && (facts & fact))
      names.emplace_back(name);
  return names;
}

} // namespace qdadvise
