// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The static facts of critical sections, a row each: their names in files and reports, and which
// lock algorithms they are in the way of, in the words of advice and of diagnostics.
#pragma once

#include "runtime/abi/site_record.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

struct SectionFactRow {
  SectionFact fact;
  const char *name;
  bool hindersDelegating = false, hindersSpinning = false;
  const char *inAdvice = ""; ///< in front of `the sections in f() and g()`
  const char *because = "";  ///< why advice tells it
  const char *atSource = ""; ///< a diagnostic where the source shows it, after the word there
};

/// In the order in which advice tells of them.
inline constexpr SectionFactRow sectionFactTable[] = {
    {factReturns, "returns", true, false, "'return' leaves",
     "an operation hands its result back instead", " leaves it"},
    {factThrows, "throws"}, // a QD lock carries them back to the thread whose section it is
    {factJumps, "jumps", true, false, "break, continue or goto leaves", "an operation has one end",
     " leaves it"},
    {factCallsPointer, "calls_pointer"},
    {factCallsUnknown, "calls_unknown"},
    {factWaits, "waits", true, true, "a thread may sleep in", "everybody at the lock waits with it",
     "it waits here"},
    {factDoesIo, "does_io"},
    {factThreadLocal, "thread_local", true, false, "thread-local state is used in",
     "it would be the helping thread's", "this is thread-local, and would be the helping thread's"},
    {factTakesLock, "takes_lock", true, true, "another lock may be taken in",
     "everybody at the lock waits for that one",
     "it takes another lock here, which the helping thread would hold for it"},
    {factOneIntegerUpdate, "one_integer_update"},
    {factEmpty, "empty"},
};

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
