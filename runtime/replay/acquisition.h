// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that a thread took, and what that is to count as.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

/// Failed tries in a row of one lock, inside wrappers: waiting for it if it is taken at last and a
/// wrapper returns with it, else failures.
struct FailedTries {
  std::uint64_t address;
  std::uint64_t serial; ///< of the first attempt
  double start;         ///< of the first attempt
  double ticks;         ///< what was on the account at hand then; when done, what they added
  std::uint32_t site;
  std::uint32_t count;       ///< 0: there are none
  std::uint32_t callSite;    ///< of the wrapper that did nothing else; or none
  std::uint64_t callAddress; ///< what that was given
};

struct Acquisition {
  std::uint64_t lock;      ///< serial of HeldLock
  std::uint64_t address;   ///< what the operation at the site was given
  std::uint64_t stamp;     ///< of the event
  std::uint64_t enclosing; ///< serial of the lock in whose section it was taken; 0: none
  std::uint32_t site;
  std::uint32_t inside; ///< section
  double waitTicks;
  double localTicks; ///< of the transition that leads here
  double blockedTicks;
  std::uint64_t barriers; ///< on the way here
  bool contended;
  bool byWriter;  ///< a writer was in the way
  bool outermost; ///< nothing else was held
  bool wrapped;   ///< the site is a wrapper's
  bool again;     ///< given up in a wait: the lock has the class it had
  bool alone;     ///< the wrapper returned with this lock only
  FailedTries tries;
};

} // namespace qdadvise::runtime
