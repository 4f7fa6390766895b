// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unknowns of the solver's iteration: how often thread classes go round, how long they wait
// inside their sections, where the other threads are meanwhile, and what shared cores do.
#pragma once

#include "advisor/model/numeric/Fixpoint.h"
#include "advisor/model/solver/Cores.h"
#include "advisor/model/solver/LockedNetwork.h"
#include "advisor/model/workload/Workload.h"

#include <cmath>
#include <optional>
#include <vector>

namespace qdadvise {

/// The unknowns of one lock class.
struct LockUnknowns {
  Damped queueLengthWhenBusy{1}; ///< threads at an instance while it is held
  Damped atOthers;               ///< threads at other instances
  Damped visitors;               ///< effective visitors (Revisits.h)
  Damped mixing{1};              ///< as in StationLoad
  double innerDelayNs = 0;       ///< away from an inner lock, by the round before; 0: not known
};

struct Unknowns {
  /// At the beginning each thread is alone, and nobody waits.
  explicit Unknowns(const LockedNetwork &given)
      : waits(given.network.sections.size()), locks(given.locks.size()) {
    for (const double rate : given.ratesAlone)
      logRates.push_back({rate > 0 ? std::log(rate) : 0, 1});
    mix(given, given.ratesAlone);
  }

  /// Takes a step towards the mean class that was found.
  void approachMix(const LockedNetwork &given, std::vector<double> cyclesPerNs) {
    for (std::size_t c = 0; c < cyclesPerNs.size(); ++c)
      if (cyclesPerNs[c] > 0) {
        logRates[c].approach(std::log(cyclesPerNs[c]));
        cyclesPerNs[c] = std::exp(logRates[c].value);
      }
    mix(given, cyclesPerNs);
  }

  /// Sets the mean class by the unknown rates.
  void mixAsFound(const LockedNetwork &given) {
    std::vector<double> cyclesPerNs = rates;
    for (std::size_t c = 0; c < rates.size(); ++c)
      if (rates[c] > 0)
        cyclesPerNs[c] = std::exp(logRates[c].value);
    mix(given, cyclesPerNs);
  }

  /// Sets the mean class by the cycles per nanosecond of each class (NET3).
  void mix(const LockedNetwork &given, const std::vector<double> &cyclesPerNs) {
    traffic = mergeTraffic(given.network, given.classes, given.scalingThreads, cyclesPerNs);
    rates = cyclesPerNs;
  }

  /// Prepares the values for the iteration of another network.
  void beginAnew() {
    for (Damped *const one : damped())
      one->lastError = 0;
  }

  /// All unknowns that go towards their targets by damped steps, in a fixed order.
  std::vector<Damped *> damped() {
    std::vector<Damped *> result;
    for (std::vector<Damped> *const several : {&waits, &logRates})
      for (Damped &one : *several)
        result.push_back(&one);
    for (LockUnknowns &lock : locks)
      result.insert(result.end(),
                    {&lock.queueLengthWhenBusy, &lock.atOthers, &lock.visitors, &lock.mixing});
    if (cores)
      for (Damped *const one : cores->damped())
        result.push_back(one);
    return result;
  }

  /// How much longer computation takes for want of cores.
  double stretch() const { return cores ? cores->stretch() : 1; }

  int population = 1;               ///< threads of the mean class
  MergedTraffic traffic;            ///< the mean class
  std::vector<double> rates;        ///< of the classes, by which it is the mean
  std::vector<Damped> logRates;     ///< their logarithms
  std::vector<Damped> waits;        ///< by section: mean waiting times of nested ones
  std::vector<LockUnknowns> locks;  ///< by lock
  std::optional<SharedCores> cores; ///< where threads share them
};

} // namespace qdadvise
