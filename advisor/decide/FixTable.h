// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of fixes: to which locks each of them applies, and what it makes of the network.
#pragma once

#include "advisor/decide/LockFacts.h"
#include "advisor/decide/Search.h"
#include "advisor/decide/WhatIf.h"

#include <functional>
#include <string>
#include <vector>

namespace qdadvise {

/// A fix at a lock that it applies to.
struct FixCandidate {
  WhatIf whatIf;
  /// The change to the network, with these algorithms at all locks. Empty where some executions
  /// would be repeated without end.
  std::function<NetworkChange(const Assignment &)> change;
};

/// What fixes are judged by.
struct FixContext {
  const Network &network;
  const Machine &machine;
  const SectionMemories &memory;
  std::vector<LockFacts> facts;
  std::vector<double> visits; ///< by section: its share of the visits to its lock
  double population = 1;      ///< threads in all
  WhatIfOptions options;

  /// The network's sections that take a lock.
  std::vector<std::size_t> sectionsOf(std::size_t lock) const;
  /// What a memory trace says of a section; null where it was not traced.
  const SectionMemory *memoryOf(std::size_t section) const;
};

/// A row of the table. A further fix is one row and its function `at`.
struct Fix {
  const char *id, *argument;
  std::vector<double> usual; ///< amounts that are tried where none is asked for
  double least, most;        ///< amounts, as the user gives them
  double unit;               ///< amount = unit * what the user gives
  bool needsTrace;           ///< a memory trace tells, mostly, whether it applies
  std::vector<FixCandidate> (*at)(const FixContext &context, std::size_t lock, double amount);
};

const std::vector<Fix> &fixes();
const Fix *findFix(const std::string &id);

} // namespace qdadvise
