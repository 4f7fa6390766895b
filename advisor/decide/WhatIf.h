// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a change to the critical sections themselves would bring, beside another lock:
// docs/advice.md says what is asked of which lock.
#pragma once

#include "advisor/decide/Decision.h"
#include "advisor/profile/Profile.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// A fix, and how much of it.
struct FixRequest {
  std::string fix;   ///< id of one of `knownFixes`
  double amount = 0; ///< a share, or a number; 0 where it has none
};

/// `shrink=PERCENT, …`: what can be asked for.
std::string knownFixes();
/// `shrink=30,split=8,atomic`, or an error that says what would be right.
Expected<std::vector<FixRequest>> parseFixes(const std::string &text);

/// One fix at one lock, and its gain.
struct WhatIf {
  FixRequest request;
  std::size_t lock = 0;
  std::optional<std::size_t> section; ///< of the network, where it is about one alone
  std::string kind;                   ///< algorithm of the lock with it, where it has to be another
  std::string condition;              ///< for people: `if it were 4 locks, …`
  GainInterval today;                 ///< over the program of today
  GainInterval advised;               ///< over the program that follows the advice
};

/// By section of the network, what a diagnosis run says of it; none: it was not traced.
using SectionMemories = std::vector<std::optional<SectionMemory>>;

struct WhatIfs {
  std::vector<WhatIf> found; ///< by lock, of each the largest gain first
  /// A diagnosis run would tell whether other fixes apply.
  bool wantsDiagnosis = false;
};

struct WhatIfOptions {
  int threads = 0;        ///< as DecisionOptions has them
  PredictOptions predict; ///< alike
  MinimumGains minimumGains = usualMinimumGains;
  /// These, at every lock, whatever they gain. Empty: the usual ones, at the locks that matter,
  /// where they are likely to be worth their work.
  std::vector<FixRequest> requests;
  /// As DecisionOptions::progress.
  std::function<void(double done, const std::string &what)> progress = {};
};

Expected<WhatIfs> whatIfs(const Network &network, const Machine &machine,
                          const Decisions &decisions, const SectionMemories &memory,
                          const WhatIfOptions &options);

} // namespace qdadvise
