// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predictions: the models' figures for a network on a machine.
#pragma once

#include <string>
#include <vector>

namespace qdadvise {

/// One lock (class) at one number of threads. Means per acquisition of its sections.
struct LockPrediction {
  double waitNs = 0;          ///< W = R - s: overheads, helping and coherence misses included
  double residenceNs = 0;     ///< R
  double queueLength = 0;     ///< threads at the lock, the one in service included (all instances)
  double utilization = 0;     ///< X v s of one (the busiest) instance
  double contentionRate = 0;  ///< share of acquisitions that find the lock taken
  double throughputPerS = 0;  ///< acquisitions per second
  double coherenceMissNs = 0; ///< how much longer than s it is held, until its data are here
};

/// One thread class. A cycle is a visit to an outermost section and everything until the next one.
struct ClassPrediction {
  double threads = 0;
  double throughputPerS = 0; ///< critical sections that its threads complete per second
  double cycleNs = 0;        ///< mean time of a thread's cycle
  double waitNs = 0;         ///< of which it waits at locks: W, over all visits in the cycle
};

/// The whole program at one number of threads.
struct Prediction {
  /// Where threads are blocked for more of their time, the model is out of its range.
  static constexpr double mostBlocked = 0.5;

  double threads = 0;
  std::string model;         ///< the method that was used, e.g. "exact", "load-dependent", "qd-a"
  double throughputPerS = 0; ///< critical sections completed per second, over all threads
  double speedup =
      0; ///< over one thread with the same locks, of the classes that scale; <= threads
  std::vector<LockPrediction> locks;    ///< by lock of the network
  std::vector<ClassPrediction> classes; ///< by thread class of the network
  double blockedShare = 0;        ///< of the threads' time: in waits that locks do not explain
  std::vector<std::string> notes; ///< where the model is out of its range, and why
  /// The throughput is a lower bound that may be far from the truth. No gain follows from it.
  bool worstCase = false;
  /// The iteration over what waits for what came to rest. Otherwise figures are uncertain, and
  /// differ from those of a network that hardly differs by chance.
  bool settled = true;
  /// Why no machine could do what the model said (Impossible.h); "" if one could. All figures are 0
  /// then, and are not to be printed.
  std::string impossible;
  /// If the network has phases, these are the predictions of each of them by itself. All other
  /// figures are of a run that goes through them.
  std::vector<Prediction> phases;
};

} // namespace qdadvise
