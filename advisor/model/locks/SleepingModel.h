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
#include "advisor/model/locks/ReadPhases.h"

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

/// Squared coefficients of variation, of which 1, an exponential distribution's, is the most that
/// counts.
struct Variation {
  double hold = 1, away = 1;
};

class SleepingModel {
public:
  virtual ~SleepingModel() = default;

  /// Two threads and one lock.
  struct Two {
    double perNs = 0;                   ///< critical sections per nanosecond
    double holdNs = 0;                  ///< mean holding time, until the data are here included
    double taken = 1;                   ///< share of the acquisitions that found it taken
    std::optional<double> changes = {}; ///< share that follow the other thread's, where known
  };
  /// Each is away from the lock for `awayNs` between a release and its next attempt; of two among
  /// so many.
  virtual Two two(double awayNs, int threads = 2) const = 0;

  /// A lock for which there are always sleepers.
  struct Saturated {
    double ns = 0; ///< mean time between two acquisitions
    double holdNs = 0, taken = 1;
    std::optional<double> changes = {};
    double wakeups = 1;  ///< of sleepers, per acquisition
    double asleep = 0.5; ///< share of the attempts that find it taken: these fall asleep
    /// These two where nobody sleeps, if others.
    struct Free {
      double holdNs = 0, changes = 0;
    };
    std::optional<Free> free = {};
  };
  /// What a lock taken by threads that are away for `awayNs` costs the next one that comes.
  struct Costs {
    Saturated saturated;
    /// Threads that a thread may meet: with as many visitors as threads, all but itself.
    double others = 0;
    double present = 0; ///< of these, at the lock
    double taken = 0;   ///< probability that it is taken
    /// Time to get the lock's cache line for a thread that finds it free, beyond LO.
    double transferNs = 0;
    /// Mean time lost to the first of those that are there: what makes two threads come out as
    /// `two` has them.
    double failureNs = 0;
    /// Where many threads share the lock, which tells the mean time by itself.
    std::optional<ReadPhases::State> shared = {};

    double holdNs(double whenTaken) const {
      return whenTaken * saturated.holdNs +
             (1 - whenTaken) * (saturated.free ? saturated.free->holdNs : saturated.holdNs);
    }
    /// Where all come once per `cycleNs`.
    std::optional<double> changes(double cycleNs) const {
      const double u = std::min(1.0, saturated.ns * others / cycleNs);
      return saturated.free ? u * *saturated.changes + (1 - u) * saturated.free->changes
                            : saturated.changes;
    }
    /// How often the lock can serve, of so many threads.
    double occupancyNs(int threads) const { return saturated.ns * others / (threads - 1); }
  };
  /// From one visit to the next.
  struct Cycle {
    double awayNs = 0, residenceNs = 0; ///< from the lock, and at it
    double sleptNs = 0;   ///< by who sleeps; not known with two: it is for the rest of a section
    double visitors = 1;  ///< the one before was as likely the same as of so many
    double elsewhere = 0; ///< as StationState has it
  };
  /// With `threads` threads, from the cycle with one thread less. Fixpoints start at `before`, what
  /// was found with one thread less.
  virtual Costs costs(int threads, const Cycle &cycle, const Costs &before) const;

  /// Mean time from attempt to completion: s + LO + (1 - P) transferNs + P failureNs + S (Q - P),
  /// with P and Q as Costs::taken and present, S as Saturated::ns.
  double residenceNs(const Costs &costs) const;

protected:
  /// `holdNs` and LO of the lock; wake-up costs, line transfers and `[scheduler] sleep_ns`,
  /// the time from finding it taken to being asleep (absent: 250), and `wake_ns` (absent: 150), of
  /// `machine`.
  SleepingModel(double holdNs, double lockOverheadNs, const Machine &machine,
                const Variation &variation);

  /// With more than two threads.
  virtual Saturated saturated(const Two &two, double visitors, double awayNs, double sleptNs,
                              const Saturated &before) const = 0;

  /// The line is read before it is written, and both times it may be elsewhere.
  double transferNs(double visitors) const { return 2 * lineNs(visitors); }
  Wakeup wakeupAfter(double sleptNs) const;
  /// Of a thread that sleeps for the rest of an exponential time.
  Wakeup wakeupAfterRestOf(double meanNs) const;

  /// Two threads that have met go on at a distance: so many more sections, until what their times
  /// vary by has brought them together again, than where they come at random. `asleep` of those
  /// who meet sleep, and meanwhile others may have the lock, or not.
  double sectionsInStep(double sectionNs, double awayNs, double asleep, const Wakeup &wakeup,
                        bool barging) const;

  /// How much longer a thread takes that the kernel sends back at once: glibc 2.36 on the
  /// virtual machine of docs/theory.md.
  static constexpr double sentBackNs = 80;

  const double holdNs, lockOverheadNs;
  const Machine &machine;
  const Variation variation;
  const LineTransfer lineNs;
  const double sleepNs;
  const double nobodyWokenNs; ///< of a call that finds nobody asleep
};

} // namespace qdadvise
