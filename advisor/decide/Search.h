// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for an algorithm at every lock. First uphill, one lock at a time, until
// no change improves the predicted throughput; then back: whatever is not likely to be
// worth its change goes to the cheaper choice.
#pragma once

#include "advisor/model/Predict.h"
#include "advisor/model/uncertainty/Gain.h"

#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace qdadvise {

using Assignment = std::vector<LockKind>; ///< algorithm by lock

/// Predicts assignments and the gains between them, each once. Remembers the first error, and then
/// answers with empty values: look at `error` before using what was found.
class Evaluator {
public:
  /// `predicting` is told how many assignments have been predicted before further ones are.
  Evaluator(const Network &network, const Machine &machine, int threads, PredictOptions options,
            std::function<void(std::size_t)> predicting = {})
      : network(network), machine(machine), threads(threads), options(std::move(options)),
        predicting(std::move(predicting)) {}

  const Prediction &predictionOf(const Assignment &kinds);
  /// Predicts all of these at once, on all processors; predictionOf then has them.
  void predictAll(std::span<const Assignment> assignments);
  double throughputOf(const Assignment &kinds) { return predictionOf(kinds).throughputPerS; }
  GainInterval gain(const Assignment &from, const Assignment &to);

  const std::string &error() const { return message; }

private:
  const Network &network;
  const Machine &machine;
  int threads;
  PredictOptions options;
  std::function<void(std::size_t)> predicting;
  std::map<Assignment, Prediction> predictions;
  std::map<std::pair<Assignment, Assignment>, GainInterval> gains;
  std::string message;
};

/// What a change, or several together, have to gain at least, as predicted, by what the port costs
/// (`portCost`).
using MinimumGains = std::array<double, 3>;
inline constexpr MinimumGains usualMinimumGains{0, 0.025, 0.035};

struct SearchProblem {
  Assignment today;
  /// By lock: what it may become, today's not included. Empty: it stays.
  std::vector<std::vector<LockKind>> choices;
  /// By lock: the locks inside whose sections it is taken. These are held longer while a thread
  /// waits for it.
  std::vector<std::vector<std::size_t>> outer;
  MinimumGains minimumGains = usualMinimumGains;
  double population = 1; ///< threads in all
};

struct SearchResult {
  Assignment kinds;
  /// By lock: the faster algorithm that was given up because it was not likely to be worth more
  /// than the cheaper one in `kinds`, or unknown.
  std::vector<LockKind> givenUp;
  /// The highest prediction found, worth its changes or not.
  Assignment summit;
};

/// Share of the threads' time lost waiting for a lock. Without that wait, throughput would
/// be at most 1 / (1 - share) times as high: X <= N / (Z + sum v R), and the other locks' R
/// only grow with the traffic. (Not so where the lock is nested: then its outer locks' waits
/// may go as well.)
double lostShare(const Prediction &prediction, std::size_t lock, double population);

/// The same at the lock and at those that are held while waiting for it.
double lostWithOuter(const SearchProblem &problem, const Prediction &prediction, std::size_t lock);

/// What a change costs the programmer: 0 to keep, 1 for another type of lock, 2 where the
/// sections have to become operations.
int portCost(LockKind today, LockKind kind);

/// How far a gain is above what a change of that cost needs, a ratio: it has to promise enough,
/// the more so, the more work it is, and to gain at all in three cases of four.
double overBar(const GainInterval &gain, int portCost, const MinimumGains &minimumGains);

/// `kinds` with another algorithm at one lock.
Assignment with(const Assignment &kinds, std::size_t lock, LockKind kind);

SearchResult search(const SearchProblem &problem, Evaluator &evaluator);

} // namespace qdadvise
