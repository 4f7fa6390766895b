// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a decision is what it is, in sentences with numbers.
#pragma once

#include "advisor/decide/Decision.h"
#include "advisor/decide/LockFacts.h"

#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

/// What is known of one lock when its decision is made.
struct ReasonInputs {
  ReasonInputs(const LockDecision &decision, const LockFacts &facts, const Machine &machine,
               int cores, const MinimumGains &minimumGains)
      : decision(decision), facts(facts), machine(machine), cores(cores),
        minimumGains(minimumGains) {}

  const LockDecision &decision;
  const LockFacts &facts;
  const Machine &machine;
  int cores;
  const MinimumGains &minimumGains;
  bool outOfRange = false; ///< today's prediction is a bound only
  double population = 1;   ///< threads in all
  double lostShare = 0;    ///< share of the threads' time lost here with today's algorithm
  double aloneSpeedup = 1; ///< of this change while every other lock stays as it is today
  /// The best algorithm that was not chosen, over today's, where it promises something.
  LockKind rival = LockKind::unknown;
  GainInterval rivalGain;
  /// What this lock could become together with other locks, named here, that stay as well, and what
  /// all of that would gain, where this lock alone would gain nothing.
  LockKind inCompany = LockKind::unknown;
  std::vector<std::string> company;
  GainInterval companyGain;
  /// The faster algorithm given up for the cheaper one advised, over that one.
  LockKind givenUp = LockKind::unknown;
  GainInterval givenUpGain;
  /// Algorithms that the code rules out, and why.
  std::vector<std::pair<const LockAlgorithm *, std::string>> refused;
};

std::vector<std::string> reasonsFor(const ReasonInputs &inputs);

/// `2.3x (2.0x to 2.6x)`.
std::string gainText(const GainInterval &gain);

} // namespace qdadvise
