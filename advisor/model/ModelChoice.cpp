// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/ModelChoice.h"

#include "advisor/model/decomposition/Convolution.h"
#include "advisor/model/decomposition/Marie.h"
#include "advisor/model/decomposition/Norton.h"
#include "advisor/model/decomposition/StayingThreads.h"
#include "advisor/model/markov/Markov.h"
#include "advisor/model/mva/Linearizer.h"
#include "advisor/model/mva/Mascots2015.h"
#include "advisor/model/mva/Mcc2012.h"
#include "advisor/model/mva/Mva.h"
#include "advisor/model/mva/Reiser.h"
#include "advisor/model/workload/Workload.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace qdadvise {

namespace {

/// The algorithms of these stations, station by station.
std::vector<LockKind> kindsAt(std::initializer_list<LockStationType> stations) {
  std::vector<LockKind> kinds;
  for (const LockStationType station : stations)
    for (const LockAlgorithm &algorithm : lockAlgorithms)
      if (algorithm.station == station)
        kinds.push_back(algorithm.kind);
  return kinds;
}

std::vector<LockKind> withoutReaders(std::vector<LockKind> kinds) {
  std::erase_if(kinds, [](LockKind kind) { return algorithmOf(kind).sharesReads; });
  return kinds;
}

} // namespace

const std::vector<PredictionModel> &predictionModels() {
  using Station = LockStationType;
  static const std::vector<PredictionModel> table{
      {"exact",
       {LockKind::ideal},
       solveMva,
       "exponential holding times, whatever their cv",
       solveReiser},
      {"residual", {LockKind::ideal}, solveMva, "corrected for the holding times' cv"},
      {"load-dependent", kindsAt({Station::handoff}), solveMva,
       "the hand-over depends on who is there"},
      {"sleeping", kindsAt({Station::mutex, Station::rwlock}), solveStaying,
       "barging, sleeping and waking as in glibc"},
      {"qd-a", kindsAt({Station::delegation}), solveMva, "mean value recursion with helping"},
      {"qd-b", kindsAt({Station::delegation}), solveNorton, "helping, each lock by itself"},
      {"qd-c", kindsAt({Station::delegation}), solveMarie, "helping, each lock by itself in turn"},
      {"markov", withoutReaders(kindsAt({Station::ideal, Station::handoff, Station::delegation})),
       solveMarkov, "up to four threads, state by state"},
      {"convolution", kindsAt({Station::ideal, Station::handoff}), solveConvolution,
       "exponential, whatever the cv"},
      {"mascots2015", {LockKind::qd}, solveMascots2015, "the 2015 paper's: one helper thread"},
      {"mcc2012",
       {LockKind::ideal, LockKind::pthreadMutex, LockKind::spinlock},
       solveMcc2012,
       "the 2012 paper's: a constant lock overhead"},
      {"reiser",
       {LockKind::ideal},
       solveMva,
       "thread classes by recursion over all populations",
       solveReiser},
      {"linearizer", {LockKind::ideal}, solveMva, "thread classes, approximately", solveLinearizer},
      {"recursion", {}, solveMva, "mean value recursion for any locks"},
      {"norton", {}, solveNorton, "any locks, each by itself: method B"},
      {"marie", {}, solveMarie, "any locks, each by itself in turn: method C"},
  };
  return table;
}

const PredictionModel *findModel(const std::string &name) {
  for (const PredictionModel &row : predictionModels())
    if (name == row.name)
      return &row;
  return nullptr;
}

bool isFor(const PredictionModel &model, LockKind kind) {
  return model.kinds.empty() ||
         std::find(model.kinds.begin(), model.kinds.end(), kind) != model.kinds.end();
}

bool isVisited(const std::vector<Traffic> &traffic, std::size_t section) {
  return std::any_of(traffic.begin(), traffic.end(),
                     [=](const Traffic &one) { return one.visits[section] > 0; });
}

