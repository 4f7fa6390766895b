// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/accuracy/Assignments.h"

#include "advisor/decide/Decision.h"
#include "advisor/model/Predict.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace qdadvise::accuracy {

namespace {

constexpr std::size_t mostAssignments = 4096;

/// All assignments, up to the limit: further locks have the first algorithm.
std::vector<Assignment> assignmentsOf(std::size_t locks, const std::vector<LockKind> &kinds) {
  std::vector<Assignment> all{Assignment(locks, kinds.front())};
  for (std::size_t lock = 0; lock < locks && all.size() * kinds.size() <= mostAssignments; ++lock)
    for (std::size_t i = 0, before = all.size(); i < before; ++i)
      for (std::size_t kind = 1; kind < kinds.size(); ++kind) {
        Assignment changed = all[i];
        changed[lock] = kinds[kind];
        all.push_back(std::move(changed));
      }
  return all;
}

/// A rule, and the throughput that it reaches.
struct Rule {
  const char *name;
  double Outcome::*throughput;
};
constexpr Rule rules[] = {{"`advise`", &Outcome::advised},
                          {"the highest prediction, likely or not", &Outcome::promising},
                          {"keep everything (`pthread_mutex`)", &Outcome::keep},
                          {"`qd` everywhere", &Outcome::qd}};

} // namespace

std::vector<std::string> namesOf(const Assignment &assignment) {
  std::vector<std::string> names;
  for (const LockKind kind : assignment)
    names.emplace_back(nameOf(kind));
  return names;
}

std::string labelOf(const Assignment &assignment) {
  const bool same = std::adjacent_find(assignment.begin(), assignment.end(),
                                       std::not_equal_to<>()) == assignment.end();
  return same ? nameOf(assignment.front()) : fmt::format("{}", fmt::join(namesOf(assignment), "+"));
}

Expected<Choices> choicesOf(const Case &which, const Machine &machine,
                            const std::vector<LockKind> &kinds, std::size_t count) {
  DecisionOptions options;
  options.threads = which.threads;
  const auto decisions = TRY(decide(which.network, machine, options));
  Choices choices;
  for (const LockDecision &one : decisions.locks)
    choices.advised.push_back(one.advised.kind);

  std::vector<std::pair<double, Assignment>> predicted;
  for (Assignment &one : assignmentsOf(which.network.locks.size(), kinds)) {
    const auto prediction =
        TRY(predict(which.network, one, machine, which.threads, options.predict));
    predicted.emplace_back(-prediction.throughputPerS, std::move(one));
  }
  std::sort(predicted.begin(), predicted.end(), [](const auto &a, const auto &b) {
    return std::pair(a.first, namesOf(a.second)) < std::pair(b.first, namesOf(b.second));
  });
  for (std::size_t i = 0; i < std::min(count, predicted.size()); ++i)
    choices.promising.push_back(std::move(predicted[i].second));
  return choices;
}

std::string printAssignments(const std::vector<Outcome> &outcomes) {
  std::string text = "| rule | cases | within 2 % | within 5 % | mean lost | 95th lost | worst |\n"
                     "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Rule &rule : rules) {
    std::vector<double> lost;
    for (const Outcome &one : outcomes)
      if (one.*rule.throughput > 0)
        lost.push_back(100 * (1 - one.*rule.throughput / one.best));
    if (lost.empty())
      continue;
    std::sort(lost.begin(), lost.end());
    const auto size = static_cast<double>(lost.size());
    const auto within = [&](double limit) {
      return 100 *
             static_cast<double>(std::upper_bound(lost.begin(), lost.end(), limit) - lost.begin()) /
             size;
    };
    double sum = 0;
    for (const double one : lost)
      sum += one;
    text += fmt::format("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n", rule.name,
                        lost.size(), within(2), within(5), sum / size,
                        lost[static_cast<std::size_t>(0.95 * (size - 1))], lost.back());
  }
  return text;
}

std::string printWorst(std::vector<Outcome> outcomes, std::size_t count) {
  const auto reached = [](const Outcome &one) { return one.advised / one.best; };
  std::sort(outcomes.begin(), outcomes.end(),
            [&](const Outcome &a, const Outcome &b) { return reached(a) < reached(b); });
  outcomes.resize(std::min(count, outcomes.size()));
  std::string text = "\n| case | advised | best | throughput lost, % |\n"
                     "| --- | --- | --- | --- |\n";
  for (const Outcome &one : outcomes)
    text += fmt::format("| {} | `{}` | `{}` | {:.1f} |\n", one.name, one.picked, one.bestKinds,
                        100 * (1 - reached(one)));
  return text;
}

} // namespace qdadvise::accuracy
