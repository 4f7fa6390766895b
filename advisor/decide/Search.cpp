// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Search.h"

#include <algorithm>
#include <utility>

namespace qdadvise {
namespace {

/// Below this a difference is the solvers' rounding, and a search could go in circles.
constexpr double leastImprovement = 1e-6;

/// The locks at which a change could gain something, the one at which most time is lost first.
/// There are few, however many locks a program has: those at which least is lost are left alone,
/// as long as that is little in all.
std::vector<std::size_t> candidates(const SearchProblem &problem, const Prediction &prediction) {
  std::vector<std::pair<double, std::size_t>> lost;
  for (std::size_t lock = 0; lock != prediction.locks.size(); ++lock) {
    if (problem.choices[lock].empty())
      continue;
    double share = lostShare(prediction, lock, problem.population);
    for (const std::size_t outer : problem.outer[lock])
      share += lostShare(prediction, outer, problem.population);
    lost.emplace_back(-share, lock);
  }
  std::sort(lost.begin(), lost.end());
  double left = problem.minimumGains[1] / 4;
  while (!lost.empty() && -lost.back().first <= left) {
    left += lost.back().first;
    lost.pop_back();
  }
  std::vector<std::size_t> locks;
  for (const auto &[share, lock] : lost)
    locks.push_back(lock);
  return locks;
}

Assignment climb(const SearchProblem &problem, Evaluator &evaluator, Assignment kinds) {
  // Every step is uphill and there are finitely many assignments, so it ends.
  for (bool improved = true; improved && evaluator.error().empty();) {
    improved = false;
    for (const std::size_t lock : candidates(problem, evaluator.predictionOf(kinds))) {
      double best = evaluator.throughputOf(kinds) * (1 + leastImprovement);
      std::string bestKind;
      std::vector<std::string> choices = problem.choices[lock];
      choices.push_back(problem.today[lock]); // a step may be taken back
      for (const std::string &kind : choices) {
        const double throughput = evaluator.throughputOf(with(kinds, lock, kind));
        if (throughput > best) {
          best = throughput;
          bestKind = kind;
        }
      }
      if (!bestKind.empty()) {
        kinds[lock] = bestKind;
        improved = true;
      }
    }
  }
  return kinds;
}

/// The best of several climbs: from today's locks, and from each algorithm at all locks that
/// matter today. Of two locks that hold threads up alike, a change at one alone gains
/// nothing; the second kind of start finds the way past that.
Assignment climbFromSeveral(const SearchProblem &problem, Evaluator &evaluator) {
  Assignment best = climb(problem, evaluator, problem.today);
  const std::vector<std::size_t> locks = candidates(problem, evaluator.predictionOf(problem.today));
  for (const LockAlgorithm &algorithm : lockAlgorithms()) {
    Assignment start = problem.today;
    for (const std::size_t lock : locks)
      if (const auto &choices = problem.choices[lock];
          std::find(choices.begin(), choices.end(), algorithm.name) != choices.end())
        start[lock] = algorithm.name;
    if (start == problem.today)
      continue;
    const Assignment found = climb(problem, evaluator, std::move(start));
    if (evaluator.throughputOf(found) > evaluator.throughputOf(best) * (1 + leastImprovement))
      best = found;
  }
  return best;
}

/// The best of the choices that cost less than the one taken and are worth it over today's, given
/// the other locks; today's if there is none.
std::string cheaperChoice(const SearchProblem &problem, Evaluator &evaluator,
                          const Assignment &kinds, std::size_t lock) {
  const Assignment without = with(kinds, lock, problem.today[lock]);
  const int cost = portCost(problem.today[lock], kinds[lock]);
  std::string best = problem.today[lock];
  double bestThroughput = 0;
  for (const std::string &kind : problem.choices[lock]) {
    if (portCost(problem.today[lock], kind) >= cost)
      continue;
    const Assignment changed = with(kinds, lock, kind);
    if (overBar(evaluator.gain(without, changed), portCost(problem.today[lock], kind),
                problem.minimumGains) <= 1)
      continue;
    if (evaluator.throughputOf(changed) > bestThroughput) {
      bestThroughput = evaluator.throughputOf(changed);
      best = kind;
    }
  }
  return best;
}

/// How far a change is above what it needs.
using Bar = double (*)(const GainInterval &gain, int portCost, const MinimumGains &minimumGains);

double overPromise(const GainInterval &gain, int portCost, const MinimumGains &minimumGains) {
  return gain.ratio / (1 + minimumGains[static_cast<std::size_t>(portCost)]);
}

double overDoubt(const GainInterval &gain, int portCost) {
  constexpr double GainInterval::*likely[] = {&GainInterval::ratio, &GainInterval::lowerQuartile,
                                              &GainInterval::lowerDecile};
  return gain.*likely[static_cast<std::size_t>(portCost)];
}

/// Of a change that need not be worth it by itself, but has to be worth a word.
double overSmallBar(const GainInterval &gain, int portCost, const MinimumGains &minimumGains) {
  MinimumGains small = minimumGains;
  for (double &least : small)
    least /= 6;
  return std::min(overPromise(gain, portCost, small), overDoubt(gain, portCost));
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
    const GainInterval gain =
        evaluator.gain(with(result.kinds, lock, problem.today[lock]), result.kinds);
    const double over =
        bar(gain, portCost(problem.today[lock], result.kinds[lock]), problem.minimumGains);
    if (over <= least) {
      least = over;
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
    const std::string cheaper = cheaperChoice(problem, evaluator, result.kinds, lock);
    if (cheaper == problem.today[lock])
      continue;
    const Assignment changed = with(result.kinds, lock, cheaper),
                     without = with(result.kinds, lock, problem.today[lock]);
    const int cost = portCost(problem.today[lock], result.kinds[lock]);
    const GainInterval more = evaluator.gain(changed, result.kinds);
    const bool isSurer = overPromise(more, cost, problem.minimumGains) > 1 &&
                         overDoubt(evaluator.gain(without, result.kinds), cost) >
                             evaluator.gain(without, changed).ratio;
    if (isSurer || bar(more, cost, problem.minimumGains) > 1)
      continue;
    if (result.givenUp[lock].empty())
      result.givenUp[lock] = result.kinds[lock];
    result.kinds = changed;
    return true;
  }
  return false;
}

/// Goes back from the summit until every change left is worth it.
SearchResult descend(const SearchProblem &problem, Evaluator &evaluator, Bar bar,
                     const Assignment &summit) {
  SearchResult result{summit, std::vector<std::string>(summit.size())};
  // Each step lowers the cost of the whole, so it ends. An error ends it at once.
  while (evaluator.error().empty() && (takeBackOne(problem, evaluator, bar, result) ||
                                       cheapenOne(problem, evaluator, bar, result))) {
  }
  return result;
}

} // namespace

const Prediction &Evaluator::predictionOf(const Assignment &kinds) {
  const auto [place, isNew] = predictions.try_emplace(kinds);
  Prediction &prediction = place->second;
  if (isNew && message.empty()) {
    Expected<Prediction> computed = predict(network, kinds, machine, threads, options);
    if (computed)
      prediction = std::move(*computed);
    else
      message = computed.error().message;
  }
  // Whoever asks may look at every lock, even after an error.
  prediction.locks.resize(network.locks.size());
  return prediction;
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

double overBar(const GainInterval &gain, int portCost, const MinimumGains &minimumGains) {
  return std::min(overPromise(gain, portCost, minimumGains), overDoubt(gain, portCost));
}

int portCost(const std::string &today, const std::string &kind) {
  if (kind == today)
    return 0;
  const LockAlgorithm *algorithm = findLockAlgorithm(kind);
  return algorithm && algorithm->delegates ? 2 : 1;
}

Assignment with(const Assignment &kinds, std::size_t lock, const std::string &kind) {
  Assignment changed = kinds;
  changed[lock] = kind;
  return changed;
}

SearchResult search(const SearchProblem &problem, Evaluator &evaluator) {
  const Assignment summit = climbFromSeveral(problem, evaluator);
  SearchResult result = descend(problem, evaluator, overBar, summit);
  // None of some changes may promise enough, but all together. And one change taken back makes
  // the next one worthless, where several locks hold threads up alike: then none is likely enough
  // to gain, but all together may be.
  for (const Bar bar : {overSmallBar, overPromise}) {
    SearchResult together = descend(problem, evaluator, bar, summit);
    int cost = 0;
    for (std::size_t lock = 0; lock != together.kinds.size(); ++lock)
      if (together.kinds[lock] != result.kinds[lock])
        cost = std::max(cost, portCost(problem.today[lock], together.kinds[lock]));
    if (overBar(evaluator.gain(result.kinds, together.kinds), cost, problem.minimumGains) > 1)
      result = std::move(together);
  }
  return result;
}

} // namespace qdadvise
