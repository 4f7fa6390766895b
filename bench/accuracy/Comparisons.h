// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares predictions, intervals and advice with simulations.
#pragma once

#include "bench/accuracy/Jobs.h"
#include "bench/accuracy/Scores.h"

#include <string>
#include <vector>

namespace qdadvise::accuracy {

/// Predictions with the simulated figures. Jobs without results are left out. Sections with data
/// are predicted once with their footprints and once without.
Expected<std::vector<Scored>> score(const std::vector<Job> &jobs, const Results &results,
                                    const std::vector<std::string> &models, int dataLines);

/// How many short profiles to draw, and the number of visits of each.
struct ProfileOptions {
  std::size_t profiles = 0;
  std::uint64_t visits = 2000;
  std::uint64_t seed = 0;
};
/// A table of how many intervals from short profiles contain the simulated figure, by algorithm.
Expected<std::string> coverage(const std::vector<Job> &jobs, const Results &results,
                               const ProfileOptions &options);

/// The jobs of one case on one machine: the advised assignment, the most promising ones, and each
/// algorithm everywhere.
using Choice = std::vector<Job>;
/// Choices by case and machine, each with `promising` of the most promising assignments.
Expected<std::vector<Choice>> choicesAmong(const std::vector<Case> &cases,
                                           const std::vector<Machine> &machines,
                                           const std::vector<LockKind> &kinds,
                                           std::size_t promising, const JobOptions &options);
/// How much of the best simulated throughput `advise` reaches, for the choices that have all of
/// their results.
std::vector<Outcome> outcomesOf(const std::vector<Choice> &choices, const Results &results);

} // namespace qdadvise::accuracy
