// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predictions, intervals and advice beside what was simulated.
#pragma once

#include "bench/accuracy/Jobs.h"
#include "bench/accuracy/Scores.h"

#include <string>
#include <vector>

namespace qdadvise::accuracy {

/// Predictions beside what was simulated; jobs without results are left out. Of sections with
/// data, once with their footprints and once without.
Expected<std::vector<Scored>> score(const std::vector<Job> &jobs, const Results &results,
                                    const std::vector<std::string> &models, int dataLines);

/// So many short profiles to draw, of so many visits.
struct ProfileOptions {
  std::size_t profiles = 0;
  std::uint64_t visits = 2000;
  std::uint64_t seed = 0;
};
/// How many intervals from short profiles contain what was simulated, by algorithm: a table.
Expected<std::string> coverage(const std::vector<Job> &jobs, const Results &results,
                               const ProfileOptions &options);

/// The jobs of one case on one machine: what is advised, what promises most, and each algorithm
/// everywhere.
using Choice = std::vector<Job>;
/// By case and machine; `promising` of those that promise most.
Expected<std::vector<Choice>> choicesAmong(const std::vector<Case> &cases,
                                           const std::vector<Machine> &machines,
                                           const std::vector<std::string> &kinds,
                                           std::size_t promising, const JobOptions &options);
/// What `advise` reaches of the best that was simulated, lock by lock: those choices that have all
/// of their results.
std::vector<Outcome> outcomesOf(const std::vector<Choice> &choices, const Results &results);

} // namespace qdadvise::accuracy
