// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `advice.toml`: one entry per lock site, as `advise` writes it and the plugin reads it.
#pragma once

#include "advisor/advice/Advice.h"
#include "advisor/support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// What all changes together gain, 95 % interval.
struct AdvisedGain {
  double speedup = 1, low = 1, high = 1;
};

struct AdviceFile {
  std::string program, machine, date;
  std::string machineSource; ///< measured, published or assumed
  int threads = 0, cores = 0;
  /// What all changes gain in throughput, and in the time of the whole run; none where nothing
  /// changes, or nobody knows.
  std::optional<AdvisedGain> together = {}, wholeRun = {};
  std::vector<Advice> advice;
};

/// `name` is the file as shown in errors, `file:line:column: error: …`.
Expected<AdviceFile> parseAdvice(const std::string &toml, const std::string &name);
Expected<AdviceFile> readAdvice(const std::string &path);
std::string printAdvice(const AdviceFile &file);

/// What `apply` made of `old` advice stays where `fresh` advises the same for the same lock at the
/// same place. The section there is the same, too.
void keepApplied(AdviceFile &fresh, const AdviceFile &old);

} // namespace qdadvise
