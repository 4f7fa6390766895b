// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A closed network taken apart: every lock by itself, with the rest of the network as the
// source of its arrivals (Chandy, Herzog and Woo 1975). Whoever knows these rates
// (Norton.h, Marie.h) finds here the locks in isolation and how they go together.
// A lock that cannot be solved by itself is a delay as long as the mean value recursion
// has it.
#pragma once

#include "advisor/model/decomposition/IsolatedStation.h"
#include "advisor/model/workload/ClosedNetwork.h"

#include <functional>
#include <optional>
#include <vector>

namespace qdadvise {

/// Phases for a time of this mean, squared coefficient of variation and skewness.
using PhaseFit = std::function<PhaseType(double meanNs, double cv2, double skewness)>;
/// As many as `fitPhases` takes, and no more than two, with a squared coefficient of
/// variation from 1/2 to 1.
PhaseType fitAll(double meanNs, double cv2, double skewness);
PhaseType fitTwo(double meanNs, double cv2, double skewness);

/// The lock by itself, with up to `threads` threads. None for algorithms whose sleepers'
/// times do not follow from how many there are (pthread_mutex), and where readers are let in
/// together. The machine description
/// must have all figures.
std::optional<IsolatedStation> isolatedStation(const LockStation &lock, const Machine &machine,
                                               int threads, const PhaseFit &fit);

/// The least delay: a network without any is the limit of ever shorter ones.
inline constexpr double leastNs = 1e-6;

/// By position in a list that begins at 0, linear between; beyond the last, as there.
double valueAt(const std::vector<double> &values, double position);

class Decomposition {
public:
  /// `byMva` is what the mean value recursion says.
  Decomposition(const ClosedNetwork &network, NetworkState byMva);

  int threads() const { return mva.threads; }
  /// By mva.
  const StationState &estimate(std::size_t lock) const { return mva.stations[lock]; }
  /// Stations of the network that are solved by themselves, each as many times as its count.
  const std::vector<std::size_t> &locks() const { return apart; }
  /// Normalising constants (Convolution.h) of all that is no such station.
  std::vector<double> rest() const;
  std::optional<IsolatedStation> isolated(std::size_t lock, const PhaseFit &fit) const;

  /// Rates of arrival at `lock` with 0 ... N-1 threads there, from the cycles per
  /// nanosecond that 0 ... N threads make in the network without it. Those who are there
  /// inside an outer section are missing at none but the outer lock.
  std::vector<double> arrivals(std::size_t lock, const std::vector<double> &without) const;

  /// Solves every lock with its arrivals `fromOthers`, times the one factor with which all the
  /// threads add up to N.
  NetworkState assemble(const std::vector<std::vector<double>> &fromOthers) const;

private:
  std::vector<double> withReturns(std::size_t lock, const IsolatedStation &station,
                                  std::vector<double> arrivals) const;

  const ClosedNetwork &network;
  NetworkState mva;
  std::vector<std::size_t> apart;
  std::vector<double> bursts; ///< of `apart`: how often threads come while any do, by the mean
  double fixedNs;             ///< blocked time and the other locks, per cycle
};

} // namespace qdadvise
