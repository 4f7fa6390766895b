// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench-accuracy: predictions against the virtual multicore. Simulates what its file of
// results does not have yet, on all cores, then predicts everything anew and prints how
// far off that is. README.md says more.
#include "advisor/sim/Simulate.h"
#include "advisor/sim/SimulatedLocks.h"
#include "bench/accuracy/Assignments.h"
#include "bench/accuracy/Cases.h"
#include "bench/accuracy/Progress.h"
#include "bench/accuracy/Replications.h"
#include "bench/accuracy/Results.h"
#include "bench/accuracy/Scores.h"
#include "bench/accuracy/ShortProfiles.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <set>
#include <thread>

namespace {

using namespace qdadvise;
using namespace qdadvise::accuracy;

struct Arguments {
  std::string part = "develop", results, output;
  std::vector<std::string> machines, kinds, models{"auto"};
  std::size_t sample = 0, worst = 0, profiles = 0, assignments = 0;
  std::uint64_t visits = 2000;
  std::uint64_t replications = 1;
  unsigned jobs = 0;
  bool scoreOnly = false;
  sim::SimulateOptions simulation;
};

int fail(const std::string &message) {
  const bool placed = message.find(": error: ") != std::string::npos;
  fmt::print(stderr, "{}{}\n", placed ? "" : "bench-accuracy: error: ", message);
  return 2;
}

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

/// A hash of everything that the figures depend on; of the simulator and the locks, of their
/// sources.
std::uint64_t keyOf(const std::string &network, int threads, const std::string &machine,
                    const std::string &kind, std::uint64_t seed,
                    const sim::SimulateOptions &options) {
  return hashOf(fmt::format("{}\n{}\n{}\n{}\n{}\n{} {} {} {} {}", QDADVISE_SIMULATOR, network,
                            threads, machine, kind, seed, options.precision, options.waitFloor,
                            options.mostSteps, options.dataLines));
}

/// Without what is only for models.
std::string printCosts(Machine machine) {
  for (auto &[kind, costs] : machine.kinds) {
    costs.curves.clear();
    std::erase_if(costs.figures, [](const auto &one) { return one.first != "lock_overhead_ns"; });
  }
  std::string printed = printMachine(machine);
  return printed.erase(0, printed.find("[machine]")); // what it says to people
}

Job jobOf(const Case &which, const Machine &machine, const Assignment &kinds,
          const Arguments &arguments) {
  const std::string kind = labelOf(kinds);
  // The ideal lock knows no machine: one simulation is for all of them.
  const std::string printed = kind == "ideal" ? "" : printCosts(machine);
  const std::string network = printNetwork(which.network);
  Job job{&which, &machine, kinds, {}};
  for (std::uint64_t i = 0; i < arguments.replications; ++i) {
    const std::uint64_t seed = arguments.simulation.seed + i;
    job.replications.push_back(
        {seed, keyOf(network, which.threads, printed, kind, seed, arguments.simulation)});
  }
  return job;
}

/// None unless all replications are there.
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

/// Each algorithm at all locks.
std::vector<Job> jobsOf(const std::vector<Case> &cases, const std::vector<Machine> &machines,
                        const std::vector<std::string> &kinds, const Arguments &arguments) {
  std::vector<Job> jobs;
  for (const Case &one : cases)
    for (const Machine &machine : machines)
      for (const std::string &kind : kinds)
        jobs.push_back(jobOf(one, machine, Assignment(one.network.locks.size(), kind), arguments));
  return jobs;
}

Estimate estimate(const sim::Interval &interval) {
  return {(interval.low + interval.high) / 2, (interval.high - interval.low) / 2};
}

Expected<Simulated> simulateOne(const Job &job, std::uint64_t seed, sim::SimulateOptions options) {
  // Not the same random numbers for every case.
  options.seed = seed + hashOf(job.which->name);
  const auto simulation =
      sim::simulate(job.which->network, job.kinds, *job.machine, job.which->threads, options);
  if (!simulation)
    return Unexpected(simulation.error());
  Simulated simulated{estimate(simulation->throughputPerS), {}};
  for (std::size_t i = 0; i < simulation->locks.size(); ++i)
    simulated.locks.push_back(
        {estimate(simulation->locks[i].waitNs), simulation->figures.locks[i].residenceNs});
  return simulated;
}

/// Simulates what is missing. The first error ends it.
Expected<bool> simulateAll(const std::vector<Job> &jobs, const Arguments &arguments,
                           Results &results) {
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
      const auto simulated = simulateOne(job, seed, arguments.simulation);
      const std::string name =
          fmt::format("{} {} {}", job.which->name, job.machine->name, job.kind());
      std::string fault;
      if (!simulated)
        fault = fmt::format("{}: {}", name, simulated.error().message);
      else if (!results.add(key, name, *simulated))
        fault = fmt::format("cannot write '{}'; is there room?", arguments.results);
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
      arguments.jobs > 0 ? arguments.jobs : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < jobCount; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  if (!error.empty())
    return makeError(error);
  return true;
}

/// What simulated sections with data do, as a diagnosis run would have it: each writes all of its
/// lock's lines, which the one before wrote.
Network withFootprints(Network network, int dataLines) {
  for (Section &section : network.sections)
    section.footprint = Footprint{{}, {{0, static_cast<double>(dataLines)}}};
  return network;
}

/// Predictions beside what was simulated; jobs without results are left out. Of sections with
/// data, once with their footprints and once without.
Expected<std::vector<Scored>> score(const std::vector<Job> &jobs, const Results &results,
                                    const std::vector<std::string> &models, int dataLines) {
  std::vector<Scored> scored;
  std::set<std::string> notes;
  for (const Job &job : jobs) {
    const std::optional<Simulated> simulated = simulatedOf(job, results);
    if (!simulated)
      continue;
    const auto scoreWith = [&](const Network &network, const std::string &model,
                               const std::string &label) -> std::optional<Error> {
      auto predicted = predict(network, job.kinds, *job.machine, job.which->threads, {0, model});
      if (!predicted) {
        notes.insert(
            fmt::format("{} on {}: {}", job.kind(), job.machine->name, predicted.error().message));
        return std::nullopt;
      }
      if (predicted->locks.size() != simulated->locks.size())
        return Error{fmt::format("{}: the results have another number of locks; begin a new file",
                                 job.which->name)};
      scored.push_back({job.which, job.machine->name, job.kind(), label, job.machine->cores,
                        std::move(*predicted), *simulated});
      return std::nullopt;
    };
    for (const std::string &model : models) {
      if (dataLines > 0)
        if (const auto error = scoreWith(withFootprints(job.which->network, dataLines), model,
                                         model + " with footprints"))
          return tl::unexpected(*error);
      if (const auto error = scoreWith(job.which->network, model, model))
        return tl::unexpected(*error);
    }
  }
  for (const std::string &note : notes)
    fmt::print(stderr, "not predicted: {}\n", note);
  if (scored.empty())
    return makeError("there is nothing to score; leave --score-only out");
  return scored;
}

/// How many intervals from short profiles contain what was simulated, by algorithm.
Expected<std::string> coverage(const std::vector<Job> &jobs, const Results &results,
                               const Arguments &arguments) {
  std::map<std::string, Coverage> byKind;
  Coverage all;
  std::size_t profiles = 0;
  // In turns, so that any number of profiles is of as many cases as can be.
  for (std::uint64_t round = 0; profiles < arguments.profiles; ++round) {
    const std::size_t before = profiles;
    for (const Job &job : jobs) {
      const std::optional<Simulated> simulated = simulatedOf(job, results);
      if (!simulated || !findLockAlgorithm(job.kind()) || profiles == arguments.profiles)
        continue;
      const auto found =
          coverageOf(*job.which, job.kind(), *job.machine, *simulated, arguments.visits,
                     hashOf(fmt::format("{} {} {}", job.replications.front().key, round,
                                        arguments.simulation.seed)));
      if (!found)
        return makeError(fmt::format("{}: {}", job.which->name, found.error().message));
      ++profiles;
      byKind[job.kind()].add(*found);
      all.add(*found);
    }
    if (profiles == before)
      return makeError("there is nothing to draw profiles of; leave --score-only out");
  }
  const auto share = [](const Covered &covered) {
    return covered.all == 0 ? std::string("-")
                            : fmt::format("{:.1f}", 100.0 * static_cast<double>(covered.in) /
                                                        static_cast<double>(covered.all));
  };
  std::string text = fmt::format("## Intervals\n\n95 % intervals from {} short profiles of {} "
                                 "visits that contain what was simulated, in %.\n\n"
                                 "| algorithm | profiles | X | locks | W |\n"
                                 "| --- | --- | --- | --- | --- |\n",
                                 profiles, arguments.visits);
  const auto row = [&](const std::string &name, const Coverage &one) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", name, one.throughput.all,
                        share(one.throughput), one.wait.all, share(one.wait));
  };
  for (const auto &[kind, one] : byKind)
    row(fmt::format("`{}`", kind), one);
  row("all", all);
  return text;
}

