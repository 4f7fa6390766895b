// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far several recorded runs agree on a change. A verdict that half of them contradict is noise.
#pragma once

#include "advisor/decide/Search.h"
#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"

#include <string>
#include <vector>

namespace qdadvise {

struct DecisionOptions;

/// How many of the recorded runs, each taken by itself, support the change of one lock.
struct Agreement {
  std::size_t runs = 0;  ///< that know the lock; 0 if no change was found or there is one run only
  std::size_t agree = 0; ///< in which it promises as much as a change has to
  LockKind change = LockKind::unknown;
  /// It promises that no longer where times that are too short to measure are others.
  bool restsOnShortTimes = false;

  bool isContradicted() const { return restsOnShortTimes || (runs > 1 && 2 * agree <= runs); }
};

/// There is one for each lock. Each change is weighed while the other locks have the algorithms
/// that were found for them.
std::vector<Agreement> agreementsOn(const Network &network, const SearchProblem &problem,
                                    const SearchResult &found, const Machine &machine,
                                    const DecisionOptions &options);

/// For people: which share of the runs supports the verdict.
std::string agreementText(const Agreement &agreement);

} // namespace qdadvise
