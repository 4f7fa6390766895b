// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulations that are to be done, or that the file of results has.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/sim/Simulate.h"
#include "advisor/support/Error.h"
#include "bench/accuracy/Assignments.h"
#include "bench/accuracy/Cases.h"
#include "bench/accuracy/Results.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise::accuracy {

/// One simulation, and its replications.
struct Job {
  const Case *which;
  const Machine *machine;
  Assignment kinds;
  struct Replication {
    std::uint64_t seed, key;
  };
  std::vector<Replication> replications;

  std::string kind() const { return labelOf(kinds); }
};

struct JobOptions {
  sim::SimulateOptions simulation;
  std::uint64_t replications = 1;
  unsigned atATime = 0; ///< 0 stands for as many as there are cores
};

/// `which` and `machine` must live as long as the job.
Job jobOf(const Case &which, const Machine &machine, const Assignment &kinds,
          const JobOptions &options);
/// The jobs with each algorithm at all locks.
std::vector<Job> jobsOf(const std::vector<Case> &cases, const std::vector<Machine> &machines,
                        const std::vector<LockKind> &kinds, const JobOptions &options);

/// The simulated figures; absent unless all replications are there.
std::optional<Simulated> simulatedOf(const Job &job, const Results &results);

/// Simulates the jobs that `results`, the file at `path`, does not have. The first error ends it.
Expected<bool> simulateAll(const std::vector<Job> &jobs, const JobOptions &options,
                           const std::string &path, Results &results);

} // namespace qdadvise::accuracy
