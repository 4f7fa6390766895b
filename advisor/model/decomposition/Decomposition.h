// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decomposition of a closed network: every lock by itself, with the rest of the network as the
// source of its arrivals (Chandy, Herzog and Woo 1975; docs/theory/decomposition.md, equations
// (DEC7) to (DEC13)). Methods B and C (Norton.h, Marie.h) find the rates of arrival. Here are the
// isolated locks, and how they make up the network. A lock that cannot be solved by itself is a
// delay, as long as mean value analysis has it.
#pragma once

#include "advisor/model/decomposition/IsolatedStation.h"
#include "advisor/model/workload/ClosedNetwork.h"

#include <functional>
#include <optional>
#include <vector>

namespace qdadvise {

/// Phases for a time of this mean, squared coefficient of variation and skewness.
using PhaseFit = std::function<PhaseType(double meanNs, double cv2, double skewness)>;
/// The fit of `fitPhases`, and one with at most two phases, with a squared coefficient of variation
/// from 1/2 to 1.
PhaseType fitAll(double meanNs, double cv2, double skewness);
PhaseType fitTwo(double meanNs, double cv2, double skewness);
/// One phase, whatever the others are.
PhaseType fitExponential(double meanNs, double cv2, double skewness);

/// The lock by itself, with up to `threads` threads. There is none for sleeping locks, whose times
/// do not follow from the number of threads (pthread_mutex), and for locks that let in readers
/// together. The machine description must have all figures.
std::optional<IsolatedStation> isolatedStation(const LockStation &lock, const Machine &machine,
                                               int threads, const PhaseFit &fit);

/// The least delay. A network without any is the limit of shorter and shorter ones.
inline constexpr double leastNs = 1e-6;

/// The value at a position in a list that begins at 0: linear between two, and the last one beyond
/// it.
double valueAt(const std::vector<double> &values, double position);

/// How far the next visit after one to this lock is to the same one, and not as likely as any:
/// 0 where it does not depend on the last, 1 where a thread never leaves (DEC11).
double staying(const ClosedNetwork &network, const LockStation &lock);

class Decomposition {
public:
  /// `byMva` is the solution of mean value analysis.
  Decomposition(const ClosedNetwork &network, NetworkState byMva);

  int threads() const { return mva.threads; }
  double cycleNs() const {
    return mva.threads / mva.cyclesPerNs;
  } ///< of a thread, by mean value analysis
  /// The state of a lock by mean value analysis.
  const StationState &estimate(std::size_t lock) const { return mva.stations[lock]; }
  /// The stations of the network that are solved by themselves. Each stands for as many as its
  /// count.
  const std::vector<std::size_t> &locks() const { return apart; }
  /// The normalising constants (Convolution.h) of everything else.
  std::vector<double> rest() const;
  std::optional<IsolatedStation> isolated(std::size_t lock, const PhaseFit &fit) const;

  /// Rates of arrival at `lock`, which is solved as `station`, with 0 ... N-1 threads there
  /// (DEC10), from the cycles per nanosecond of 0 ... N threads in the network without it. Threads
  /// that are there from inside an outer section are still at the outer lock. Of their holders,
  /// those found elsewhere are where the next search begins.
  std::vector<double> arrivals(std::size_t lock, const IsolatedStation &station,
                               const std::vector<double> &without);

  /// Solves every lock with its arrivals `fromOthers`, times one factor with which all threads add
  /// up to N (DEC7).
  NetworkState assemble(const std::vector<std::vector<double>> &fromOthers) const;

private:
  double seenByWaits(std::size_t lock, const IsolatedStation &station,
                     const std::vector<double> &arrivals) const;
  struct Visit;
  struct Visitors;
  Visitors visitorsOf(std::size_t lock) const;
  double foundFromInside(std::size_t lock, const IsolatedStation &station,
                         const IsolatedState &state, const std::vector<double> &arrivals) const;
  void keepInStep(const std::vector<double> &inStep, double restNs,
                  std::vector<Visit> &visits) const;
  std::vector<double> waitsInStep(const std::vector<IsolatedStation> &stations,
                                  const std::vector<std::vector<double>> &arrivals) const;
  std::vector<double> withReturns(std::size_t lock, const IsolatedStation &station,
                                  std::vector<double> arrivals) const;

  const ClosedNetwork &network;
  NetworkState mva;
  std::vector<std::size_t> apart;
  /// Each station has the number of holders of outer locks that are not there, on the mean where
  /// threads come (DEC10).
  std::vector<double> holdersElsewhere;
  std::vector<double> bursts; ///< of `apart`: rate of arrivals in a burst, relative to the mean
  double fixedNs;             ///< blocked time and time at the other locks, per cycle
};

} // namespace qdadvise