ModelChoice::ModelChoice(const Network &network, const std::vector<LockKind> &kinds,
                         const std::vector<Traffic> &traffic, int cores, const MethodCosts &costs)
    : network(network), kinds(kinds), traffic(traffic), cores(cores), costs(costs),
      exponential(findExponential()) {
  for (std::size_t i = 0; i < network.sections.size(); ++i)
    if (isVisited(traffic, i))
      used.insert(network.sections[i].lock);
}

bool ModelChoice::findExponential() const {
  // The times of sections with different means at one lock are not exponential together.
  std::vector<double> mean(network.locks.size(), -1);
  for (std::size_t i = 0; i < network.sections.size(); ++i) {
    const Section &section = network.sections[i];
    if (section.inside)
      return false;
    if (!isVisited(traffic, i))
      continue;
    double &known = mean[section.lock];
    if (section.hold.mean != 0 &&
        (std::abs(section.hold.cv - 1) >= 1e-12 || std::abs(skewnessOf(section.hold) - 2) >= 1e-12))
      return false;
    if (known >= 0 && known != section.hold.mean)
      return false;
    known = section.hold.mean;
  }
  return true;
}

NetworkMethod ModelChoice::method(const Threads &threads, double timeBudgetNs) const {
  bool exact = true, close = true; // mean value analysis is
  bool anySleeps = false;
  for (const std::size_t lock : used) {
    const LockAlgorithm &row = algorithmOf(kinds[lock]);
    anySleeps = anySleeps || row.sleeps();
    // The other methods take such locks as mean value analysis has them.
    const bool sleeps = row.sleeps();
    close = close && (sleeps || (!row.delegates && exponential));
    exact = exact && (sleeps || (row.station == LockStationType::ideal && exponential));
  }
  if (exact)
    return anySleeps && traffic.size() == 1 ? solveStaying : solveMva;
  bool nested = false;
  for (std::size_t i = 0; i < network.sections.size(); ++i)
    nested = nested || (network.sections[i].inside && isVisited(traffic, i));
  double stations = 0, handedOver = 0;
  for (const std::size_t lock : used) {
    const double own = 1 + static_cast<double>(network.locks[lock].shares.size());
    stations += own;
    if (algorithmOf(kinds[lock]).station == LockStationType::handoff)
      handedOver += own;
  }
  double marie = 0, norton = 0; // nanoseconds
  for (const int count : threads) {
    const double all = std::round(populationOf(network, traffic, count));
    const double solutions = (nested || all > cores ? costs.iterationSolutions : 1) *
                             (traffic.size() > 1 ? costs.classSolutions : 1);
    marie += solutions * stations * all * (all + costs.marieStartThreads) * costs.marieNs;
    norton += solutions * stations * all * costs.nortonNs;
    if (count == threads.back())
      norton += solutions * stations * all *
                (stations * costs.nortonRestNs + handedOver * all * costs.handoffNs);
  }
  const double late = close ? 0 : costs.largestOverrun * timeBudgetNs;
  return marie < timeBudgetNs || (marie < norton && marie < late) ? solveMarie
         : norton < late                                          ? solveNorton
                                                                  : solveMva;
}

ClassMethod ModelChoice::classMethod() const {
  return exponential &&
                 std::all_of(used.begin(), used.end(),
                             [&](std::size_t lock) { return kinds[lock] == LockKind::ideal; })
             ? solveReiser
             : nullptr;
}

ModelChoice::Threads::const_iterator ModelChoice::endOfChain(const Threads &threads,
                                                             double timeBudgetNs) const {
  const PredictionModel &chain = *findModel("markov");
  if (timeBudgetNs < costs.chainBudgetNs || method(threads, timeBudgetNs) == solveMva ||
      !std::all_of(
          used.begin(), used.end(), [&](std::size_t lock) { return isFor(chain, kinds[lock]); }))
    return threads.begin();
  return std::find_if(threads.begin(), threads.end(), [&](int count) {
    return std::round(populationOf(network, traffic, count)) > mostMarkovThreads;
  });
}

} // namespace qdadvise
