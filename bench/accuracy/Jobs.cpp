// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/accuracy/Jobs.h"

#include "advisor/machine/MachineToml.h"
#include "advisor/network/NetworkWriter.h"
#include "bench/accuracy/Progress.h"
#include "bench/accuracy/Replications.h"
#include "bench/accuracy/ShortProfiles.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <set>
#include <thread>

namespace qdadvise::accuracy {

namespace {

/// A hash of everything that the figures depend on, with the sources of the simulator and the
/// locks.
std::uint64_t keyOf(const std::string &network, int threads, const std::string &machine,
                    const std::string &kind, std::uint64_t seed,
                    const sim::SimulateOptions &options) {
  return hashOf(fmt::format("{}\n{}\n{}\n{}\n{}\n{} {} {} {} {}", QDADVISE_SIMULATOR, network,
                            threads, machine, kind, seed, options.precision, options.waitFloor,
                            options.mostSteps, options.dataLines));
}

/// The network without what only models use.
std::string printCosts(Machine machine) {
  for (auto &[kind, costs] : machine.kinds) {
    costs.curves.clear();
    std::erase_if(costs.figures, [](const auto &one) { return one.first != "lock_overhead_ns"; });
  }
  std::string printed = printMachine(machine);
  return printed.erase(0, printed.find("[machine]")); // what it says to people
}

Estimate estimate(const sim::Interval &interval) {
  return {(interval.low + interval.high) / 2, (interval.high - interval.low) / 2};
}

Expected<Simulated> simulateOne(const Job &job, std::uint64_t seed, sim::SimulateOptions options) {
  // Every case has other random numbers.
  options.seed = seed + hashOf(job.which->name);
  const auto simulation =
      TRY(sim::simulate(job.which->network, job.kinds, *job.machine, job.which->threads, options));
  Simulated simulated{estimate(simulation.throughputPerS), {}};
  for (std::size_t i = 0; i < simulation.locks.size(); ++i)
    simulated.locks.push_back(
        {estimate(simulation.locks[i].waitNs), simulation.figures.locks[i].residenceNs});
  return simulated;
}

} // namespace

Job jobOf(const Case &which, const Machine &machine, const Assignment &kinds,
          const JobOptions &options) {
  const std::string kind = labelOf(kinds);
  // The ideal lock does not depend on the machine: one simulation is enough for all machines.
  const std::string printed =
      kinds == Assignment(kinds.size(), LockKind::ideal) ? "" : printCosts(machine);
  const std::string network = printNetwork(which.network);
  Job job{&which, &machine, kinds, {}};
  for (std::uint64_t i = 0; i < options.replications; ++i) {
    const std::uint64_t seed = options.simulation.seed + i;
    job.replications.push_back(
        {seed, keyOf(network, which.threads, printed, kind, seed, options.simulation)});
  }
  return job;
}

std::vector<Job> jobsOf(const std::vector<Case> &cases, const std::vector<Machine> &machines,
                        const std::vector<LockKind> &kinds, const JobOptions &options) {
  std::vector<Job> jobs;
  for (const Case &one : cases)
    for (const Machine &machine : machines)
      for (const LockKind kind : kinds)
        jobs.push_back(jobOf(one, machine, Assignment(one.network.locks.size(), kind), options));
  return jobs;
}

std::optional<Simulated> simulatedOf(const Job &job, const Results &results) {
  std::vector<Simulated> all;
  for (const Job::Replication &one : job.replications) {
    const Simulated *simulated = results.find(one.key);
    if (!simulated)
      return std::nullopt;
    all.push_back(*simulated);
  }
  for (const Simulated &one : all)
    if (one.locks.size() != all.front().locks.size())
      return std::nullopt;
  return combine(all);
}

Expected<bool> simulateAll(const std::vector<Job> &jobs, const JobOptions &options,
                           const std::string &path, Results &results) {
  std::vector<std::pair<const Job *, Job::Replication>> missing;
  std::set<std::uint64_t> keys;
  for (const Job &job : jobs)
    for (const Job::Replication &one : job.replications)
      if (keys.insert(one.key).second && !results.find(one.key))
        missing.emplace_back(&job, one);
  fmt::print(stderr, "{} simulations, {} of them to do\n", keys.size(), missing.size());
  Progress progress(missing.size());
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::string error;
  const auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < missing.size();) {
      const Job &job = *missing[i].first;
      const auto [seed, key] = missing[i].second;
      const auto simulated = simulateOne(job, seed, options.simulation);
      const std::string name =
          fmt::format("{} {} {}", job.which->name, job.machine->name, job.kind());
      std::string fault;
      if (!simulated)
        fault = fmt::format("{}: {}", name, simulated.error().message);
      else if (!results.add(key, name, *simulated))
        fault = fmt::format("cannot write '{}'; is there room?", path);
      if (!fault.empty()) {
        const std::lock_guard lock(mutex);
        error = fault;
        next = missing.size();
        return;
      }
      progress.step();
    }
  };
  std::vector<std::thread> threads;
  const unsigned jobCount =
      options.atATime > 0 ? options.atATime : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < jobCount; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  if (!error.empty())
    return makeError(error);
  return true;
}

} // namespace qdadvise::accuracy
