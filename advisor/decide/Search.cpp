// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Search.h"

#include "advisor/support/ForEachIndex.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <utility>

namespace qdadvise {
namespace {

/// Below this a difference is the solvers' rounding, and a search could go in circles.
constexpr double leastImprovement = 1e-6;

/// The locks at which a change could gain at least this, the one where most time is lost first.
/// Even in a program with many locks these are few.
std::vector<std::size_t> candidates(const SearchProblem &problem, const Prediction &prediction,
                                    double least) {
  constexpr std::size_t most = 32;
  std::vector<std::pair<double, std::size_t>> lost;
  for (std::size_t lock = 0; lock != prediction.locks.size(); ++lock) {
    const double share = lostWithOuter(problem, prediction, lock);
    if (!problem.choices[lock].empty() && share >= least / (1 + least))
      lost.emplace_back(-share, lock);
  }
  std::sort(lost.begin(), lost.end());
  std::vector<std::size_t> locks;
  for (std::size_t i = 0; i != std::min(most, lost.size()); ++i)
    locks.push_back(lost[i].second);
  return locks;
}

Assignment climb(const SearchProblem &problem, Evaluator &evaluator, Assignment kinds) {
  // Every step is uphill and there are finitely many assignments, so it ends.
  for (bool improved = true; improved && evaluator.error().empty();) {
    improved = false;
    for (const std::size_t lock :
         candidates(problem, evaluator.predictionOf(kinds), problem.minimumGains[1])) {
      double best = evaluator.throughputOf(kinds) * (1 + leastImprovement);
      LockKind bestKind = LockKind::unknown;
      std::vector<LockKind> choices = problem.choices[lock];
      choices.push_back(problem.today[lock]); // a step may be taken back
      std::vector<Assignment> changed;
      for (const LockKind kind : choices)
        changed.push_back(with(kinds, lock, kind));
      evaluator.predictAll(changed);
      for (const LockKind kind : choices) {
        const double throughput = evaluator.throughputOf(with(kinds, lock, kind));
        if (throughput > best) {
          best = throughput;
          bestKind = kind;
        }
      }
      if (bestKind != LockKind::unknown) {
        kinds[lock] = bestKind;
        improved = true;
      }
    }
  }
  return kinds;
}

/// Changes that are worth it only together have to promise this share of what a change has to
/// promise.
constexpr double smallShare = 1.0 / 6;

/// The best of several climbs: from today's locks, and from each algorithm at all locks that
/// matter today, if only together. Of two locks that hold threads up alike, a change at one
/// alone gains nothing; the second kind of start finds the way past that.
Assignment climbFromSeveral(const SearchProblem &problem, Evaluator &evaluator) {
  Assignment best = climb(problem, evaluator, problem.today);
  const std::vector<std::size_t> locks = candidates(problem, evaluator.predictionOf(problem.today),
                                                    smallShare * problem.minimumGains[1]);
  for (const LockAlgorithm &algorithm : lockAlgorithms) {
    Assignment start = problem.today;
    for (const std::size_t lock : locks)
      if (const auto &choices = problem.choices[lock];
          std::find(choices.begin(), choices.end(), algorithm.kind) != choices.end())
        start[lock] = algorithm.kind;
    if (start == problem.today)
      continue;
    const Assignment found = climb(problem, evaluator, std::move(start));
    if (evaluator.throughputOf(found) > evaluator.throughputOf(best) * (1 + leastImprovement))
      best = found;
  }
  return best;
}

/// What a change has to be: promising, so far as this share of the minimum gains, and likely.
struct Bar {
  double promise = 1;
  bool likely = true;
};
constexpr Bar usualBar, smallBar{smallShare, true}, promiseBar{1, false};

double promisedGainRatio(double ratio, int portCost, const MinimumGains &minimumGains,
                         double share = 1) {
  return ratio / (1 + share * minimumGains[static_cast<std::size_t>(portCost)]);
}

double conservativeGainRatio(const GainInterval &gain, int portCost) {
  return portCost == 0 ? gain.ratio : gain.lowerQuartile;
}

/// How far a change is above a bar. How likely it is takes long to find out: only where it
/// promises enough.
double over(Bar bar, const SearchProblem &problem, Evaluator &evaluator, const Assignment &from,
            const Assignment &to, int portCost) {
  const double promise =
      promisedGainRatio(evaluator.throughputOf(to) / evaluator.throughputOf(from), portCost,
                        problem.minimumGains, bar.promise);
  if (!bar.likely || promise <= 1)
    return promise;
  return std::min(promise, conservativeGainRatio(evaluator.gain(from, to), portCost));
}

/// The best of the choices that cost less than the one taken and are worth it over today's, given
/// the other locks; today's if there is none.
LockKind cheaperChoice(const SearchProblem &problem, Evaluator &evaluator, const Assignment &kinds,
                       std::size_t lock) {
  const Assignment without = with(kinds, lock, problem.today[lock]);
  const int cost = portCost(problem.today[lock], kinds[lock]);
  LockKind best = problem.today[lock];
  double bestThroughput = 0;
  for (const LockKind kind : problem.choices[lock]) {
    const int less = portCost(problem.today[lock], kind);
    if (less >= cost)
      continue;
    const Assignment changed = with(kinds, lock, kind);
    if (over(usualBar, problem, evaluator, without, changed, less) <= 1)
      continue;
    if (evaluator.throughputOf(changed) > bestThroughput) {
      bestThroughput = evaluator.throughputOf(changed);
      best = kind;
    }
  }
  return best;
}

/// Takes back the weakest change that does not gain enough. False: there was none.
bool takeBackOne(const SearchProblem &problem, Evaluator &evaluator, Bar bar,
                 SearchResult &result) {
  std::size_t weakest = 0;
  double least = 1;
  bool found = false;
  for (std::size_t lock = 0; lock != result.kinds.size(); ++lock) {
    if (result.kinds[lock] == problem.today[lock])
      continue;
    const double overBar =
        over(bar, problem, evaluator, with(result.kinds, lock, problem.today[lock]), result.kinds,
             portCost(problem.today[lock], result.kinds[lock]));
    if (overBar <= least) {
      least = overBar;
      weakest = lock;
      found = true;
    }
  }
  if (found)
    result.kinds[weakest] = cheaperChoice(problem, evaluator, result.kinds, weakest);
  return found;
}

/// Exchanges one change for a cheaper one, over which it is not worth its port. (What it is sure
/// to gain may be more than the cheaper one promises, of which little is known.) False: there was
/// none.
bool cheapenOne(const SearchProblem &problem, Evaluator &evaluator, Bar bar, SearchResult &result) {
  for (std::size_t lock = 0; lock != result.kinds.size(); ++lock) {
    if (result.kinds[lock] == problem.today[lock])
      continue;
    const LockKind cheaper = cheaperChoice(problem, evaluator, result.kinds, lock);
    if (cheaper == problem.today[lock])
      continue;
    const Assignment changed = with(result.kinds, lock, cheaper),
                     without = with(result.kinds, lock, problem.today[lock]);
    const int cost = portCost(problem.today[lock], result.kinds[lock]);
    if (over(bar, problem, evaluator, changed, result.kinds, cost) > 1 ||
        (over(promiseBar, problem, evaluator, changed, result.kinds, cost) > 1 &&
         conservativeGainRatio(evaluator.gain(without, result.kinds), cost) >
             evaluator.throughputOf(changed) / evaluator.throughputOf(without)))
      continue;
    if (result.givenUp[lock] == LockKind::unknown)
      result.givenUp[lock] = result.kinds[lock];
    result.kinds = changed;
    return true;
  }
  return false;
}

/// Goes back from the summit until every change left is worth it.
SearchResult descend(const SearchProblem &problem, Evaluator &evaluator, Bar bar,
                     const Assignment &summit) {
  SearchResult result{summit, std::vector<LockKind>(summit.size(), LockKind::unknown), summit};
  // Each step lowers the cost of the whole, so it ends. An error ends it at once.
  while (evaluator.error().empty() && (takeBackOne(problem, evaluator, bar, result) ||
                                       cheapenOne(problem, evaluator, bar, result))) {
  }
  return result;
}

} // namespace

const Prediction &Evaluator::predictionOf(const Assignment &kinds) {
  predictAll({&kinds, 1});
  Prediction &prediction = predictions[kinds];
  // Whoever asks may look at every lock, even after an error.
  prediction.locks.resize(network.locks.size());
  return prediction;
}

void Evaluator::predictAll(std::span<const Assignment> assignments) {
  std::vector<std::pair<const Assignment, Prediction> *> unknown;
  if (!message.empty())
    return;
  const std::size_t before = predictions.size();
  for (const Assignment &kinds : assignments)
    if (const auto [place, isNew] = predictions.try_emplace(kinds); isNew)
      unknown.push_back(&*place);
  if (unknown.empty())
    return;
  if (predicting)
    predicting(before);
  std::vector<std::string> messages(unknown.size());
  forEachIndex(unknown.size(), [&](std::size_t i) {
    Expected<Prediction> computed = predict(network, unknown[i]->first, machine, threads, options);
    if (computed)
      unknown[i]->second = std::move(*computed);
    else
      messages[i] = computed.error().message;
  });
  const auto first = std::find_if(messages.begin(), messages.end(),
                                  [](const std::string &one) { return !one.empty(); });
  if (first != messages.end())
    message = *first;
}

GainInterval Evaluator::gain(const Assignment &from, const Assignment &to) {
  if (from == to || !message.empty())
    return {};
  const auto [place, isNew] = gains.try_emplace({from, to});
  if (isNew) {
    const Expected<GainInterval> computed =
        throughputGain(network, from, to, machine, threads, options);
    if (computed)
      place->second = *computed;
    else
      message = computed.error().message;
  }
  return place->second;
}

double lostShare(const Prediction &prediction, std::size_t lock, double population) {
  const LockPrediction &at = prediction.locks[lock];
  const double threadNsPerS = std::max(1.0, population) * 1e9;
  return std::clamp(at.waitNs * at.throughputPerS / threadNsPerS, 0.0, 1.0);
}

double lostWithOuter(const SearchProblem &problem, const Prediction &prediction, std::size_t lock) {
  double share = lostShare(prediction, lock, problem.population);
  for (const std::size_t outer : problem.outer[lock])
    share += lostShare(prediction, outer, problem.population);
  return share;
}

double overBar(const GainInterval &gain, int portCost, const MinimumGains &minimumGains) {
  return std::min(promisedGainRatio(gain.ratio, portCost, minimumGains),
                  conservativeGainRatio(gain, portCost));
}

int portCost(LockKind today, LockKind kind) {
  if (kind == today)
    return 0;
  return algorithmOf(kind).delegates ? 2 : 1;
}

Assignment with(const Assignment &kinds, std::size_t lock, LockKind kind) {
  Assignment changed = kinds;
  changed[lock] = kind;
  return changed;
}

SearchResult search(const SearchProblem &problem, Evaluator &evaluator) {
  const Assignment summit = climbFromSeveral(problem, evaluator);
  SearchResult result = descend(problem, evaluator, usualBar, summit);
  // None of some changes may promise enough, but all together. And one change taken back makes
  // the next one worthless, where several locks hold threads up alike: then none is likely enough
  // to gain, but all together may be.
  for (const Bar bar : {smallBar, promiseBar}) {
    SearchResult together = descend(problem, evaluator, bar, summit);
    int cost = 0;
    for (std::size_t lock = 0; lock != together.kinds.size(); ++lock)
      if (together.kinds[lock] != result.kinds[lock])
        cost = std::max(cost, portCost(problem.today[lock], together.kinds[lock]));
    if (over(usualBar, problem, evaluator, result.kinds, together.kinds, cost) > 1)
      result = std::move(together);
  }
  return result;
}

} // namespace qdadvise
