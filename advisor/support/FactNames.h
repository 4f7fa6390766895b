// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that the static facts of a section have in files and reports.
#pragma once

#include "runtime/site_record.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

inline constexpr std::array<std::pair<SectionFact, const char *>, 11> factNames{{
    {factReturns, "returns"},
    {factThrows, "throws"},
    {factJumps, "jumps"},
    {factCallsPointer, "calls_pointer"},
    {factCallsUnknown, "calls_unknown"},
    {factWaits, "waits"},
    {factDoesIo, "does_io"},
    {factTakesLock, "takes_lock"},
    {factThreadLocal, "thread_local"},
    {factOneIntegerUpdate, "one_integer_update"},
    {factEmpty, "empty"},
}};

/// Of facts that are known; of others, none.
inline std::vector<std::string> namesOfFacts(SectionFactBits facts) {
  std::vector<std::string> names;
  for (const auto &[fact, name] : factNames)
    if ((facts & factsKnown) && (facts & fact))
      names.emplace_back(name);
  return names;
}

} // namespace qdadvise
