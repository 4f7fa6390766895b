// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the models of glibc's locks have in common: threads that find the lock taken go to
// sleep. Two threads and one lock, each thread on a core of its own, are a semi-Markov chain
// (MutexModel.h, RwlockModel.h); from it and the time between two acquisitions while there are
// always sleepers, any number of threads follows, by mean values. Times in nanoseconds,
// holding and local times exponential. The derivation is in docs/theory.md.
#pragma once

#include "advisor/machine/Machine.h"

#include <algorithm>
#include <array>
#include <optional>

namespace qdadvise {

/// A wake-up: its mean latency and cost to the waker, and how long others have from the end of that
/// one's call until the sleeper is awake, equally likely lengths, 0 where the sleeper is first.
struct Wakeup {
  double latencyNs = 0, wakerNs = 0;
  std::array<double, 32> gapsNs{};

  template <typename Figure> double meanOverGaps(Figure figure) const {
    double sum = 0;
    for (const double gapNs : gapsNs)
      sum += figure(gapNs);
    return sum / static_cast<double>(gapsNs.size());
  }
  double gapNs() const {
    return meanOverGaps([](double gap) { return gap; });
  }
};

class SleepingModel {
public:
  virtual ~SleepingModel() = default;

  /// Critical sections per nanosecond of two threads, each away from the lock for
  /// `awayNs` between a release and its next attempt; of two among so many.
  virtual double pairThroughput(double awayNs, int threads = 2) const = 0;

  /// A lock for which there are always sleepers.
  struct Saturated {
    double ns = 0;                      ///< mean time between two acquisitions
    double holdNs = 0;                  ///< mean holding time, until the data are here included
    double taken = 1;                   ///< share of the acquisitions that found it taken
    std::optional<double> changes = {}; ///< share that follow another thread's, where known
    double wakeups = 1;                 ///< of sleepers, per acquisition
    /// These two where nobody sleeps, if others.
    struct Free {
      double holdNs = 0, changes = 0;
    };
    std::optional<Free> free = {};
  };
  /// What a lock taken by threads that are away for `awayNs` costs.
  struct Costs {
    Saturated saturated;
    /// Threads that a thread may meet: with as many visitors as threads, all but itself.
    double others = 0;
    /// Time to get the lock's cache line for a thread that finds it free, beyond LO.
    double transferNs = 0;
    /// Mean time lost by an attempt that finds it taken: what makes two threads come
    /// out as `pairThroughput` has them.
    double failureNs = 0;

    /// u below.
    double taken(double cycleNs) const { return std::min(1.0, saturated.ns * others / cycleNs); }
    double holdNs(double cycleNs) const {
      const double u = taken(cycleNs);
      return u * saturated.holdNs +
             (1 - u) * (saturated.free ? saturated.free->holdNs : saturated.holdNs);
    }
    std::optional<double> changes(double cycleNs) const {
      const double u = taken(cycleNs);
      return saturated.free ? u * *saturated.changes + (1 - u) * saturated.free->changes
                            : saturated.changes;
    }
  };
  /// With `threads` threads, who sleep for `sleptNs` each time (with two: for the rest of a
  /// holding time), and of which the one before was as likely the same as of `visitors`.
  Costs costs(int threads, double visitors, double awayNs, double sleptNs) const;

  /// Mean time from attempt to completion with threads each of which comes once per
  /// `cycleNs`: s + LO + (1 - u) transferNs + failureNs u / (1 - u), where u = S others / cycleNs
  /// is the share of time in which the others have it, S as Saturated::ns. Infinite where u >= 1:
  /// they cannot come that often.
  double residenceNs(const Costs &costs, double cycleNs) const;

protected:
  /// `holdNs` and LO of the lock; wake-up costs, line transfers and `[scheduler] sleep_ns`,
  /// the time from finding it taken to being asleep (absent: 250), and `wake_ns` (absent: 150), of
  /// `machine`.
  SleepingModel(double holdNs, double lockOverheadNs, const Machine &machine);

  virtual Saturated saturated(int threads, double visitors, double awayNs,
                              double sleptNs) const = 0;

  /// The line is read before it is written, and both times it may be elsewhere.
  double transferNs(double visitors) const { return 2 * lineNs(visitors); }
  Wakeup wakeupAfter(double sleptNs) const;
  /// Of a thread that sleeps for the rest of an exponential time.
  Wakeup wakeupAfterRestOf(double meanNs) const;

  /// How much longer a thread takes that the kernel sends back at once: glibc 2.36 on the
  /// virtual machine of docs/theory.md.
  static constexpr double sentBackNs = 80;

  const double holdNs, lockOverheadNs;
  const Machine &machine;
  const LineTransfer lineNs;
  const double sleepNs;
  const double nobodyWokenNs; ///< of a call that finds nobody asleep
};

} // namespace qdadvise