/// What `advise` reaches of the best that can be done, lock by lock.
Expected<std::string> assignments(const std::vector<Case> &cases,
                                  const std::vector<Machine> &machines, const Arguments &arguments,
                                  Results &results) {
  std::vector<std::string> kinds;
  for (const std::string &kind : arguments.kinds)
    if (kind != "ideal" && findLockAlgorithm(kind))
      kinds.push_back(kind);
  if (kinds.empty())
    return makeError("there is nothing to choose from; name algorithms with --kind");
  // By case and machine: what is advised, what promises most, and each algorithm everywhere.
  std::vector<std::vector<Job>> groups;
  std::vector<Job> jobs;
  for (const Case &one : cases)
    for (const Machine &machine : machines) {
      const auto choices = choicesOf(one, machine, kinds, arguments.assignments);
      if (!choices)
        return makeError(fmt::format("{}: {}", one.name, choices.error().message));
      std::vector<Assignment> all{choices->advised};
      all.insert(all.end(), choices->promising.begin(), choices->promising.end());
      for (const std::string &kind : kinds)
        all.emplace_back(one.network.locks.size(), kind);
      std::vector<Job> &group = groups.emplace_back();
      for (const Assignment &each : all)
        group.push_back(jobOf(one, machine, each, arguments));
      jobs.insert(jobs.end(), group.begin(), group.end());
    }
  if (!arguments.scoreOnly)
    if (const auto done = simulateAll(jobs, arguments, results); !done)
      return makeError(done.error().message);
  std::vector<Outcome> outcomes;
  for (const std::vector<Job> &group : groups) {
    Outcome outcome;
    outcome.name = fmt::format("{}, {}", group[0].which->name, group[0].machine->name);
    outcome.picked = group[0].kind();
    for (const Job &job : group) {
      const std::optional<Simulated> simulated = simulatedOf(job, results);
      if (!simulated) {
        outcome.best = 0;
        break;
      }
      const double throughput = simulated->throughputPerS.value;
      if (throughput > outcome.best) {
        outcome.best = throughput;
        outcome.bestKinds = job.kind();
      }
      if (&job == &group[0])
        outcome.advised = throughput;
      if (&job == &group[1])
        outcome.promising = throughput;
      if (job.kind() == "pthread_mutex")
        outcome.keep = throughput;
      if (job.kind() == "qd")
        outcome.qd = throughput;
    }
    if (outcome.best > 0)
      outcomes.push_back(outcome);
  }
  return fmt::format("## Assignments\n\n"
                     "Simulated throughput lost, in %, against the best that was simulated: what "
                     "`advise` picks lock by lock,\nthe {} assignments of `{}` that promise "
                     "most, and each of these at all locks.\n\n{}",
                     arguments.assignments, fmt::join(kinds, "`, `"), printAssignments(outcomes)) +
         (arguments.worst > 0 ? printWorst(outcomes, arguments.worst) : "");
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::tm parts;
  std::strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&now, &parts));
  return text;
}

