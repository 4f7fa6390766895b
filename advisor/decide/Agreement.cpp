// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Agreement.h"

#include "advisor/decide/Decision.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace qdadvise {
namespace {

/// The algorithms of a run's locks, which may be others or in another order than all runs'.
Assignment kindsOf(const Network &run, const Network &all, const Assignment &kinds) {
  Assignment result;
  for (const Lock &lock : run.locks) {
    const auto same = std::find_if(all.locks.begin(), all.locks.end(),
                                   [&](const Lock &one) { return one.name == lock.name; });
    result.push_back(same == all.locks.end()
                         ? (lock.kind.isKnown() ? lock.kind.kind : LockKind::pthreadMutex)
                         : kinds[static_cast<std::size_t>(same - all.locks.begin())]);
  }
  return result;
}

/// The network with other holding times where they are too short to measure: almost none, and as
/// long as they can be. Empty if there are no such times.
std::vector<Network> withOtherShortTimes(const Network &network) {
  constexpr double almostNoneNs = 0.01;
  bool any = false;
  std::vector<Network> result(2, network);
  for (std::size_t i = 0; i != network.sections.size(); ++i) {
    const Duration &hold = network.sections[i].hold;
    if (hold.samples == 0 || hold.mean >= shortestMeasuredNs)
      continue;
    any = true;
    result[0].sections[i].hold.mean = std::min(hold.mean, almostNoneNs);
    result[1].sections[i].hold.mean = shortestMeasuredNs;
  }
  return any ? result : std::vector<Network>();
}

/// Predicts what a change promises by other networks of the program.
class Jury {
public:
  Jury(const Network &network, const Machine &machine, const DecisionOptions &options)
      : network(network), machine(machine), options(options) {}

  /// How much faster the program is after the change; none without two predictions.
  std::optional<double> ratio(const Network &other, const Assignment &before,
                              const Assignment &after) const {
    const auto from = predict(other, kindsOf(other, network, before), machine, options.threads,
                              options.predict),
               to = predict(other, kindsOf(other, network, after), machine, options.threads,
                            options.predict);
    if (!from || !to || !from->impossible.empty() || !to->impossible.empty())
      return std::nullopt;
    return to->throughputPerS / from->throughputPerS;
  }

private:
  const Network &network;
  const Machine &machine;
  const DecisionOptions &options;
};

} // namespace

std::vector<Agreement> agreementsOn(const Network &network, const SearchProblem &problem,
                                    const SearchResult &found, const Machine &machine,
                                    const DecisionOptions &options) {
  std::vector<Agreement> result(network.locks.size());
  const std::vector<Network> shortTimes = withOtherShortTimes(network);
  const Jury jury(network, machine, options);
  for (std::size_t lock = 0; lock != result.size(); ++lock) {
    if (found.kinds[lock] == problem.today[lock])
      continue;
    const auto cost = static_cast<std::size_t>(portCost(problem.today[lock], found.kinds[lock]));
    const double least = 1 + problem.minimumGains[cost];
    const Assignment before = with(found.kinds, lock, problem.today[lock]);
    Agreement &agreement = result[lock];
    agreement.change = found.kinds[lock];
    for (const Network &run : options.runs)
      if (const auto ratio = jury.ratio(run, before, found.kinds)) {
        ++agreement.runs;
        agreement.agree += *ratio > least ? 1 : 0;
      }
    for (const Network &other : shortTimes)
      if (const auto ratio = jury.ratio(other, before, found.kinds); ratio && *ratio <= least)
        agreement.restsOnShortTimes = true;
  }
  return result;
}

std::string agreementText(const Agreement &agreement) {
  if (agreement.restsOnShortTimes)
    return fmt::format("{} would be worth it only if sections that are too short to measure, under "
                       "{:g} ns, took as long as they seem to: it is not advised",
                       withArticle(algorithmOf(agreement.change).label), shortestMeasuredNs);
  if (agreement.isContradicted())
    return fmt::format("the recorded runs do not agree: {} would be worth it by {} of {}, so that "
                       "it is not advised",
                       withArticle(algorithmOf(agreement.change).label), agreement.agree,
                       agreement.runs);
  return agreement.agree == agreement.runs
             ? fmt::format("each of the {} recorded runs says so by itself", agreement.runs)
             : fmt::format("{} of the {} recorded runs say so by themselves", agreement.agree,
                           agreement.runs);
}

} // namespace qdadvise
