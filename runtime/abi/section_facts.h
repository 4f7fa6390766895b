// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The static facts of critical sections: what the plugin finds in the source of a section. The enum
// has a bit each, the table a row each: its name in files and reports, and which lock algorithms it
// is in the way of, in the words of advice and of diagnostics. Needs no library.
#pragma once

#include <cstdint>

namespace qdadvise {

/// What the critical section that begins at a site does, as far as the source tells.
enum SectionFact : std::uint64_t {
  factsKnown = 1u << 0,            ///< the others were decided; without it none is set
  factReturns = 1u << 1,           ///< `return` may leave it
  factThrows = 1u << 2,            ///< an exception may leave it
  factJumps = 1u << 3,             ///< break, continue or goto may leave it
  factCallsPointer = 1u << 4,      ///< calls through a pointer or a virtual function
  factCallsUnknown = 1u << 5,      ///< calls code whose body is not in sight
  factWaits = 1u << 6,             ///< waits for a condition, sleeps, joins
  factDoesIo = 1u << 7,            ///< input or output
  factTakesLock = 1u << 8,         ///< takes another lock
  factThreadLocal = 1u << 9,       ///< touches thread-local state
  factOneIntegerUpdate = 1u << 10, ///< is one update of one integer: an atomic would do
  factEmpty = 1u << 11,            ///< does nothing
  factBarrier = 1u << 12,          ///< waits for others, or wakes all who wait: it is a barrier's
};
using SectionFactBits = std::uint64_t; ///< of SectionFact

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
    {factBarrier, "barrier"},
};

} // namespace qdadvise
