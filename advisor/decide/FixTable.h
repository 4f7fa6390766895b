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
  /// With these algorithms at all locks; none: there is no end to what it has to do.
  std::function<NetworkChange(const Assignment &)> change;
};

/// What is known when fixes are looked for.
struct FixContext {
  const Network &network;
  const Machine &machine;
  const SectionMemories &memory;
  std::vector<LockFacts> facts;
  std::vector<double> visits; ///< by section: share of the visits to its lock
  double population = 1;      ///< threads in all
  WhatIfOptions options;

  /// Of the network, that take a lock.
  std::vector<std::size_t> sectionsOf(std::size_t lock) const;
  /// What a diagnosis run says of a section, if it does.
  const SectionMemory *memoryOf(std::size_t section) const;
};

/// A row of the table.
struct Fix {
  const char *id, *argument;
  std::vector<double> usual; ///< amounts
  double least, most;        ///< amounts, as the user gives them
  double unit;               ///< times these are the amount
  bool needsDiagnosis;       ///< to know whether it applies, or mostly
  std::vector<FixCandidate> (*at)(const FixContext &context, std::size_t lock, double amount);
};

const std::vector<Fix> &fixes();
const Fix *findFix(const std::string &id);

} // namespace qdadvise
