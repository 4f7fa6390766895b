// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a critical section does, and where the source shows it.
#pragma once

#include "plugin/sections/InnerLocks.h"
#include "plugin/sections/UnseenCalls.h"
#include "runtime/abi/site_record.h"

#include "clang/Basic/SourceLocation.h"

#include <vector>

namespace qdadvise {

/// A fact about a critical section and where the source first shows it.
struct ShownFact {
  SectionFact fact;
  clang::SourceLocation location;
  const char *what; ///< the word there: `'return'`; or ""
};

struct SectionFacts {
  SectionFactBits bits = 0;     ///< 0, not even factsKnown: the section's extent is not known
  std::vector<ShownFact> shown; ///< in source order, each fact at most once
  UnseenCalls unseen;           ///< what factCallsUnknown is about
  InnerLocks inner;             ///< what factTakesLock is about
  bool staysHeld = false;       ///< the lock may be held yet when the function has ended
};

} // namespace qdadvise
