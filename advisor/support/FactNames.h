// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that the static facts of a section have in files and reports.
#pragma once

#include "runtime/abi/site_record.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

inline constexpr std::array<std::pair<const char *, SectionFact>, 11> factNames{{
    {"returns", factReturns},
    {"throws", factThrows},
    {"jumps", factJumps},
    {"calls_pointer", factCallsPointer},
    {"calls_unknown", factCallsUnknown},
    {"waits", factWaits},
    {"does_io", factDoesIo},
    {"takes_lock", factTakesLock},
    {"thread_local", factThreadLocal},
    {"one_integer_update", factOneIntegerUpdate},
    {"empty", factEmpty},
}};

/// The names of the facts in the set; none where the facts of the section are not known.
inline std::vector<std::string> namesOfFacts(SectionFactBits facts) {
  std::vector<std::string> names;
  for (const auto &[name, fact] : factNames)
    if ((facts & factsKnown) && (facts & fact))
      names.emplace_back(name);
  return names;
}

} // namespace qdadvise
