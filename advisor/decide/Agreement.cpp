// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Agreement.h"

#include "advisor/decide/Decision.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <fmt/format.h>

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

} // namespace

std::vector<Agreement> agreementsOn(const Network &network, const SearchProblem &problem,
                                    const SearchResult &found, const Machine &machine,
                                    const DecisionOptions &options) {
  std::vector<Agreement> result(network.locks.size());
  if (options.runs.size() < 2)
    return result;
  for (std::size_t lock = 0; lock != result.size(); ++lock) {
    if (found.kinds[lock] == problem.today[lock])
      continue;
    const auto cost = static_cast<std::size_t>(portCost(problem.today[lock], found.kinds[lock]));
    const Assignment before = with(found.kinds, lock, problem.today[lock]);
    Agreement &agreement = result[lock];
    agreement.change = found.kinds[lock];
    for (const Network &run : options.runs) {
      const auto then = predict(run, kindsOf(run, network, found.kinds), machine, options.threads,
                                options.predict);
      const auto today =
          predict(run, kindsOf(run, network, before), machine, options.threads, options.predict);
      if (!then || !today || !then->impossible.empty() || !today->impossible.empty())
        continue;
      ++agreement.runs;
      if (then->throughputPerS > today->throughputPerS * (1 + problem.minimumGains[cost]))
        ++agreement.agree;
    }
  }
  return result;
}

std::string agreementText(const Agreement &agreement) {
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