/// What was run, for who reads the tables later.
std::string heading(const Arguments &arguments, std::size_t cases, std::size_t all,
                    std::size_t simulations) {
  const auto &simulation = arguments.simulation;
  return fmt::format(
      "# Accuracy, part `{}`, model `{}`\n\n"
      "{} of {} cases ({}), {} simulations, {}. {}Routing matrices\n"
      "from seed {}; simulations from seed {}{}, until 95 % intervals are within {} % (waiting\n"
      "times: of them or {} holding times, whichever is more) or after {} million steps.{}\n\n",
      arguments.part, fmt::join(arguments.models, "`, `"), cases, all,
      cases < all ? "the first in a random order" : "all of them", simulations, today(),
      arguments.part == "meta" ? ""
                               : fmt::format("Random networks from seed {}. ",
                                             arguments.part == "develop" ? workloads::developSeed
                                                                         : workloads::scoreSeed),
      workloads::metaSeed, simulation.seed,
      arguments.replications > 1
          ? fmt::format(" to {}", simulation.seed + arguments.replications - 1)
          : "",
      100 * simulation.precision, simulation.waitFloor,
      static_cast<double>(simulation.mostSteps) / 1e6,
      simulation.dataLines > 0
          ? fmt::format(" Every section writes {} cache lines of its lock's data.",
                        simulation.dataLines)
          : "");
}

