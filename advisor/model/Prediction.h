// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predictions: what the models say of a network on a machine.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/ClassNetwork.h"
#include "advisor/model/ClosedNetwork.h"
#include "advisor/network/Network.h"
#include "advisor/support/Error.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// One lock (class) at one number of threads. Means per acquisition of its sections.
struct LockPrediction {
  double waitNs = 0;         ///< W = R - s: overheads, helping and moved data included
  double residenceNs = 0;    ///< R
  double queueLength = 0;    ///< threads at the lock, the one in service included (all instances)
  double utilization = 0;    ///< X v s of one (the busiest) instance
  double contentionRate = 0; ///< share of acquisitions that find the lock taken
  double throughputPerS = 0; ///< acquisitions per second
  double movedNs = 0;        ///< how much longer than s it is held, until its data are here
};

/// One thread class. A cycle is a visit to an outermost section and what follows until the next.
struct ClassPrediction {
  double threads = 0;
  double throughputPerS = 0; ///< critical sections that its threads complete per second
  double cycleNs = 0;        ///< mean time of a thread's cycle
  double waitNs = 0;         ///< of which it waits at locks: W, over all visits in the cycle
};

/// The whole program at one number of threads.
struct Prediction {
  double threads = 0;
  std::string model;         ///< the method that was used, e.g. "exact", "load-dependent", "qd-a"
  double throughputPerS = 0; ///< critical sections completed per second, over all threads
  double speedup = 0;        ///< over one thread with the same locks
  std::vector<LockPrediction> locks;    ///< by lock of the network
  std::vector<ClassPrediction> classes; ///< by thread class of the network
  std::vector<std::string> notes;       ///< where the model is out of its range, and why
  /// It is a lower bound, how far from the truth nobody knows: no gain follows from it.
  bool worstCase = false;
};

/// What a shipped lock that is handed over does with cache lines that are elsewhere: transfers, one
/// after the other.
struct LockAccesses {
  double alone = 1;   ///< to take the lock where it is free
  double release = 0; ///< until who releases it may go on, where others wait
  /// More for either of them where who waits is still on its way into the line.
  double late = 0;
};

/// Of shorter sections a delegating lock of the virtual multicore delegates hardly any, which the
/// models do not know (docs/theory.md).
inline constexpr double shortestDelegatedNs = 5;

/// A row of the table of lock algorithms.
struct LockAlgorithm {
  const char *name;  ///< `--kind`, `[kind.NAME]`
  const char *label; ///< for people: "pthread mutex", "QD lock"
  bool spins;        ///< its waiters burn a core
  bool delegates;    ///< needs its sections as operations
  bool inLine;       ///< spinning waiters get it in the order in which they came
  bool sharesReads;  ///< lets the threads of shared sections in together
  bool onMenu;       ///< advised, unless the user names a menu
  /// Relative error of predicted throughput, one standard deviation (docs/theory.md). None:
  /// there is no model of it, and it can only be simulated.
  std::optional<double> modelError;
  double waitError; ///< the same of the waiting time, where there is any
  LockAccesses accesses = {};
};
/// All there are, by name.
const std::vector<LockAlgorithm> &knownLockAlgorithms();
const LockAlgorithm *findKnownLockAlgorithm(const std::string &name);
/// Those with a model.
const std::vector<LockAlgorithm> &lockAlgorithms();
const LockAlgorithm *findLockAlgorithm(const std::string &name);

/// The figure that a prediction with this algorithm needs and the machine does not have, if any.
std::optional<Error> missingFigure(const std::string &kind, const Machine &machine);

/// A row of the table of models, for `--model`.
struct PredictionModel {
  const char *name;
  std::vector<std::string> kinds; ///< the lock algorithms it is for; none: all
  NetworkMethod method;
  const char *summary;
  /// Of several thread classes. None: they divide the waiting of `method`'s mean class.
  ClassMethod classMethod = nullptr;
};
/// In which the first that fits an algorithm and a method has its name.
const std::vector<PredictionModel> &predictionModels();

class StartingPoints;

struct PredictOptions {
  int cores = 0; ///< 0: the machine's
  /// "auto", or a row of the table of models. `recursion` is the fastest for any locks.
  std::string model = "auto";
  /// "auto" takes the most accurate method that needs no more processor time than this, or up
  /// to three times as much where that is the next best.
  double patienceNs = 0.3e9;
  /// Cores are shared even where all locks are ideal: these stand for code without a lock then.
  bool coresAlways = false;
  /// For predictions of networks that hardly differ, with the same algorithms and a core for every
  /// thread: where the first one's iterations came to rest the others begin, several at a time if
  /// need be. Null: each by itself. For predictTraffic.
  std::shared_ptr<StartingPoints> startingPoints = nullptr;
};

/// An empty one.
std::shared_ptr<StartingPoints> makeStartingPoints();

/// Predicts with algorithm `kinds[i]` at lock i. `threads` >= 1 are the scaling threads.
Expected<Prediction> predict(const Network &network, const std::vector<std::string> &kinds,
                             const Machine &machine, int threads,
                             const PredictOptions &options = {});

/// The same algorithm at every lock, for several numbers of threads (shares the work).
Expected<std::vector<Prediction>> predictSweep(const Network &network, const std::string &kind,
                                               const Machine &machine,
                                               const std::vector<int> &threads,
                                               const PredictOptions &options = {});

struct Traffic;

/// Algorithm `kinds[i]` at lock i, and threads of this traffic instead of what the network's
/// routing implies. Both must be valid: nothing is checked.
Expected<std::vector<Prediction>>
predictTraffic(const Network &network, const std::vector<Traffic> &traffic,
               const std::vector<std::string> &kinds, const Machine &machine,
               const std::vector<int> &threads, const PredictOptions &options = {});

/// Throughput with algorithms `to` over throughput with `from`, with a 95 % interval
/// from the profile's sampling error (delta method) and the known error of the models.
struct GainInterval {
  double ratio = 1, low = 1, high = 1;
  /// Below this it is in one of four cases. Most of the models' errors are far smaller than those
  /// that the 95 % interval has to cover.
  double lowerQuartile = 1;
  /// False: one of the two throughputs is only a bound (`worstCase`), from which no gain follows.
  bool known = true;
};
/// Another network of the same locks, sections and transitions, and the same routing.
using NetworkChange = std::function<Network(const Network &)>;
/// With a `change`, it is made together with that of the algorithms.
Expected<GainInterval> throughputGain(const Network &network, const std::vector<std::string> &from,
                                      const std::vector<std::string> &to, const Machine &machine,
                                      int threads, const PredictOptions &options = {},
                                      const NetworkChange &change = {});

} // namespace qdadvise
