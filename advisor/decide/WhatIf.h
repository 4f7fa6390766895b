// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts what changes to the critical sections would gain, instead of or besides another lock.
// docs/reference/advice.md says which changes are tried at which locks.
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
  /// The algorithm that the lock has to be with it; unknown: any.
  LockKind kind = LockKind::unknown;
  std::string condition; ///< for people: `if it were 4 locks, …`
  GainInterval today;    ///< over the program of today
  GainInterval advised;  ///< over the program that follows the advice
};

/// By section of the network: what a memory trace says of it; none where it was not traced.
using SectionMemories = std::vector<std::optional<SectionMemory>>;

struct WhatIfs {
  std::vector<WhatIf> found; ///< by lock; those of one lock the largest gain first
  bool wantsTrace = false;   ///< a memory trace would tell whether other fixes apply
};

struct WhatIfOptions {
  int threads = 0;        ///< as DecisionOptions has them
  PredictOptions predict; ///< alike
  MinimumGains minimumGains = usualMinimumGains;
  /// The fixes to try at every lock, whatever they gain. Empty: the usual ones, at locks where
  /// threads lose time, if they are likely to be worth the work.
  std::vector<FixRequest> requests;
  /// As DecisionOptions::progress.
  std::function<void(double done, const std::string &what)> progress = {};
};

Expected<WhatIfs> whatIfs(const Network &network, const Machine &machine,
                          const Decisions &decisions, const SectionMemories &memory,
                          const WhatIfOptions &options);

} // namespace qdadvise