int run(Arguments arguments) {
  std::vector<Machine> machines;
  for (const std::string &path : arguments.machines) {
    auto machine = readMachine(path);
    if (!machine)
      return fail(machine.error().message);
    machines.push_back(std::move(*machine));
  }
  if (arguments.results.empty())
    arguments.results = "accuracy-" + arguments.part + ".tsv";
  Results results;
  if (const auto opened = results.open(arguments.results, !arguments.scoreOnly); !opened)
    return fail(opened.error().message);

  auto cases = arguments.part == "meta"
                   ? metaCases()
                   : casesOf(arguments.part == "develop" ? Part::develop : Part::score);
  const std::size_t all = cases.size();
  if (arguments.sample > 0 && arguments.sample < all)
    cases.resize(arguments.sample);
  const auto jobs = jobsOf(cases, machines, arguments.kinds, arguments);
  if (!arguments.scoreOnly)
    if (const auto done = simulateAll(jobs, arguments, results); !done)
      return fail(done.error().message);
  const auto scored = score(jobs, results, arguments.models, arguments.simulation.dataLines);
  if (!scored)
    return fail(scored.error().message);
  std::set<std::string> seen, simulations;
  for (const Scored &one : *scored) {
    seen.insert(one.which->name);
    simulations.insert(one.which->name + one.machine + one.kind);
  }
  std::string text =
      heading(arguments, seen.size(), all, simulations.size() * arguments.replications) +
      printScores(*scored);
  if (arguments.profiles > 0) {
    const auto covered = coverage(jobs, results, arguments);
    if (!covered)
      return fail(covered.error().message);
    text += "\n" + *covered;
  }
  if (arguments.assignments > 0) {
    const auto table = assignments(cases, machines, arguments, results);
    if (!table)
      return fail(table.error().message);
    text += "\n" + *table;
  }
  if (arguments.worst > 0)
    text += printWorst(*scored, arguments.worst);
  fmt::print("{}", text);
  if (!arguments.output.empty()) {
    std::ofstream file(arguments.output);
    file << text;
    file.close();
    if (!file)
      return fail(fmt::format("cannot write '{}'; is its folder there?", arguments.output));
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  std::vector<std::string> kinds;
  for (const sim::SimulatedKind &kind : sim::simulatedKinds())
    kinds.push_back(kind.name);
  arguments.kinds = kinds;
  for (const char *machine : {"two-socket-32-core", "sandy-bridge-4x8-core"})
    arguments.machines.push_back(fmt::format("{}/{}.toml", QDADVISE_MACHINES, machine));
  arguments.simulation.precision = 0.02;
  arguments.simulation.waitFloor = 0.2;
  arguments.simulation.mostSteps = 10'000'000;

  CLI::App app{"Predictions against simulations: errors of throughput, R, W and decisions"};
  app.add_option("--part", arguments.part,
                 "`score` is never developed against; `meta` is all of the meta-benchmark")
      ->check(CLI::IsMember({"develop", "score", "meta"}));
  app.add_option("--sample", arguments.sample, "Only the first N cases (they are in random order)")
      ->check(CLI::PositiveNumber);
  app.add_option("--jobs", arguments.jobs, "Simulations at a time (all cores)");
  app.add_option("--results", arguments.results,
                 "Simulated figures, kept and added to "
                 "(accuracy-PART.tsv)");
  app.add_option("--machine", arguments.machines, "Machine descriptions");
  app.add_option("--kind", arguments.kinds, "Lock algorithms (every one)")
      ->delimiter(',')
      ->check(CLI::IsMember(kinds));
  app.add_option("--model", arguments.models, "Models to predict with, beside each other (auto)")
      ->delimiter(',');
  app.add_flag("--score-only", arguments.scoreOnly, "Score what is there, simulate nothing");
  app.add_option("--write", arguments.output, "Also write the tables to a file");
  app.add_option("--worst", arguments.worst, "Also name the worst N cases");
  CLI::Option *lines =
      app.add_option("--lines", arguments.simulation.dataLines,
                     "Cache lines of a lock's data that each section writes; predicted from "
                     "footprints that say so, and without")
          ->check(CLI::PositiveNumber);
  app.add_option("--profiles", arguments.profiles,
                 "Draw N short profiles of the cases, and score their 95 % intervals")
      ->excludes(lines);
  app.add_option("--assignments", arguments.assignments,
                 "Compare what advise picks with the N assignments that promise most")
      ->excludes(lines);
  app.add_option("--visits", arguments.visits, "Visits to sections in a short profile")
      ->check(CLI::Range(std::uint64_t{10}, std::uint64_t{100'000'000}));
  app.add_option("--seed", arguments.simulation.seed, "Of the simulations");
  app.add_option("--replications", arguments.replications,
                 "Simulate each case so many times, with seeds from --seed on; leaves out what "
                 "differs between them too much to be known")
      ->check(CLI::Range(1, 1000));
  app.add_option("--precision", arguments.simulation.precision, "Relative half-width of intervals")
      ->check(CLI::Range(1e-4, 0.5));
  app.add_option("--steps", arguments.simulation.mostSteps, "Most steps of a simulation");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(std::move(arguments));
}
