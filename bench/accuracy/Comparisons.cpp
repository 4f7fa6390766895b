// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/accuracy/Comparisons.h"

#include "advisor/model/Predict.h"
#include "bench/accuracy/ShortProfiles.h"
#include "runtime/abi/lock_algorithms.h"

#include <fmt/format.h>
#include <map>
#include <set>

namespace qdadvise::accuracy {

namespace {

/// The network with the footprints of simulated sections with data: each section writes all lines
/// of its lock, which the section before it wrote.
Network withFootprints(Network network, int dataLines) {
  for (Section &section : network.sections)
    section.footprint = Footprint{{}, {{0, static_cast<double>(dataLines)}}};
  return network;
}

} // namespace

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
        TRY(scoreWith(withFootprints(job.which->network, dataLines), model,
                      model + " with footprints"));
      TRY(scoreWith(job.which->network, model, model));
    }
  }
  for (const std::string &note : notes)
    fmt::print(stderr, "not predicted: {}\n", note);
  if (scored.empty())
    return makeError("there is nothing to score; leave --score-only out");
  return scored;
}

Expected<std::string> coverage(const std::vector<Job> &jobs, const Results &results,
                               const ProfileOptions &options) {
  std::map<std::string, Coverage> byKind;
  Coverage all;
  std::size_t profiles = 0;
  // Cases take turns, so that any number of profiles covers as many cases as possible.
  for (std::uint64_t round = 0; profiles < options.profiles; ++round) {
    const std::size_t before = profiles;
    for (const Job &job : jobs) {
      const std::optional<Simulated> simulated = simulatedOf(job, results);
      if (!simulated || profiles == options.profiles)
        continue;
      const auto found = coverageOf(
          *job.which, job.kinds.front(), *job.machine, *simulated, options.visits,
          hashOf(fmt::format("{} {} {}", job.replications.front().key, round, options.seed)));
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
                                 profiles, options.visits);
  const auto row = [&](const std::string &name, const Coverage &one) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", name, one.throughput.all,
                        share(one.throughput), one.wait.all, share(one.wait));
  };
  for (const auto &[kind, one] : byKind)
    row(fmt::format("`{}`", kind), one);
  row("all", all);
  return text;
}

Expected<std::vector<Choice>> choicesAmong(const std::vector<Case> &cases,
                                           const std::vector<Machine> &machines,
                                           const std::vector<LockKind> &kinds,
                                           std::size_t promising, const JobOptions &options) {
  std::vector<Choice> groups;
  for (const Case &one : cases)
    for (const Machine &machine : machines) {
      const auto choices = choicesOf(one, machine, kinds, promising);
      if (!choices)
        return makeError(fmt::format("{}: {}", one.name, choices.error().message));
      std::vector<Assignment> all{choices->advised};
      all.insert(all.end(), choices->promising.begin(), choices->promising.end());
      for (const LockKind kind : kinds)
        all.emplace_back(one.network.locks.size(), kind);
      Choice &group = groups.emplace_back();
      for (const Assignment &each : all)
        group.push_back(jobOf(one, machine, each, options));
    }
  return groups;
}

std::vector<Outcome> outcomesOf(const std::vector<Choice> &choices, const Results &results) {
  std::vector<Outcome> outcomes;
  for (const Choice &group : choices) {
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
      if (job.kind() == nameOf(LockKind::pthreadMutex))
        outcome.keep = throughput;
      if (job.kind() == nameOf(LockKind::qd))
        outcome.qd = throughput;
    }
    if (outcome.best > 0)
      outcomes.push_back(outcome);
  }
  return outcomes;
}

} // namespace qdadvise::accuracy
