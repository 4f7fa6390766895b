// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench-accuracy: compares predictions with the virtual multicore. Simulates on all cores what its
// file of results does not have yet, predicts everything anew, and prints the errors. README.md
// says more.
#include "advisor/machine/Machine.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/SimulatedLocks.h"
#include "bench/accuracy/Comparisons.h"
#include "bench/accuracy/Tables.h"
#include "runtime/abi/lock_algorithms.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <set>

namespace {

using namespace qdadvise;
using namespace qdadvise::accuracy;

struct Arguments {
  std::string part = "develop", region = "everything", results, output;
  std::vector<std::string> machines, kinds, models{"auto"};
  std::size_t sample = 0, worst = 0, profiles = 0, assignments = 0;
  std::uint64_t visits = 2000;
  bool scoreOnly = false;
  JobOptions jobs;
};

std::vector<LockKind> kindsIn(const Arguments &arguments) {
  std::vector<LockKind> kinds;
  for (const std::string &name : arguments.kinds)
    kinds.push_back(algorithmNamed(name));
  return kinds;
}

int fail(const std::string &message) {
  const bool placed = message.find(": error: ") != std::string::npos;
  fmt::print(stderr, "{}{}\n", placed ? "" : "bench-accuracy: error: ", message);
  return 2;
}

/// Compares what `advise` reaches with the best assignments.
Expected<std::string> assignments(const std::vector<Case> &cases,
                                  const std::vector<Machine> &machines, const Arguments &arguments,
                                  Results &results) {
  std::vector<LockKind> kinds;
  std::vector<std::string> names;
  for (const LockKind kind : kindsIn(arguments))
    if (kind != LockKind::ideal) {
      kinds.push_back(kind);
      names.emplace_back(nameOf(kind));
    }
  if (kinds.empty())
    return makeError("there is nothing to choose from; name algorithms with --kind");
  const auto choices = choicesAmong(cases, machines, kinds, arguments.assignments, arguments.jobs);
  if (!choices)
    return makeError(choices.error().message);
  std::vector<Job> jobs;
  for (const Choice &choice : *choices)
    jobs.insert(jobs.end(), choice.begin(), choice.end());
  if (!arguments.scoreOnly)
    if (const auto done = simulateAll(jobs, arguments.jobs, arguments.results, results); !done)
      return makeError(done.error().message);
  const std::vector<Outcome> outcomes = outcomesOf(*choices, results);
  return fmt::format("## Assignments\n\n"
                     "Simulated throughput lost, in %, against the best that was simulated: what "
                     "`advise` picks lock by lock,\nthe {} assignments of `{}` that promise "
                     "most, and each of these at all locks.\n\n{}",
                     arguments.assignments, fmt::join(names, "`, `"), printAssignments(outcomes)) +
         (arguments.worst > 0 ? printWorst(outcomes, arguments.worst) : "");
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::tm parts;
  std::strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&now, &parts));
  return text;
}

/// What was run, for readers of the tables.
std::string heading(const Arguments &arguments, std::size_t cases, std::size_t all,
                    std::size_t simulations) {
  const auto &simulation = arguments.jobs.simulation;
  return fmt::format(
      "# Accuracy, part `{}`{}, model `{}`\n\n"
      "{} of {} cases ({}), {} simulations, {}. {}Routing matrices\n"
      "from seed {}; simulations from seed {}{}, until 95 % intervals are within {} % (waiting\n"
      "times: of them or {} holding times, whichever is more) or after {} million steps.{}\n\n",
      arguments.part,
      arguments.region == "everything" ? "" : fmt::format(", region `{}`", arguments.region),
      fmt::join(arguments.models, "`, `"), cases, all,
      cases < all ? "the first in a random order" : "all of them", simulations, today(),
      arguments.part == "meta" ? ""
                               : fmt::format("Random networks from seed {}. ",
                                             arguments.part == "develop" ? workloads::developSeed
                                                                         : workloads::scoreSeed),
      workloads::metaSeed, simulation.seed,
      arguments.jobs.replications > 1
          ? fmt::format(" to {}", simulation.seed + arguments.jobs.replications - 1)
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
  const Region &region = *std::find_if(regions().begin(), regions().end(), [&](const Region &one) {
    return nameOf(one) == arguments.region;
  });
  std::erase_if(cases, [&](const Case &one) { return !isIn(region, one); });
  const std::size_t all = cases.size();
  if (arguments.sample > 0 && arguments.sample < all)
    cases.resize(arguments.sample);
  const auto jobs = jobsOf(cases, machines, kindsIn(arguments), arguments.jobs);
  if (!arguments.scoreOnly)
    if (const auto done = simulateAll(jobs, arguments.jobs, arguments.results, results); !done)
      return fail(done.error().message);
  const auto scored = score(jobs, results, arguments.models, arguments.jobs.simulation.dataLines);
  if (!scored)
    return fail(scored.error().message);
  std::set<std::string> seen, simulations;
  for (const Scored &one : *scored) {
    seen.insert(one.which->name);
    simulations.insert(one.which->name + one.machine + one.kind);
  }
  std::string text =
      heading(arguments, seen.size(), all, simulations.size() * arguments.jobs.replications) +
      printScores(*scored);
  if (arguments.profiles > 0) {
    const auto covered = coverage(
        jobs, results, {arguments.profiles, arguments.visits, arguments.jobs.simulation.seed});
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
    kinds.emplace_back(nameOf(kind.kind));
  arguments.kinds = kinds;
  std::vector<std::string> regionsOfCases;
  for (const Region &region : regions())
    if (region.isOfCases)
      regionsOfCases.push_back(nameOf(region));
  for (const char *machine : {"two-socket-32-core", "sandy-bridge-4x8-core"})
    arguments.machines.push_back(fmt::format("{}/{}.toml", QDADVISE_MACHINES, machine));
  arguments.jobs.simulation.precision = 0.02;
  arguments.jobs.simulation.waitFloor = 0.2;
  arguments.jobs.simulation.mostSteps = 10'000'000;

  CLI::App app{"Predictions against simulations: errors of throughput, R, W and decisions"};
  app.add_option("--part", arguments.part,
                 "`score` is never developed against; `meta` is all of the meta-benchmark")
      ->check(CLI::IsMember({"develop", "score", "meta"}));
  app.add_option("--region", arguments.region, "Only cases of one of the tables' regions")
      ->check(CLI::IsMember(regionsOfCases));
  app.add_option("--sample", arguments.sample, "Only the first N cases (they are in random order)")
      ->check(CLI::PositiveNumber);
  app.add_option("--jobs", arguments.jobs.atATime, "Simulations at a time (all cores)");
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
      app.add_option("--lines", arguments.jobs.simulation.dataLines,
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
  app.add_option("--seed", arguments.jobs.simulation.seed, "Of the simulations");
  app.add_option("--replications", arguments.jobs.replications,
                 "Simulate each case so many times, with seeds from --seed on; leaves out what "
                 "differs between them too much to be known")
      ->check(CLI::Range(1, 1000));
  app.add_option("--precision", arguments.jobs.simulation.precision,
                 "Relative half-width of intervals")
      ->check(CLI::Range(1e-4, 0.5));
  app.add_option("--steps", arguments.jobs.simulation.mostSteps, "Most steps of a simulation");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(std::move(arguments));
}
