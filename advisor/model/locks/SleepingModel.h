// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the models of glibc's locks have in common: threads that find the lock taken go to sleep
// (docs/theory/mutex.md). Two threads at one lock, each on a core of its own, are a semi-Markov
// chain (MutexModel.h, RwlockModel.h). Any number of threads follows by mean values (MX11) from
// that chain and from the time between two acquisitions while there are always sleepers. Times in
// nanoseconds; holding and local times are exponential.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/locks/NextAwake.h"
#include "advisor/model/locks/ReadPhases.h"
#include "advisor/model/numeric/Fixpoint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace qdadvise {

/// A wake-up (MX4): its mean latency, and its mean cost to the waker. A gap is the time from the
/// end of the waker's call until the sleeper is awake, 0 if the sleeper is first. The gaps are
/// equally likely.
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

/// Squared coefficients of variation. More than 1, that of an exponential time, counts as 1; but
/// for what two threads at a mutex meet (MX36).
struct Variation {
  double hold = 1, away = 1;
};

class SleepingModel {
public:
  virtual ~SleepingModel() = default;

  /// Two threads and one lock.
  struct Two {
    double perNs = 0;                   ///< critical sections per nanosecond
    double holdNs = 0;                  ///< mean holding time, with coherence misses
    double taken = 1;                   ///< share of the acquisitions that found it taken
    std::optional<double> changes = {}; ///< share that follow the other thread's, if known
    double meeting = 0;                 ///< share of the time in which one of them waits, if known
    NextAwake next = {};
  };
  /// Each thread is away from the lock for `awayNs` between a release and its next attempt.
  /// `threads` is the number in the program.
  virtual Two two(double awayNs, int threads = 2) const = 0;

  /// A lock that always has sleepers.
  struct Saturated {
    double ns = 0; ///< mean time between two acquisitions
    double holdNs = 0, taken = 1;
    std::optional<double> changes = {};
    double wakeups = 1;  ///< of sleepers, per acquisition
    double asleep = 0.5; ///< share of the failing attempts that fall asleep
    double takenNs = 0;  ///< of `ns`, how long the lock is taken (MX32)
    NextAwake next = {};
    /// Sections per nanosecond of two threads that meet, if these are not any two (MX34).
    std::optional<double> pairPerNs = {};
    /// Figures that differ if nobody sleeps.
    struct Free {
      double holdNs = 0, changes = 0;
    };
    std::optional<Free> free = {};
    /// What the fixpoint of wake-ups has learned. It hardly changes from one thread to the next.
    std::optional<Broyden<3>::Inverse> learned = {};
  };
  /// What a lock costs the next thread that comes.
  struct Costs {
    Saturated saturated;
    /// Threads that a thread may meet. If all threads visit the lock alike, these are all but
    /// itself.
    double others = 0;
    double present = 0; ///< how many of them are at the lock
    double taken = 0;   ///< probability that the lock is taken (MX13)
    double wanted = 0; ///< share of the time in which others have it or are about to have it (MX13)
    /// Time to get the lock's cache line for a thread that finds it free, beyond LO.
    double transferNs = 0;
    /// Mean time that is lost to the first thread at the lock: so much that two threads come out as
    /// `two` has them (MX12).
    double failureNs = 0;
    double meeting = 0;                    ///< of two threads, as in Two
    std::optional<double> foundTaken = {}; ///< as StationState::foundTaken
    /// Many threads that share the lock have a model of their own, which has the residence time.
    std::optional<ReadPhases::State> shared = {};

    double holdNs(double whenTaken) const {
      return whenTaken * saturated.holdNs +
             (1 - whenTaken) * (saturated.free ? saturated.free->holdNs : saturated.holdNs);
    }
    /// As StationState::changes, if all threads come once per `cycleNs`.
    std::optional<double> changes(double cycleNs) const {
      const double u = std::min(1.0, saturated.ns * others / cycleNs);
      return saturated.free ? u * *saturated.changes + (1 - u) * saturated.free->changes
                            : saturated.changes;
    }
    /// Probability that a thread that comes finds the lock taken (MX32), if all `threads` come once
    /// per `cycleNs` and have it for `heldNs`, LO included.
    double contention(double heldNs, int threads, double cycleNs) const;
    /// Time per visit that the lock needs, with so many threads.
    double occupancyNs(int threads) const { return saturated.ns * others / (threads - 1); }
  };
  /// From one visit to the next.
  struct Cycle {
    double awayNs = 0, residenceNs = 0; ///< away from the lock, and at it
    double sleptNs =
        0; ///< by a sleeper. Two threads do not need it: they sleep for a section's rest
    double visitors = 1;  ///< effective visitors: as many come at random
    double elsewhere = 0; ///< as in StationState
    double meets = 1;     ///< share of the others' visits that a thread may meet (MX39)
  };
  /// With `threads` threads, from the cycle with one thread less. Fixpoints start at `before`, the
  /// costs with one thread less.
  virtual Costs costs(int threads, const Cycle &cycle, const Costs &before) const;

  /// Whether several readers have the lock at a time.
  virtual bool sharesReads() const { return false; }
  /// How long a thread is away that goes to another lock, where all are away for `awayNs`.
  virtual double elsewhereNs(double awayNs) const { return awayNs; }
  /// How long a thread sleeps each time that it does, where it is at the lock for so long.
  virtual double sleptNs(double residenceNs, double heldNs, const Costs &costs) const {
    return (residenceNs - heldNs) / costs.saturated.wakeups;
  }

  /// Mean time from attempt to completion (MX11): s + LO + (1 - P) transferNs + P failureNs +
  /// S (Q - P). P is Costs::taken, Q is Costs::present, and S is Saturated::ns.
  double residenceNs(const Costs &costs) const;

protected:
  /// `holdNs` and LO are the lock's. `machine` has wake-up costs, line transfers, and of the
  /// scheduler `sleep_ns`, the time from a failing attempt to sleep (250 if absent), and `wake_ns`
  /// (150 if absent).
  SleepingModel(double holdNs, double lockOverheadNs, const Machine &machine,
                const Variation &variation);

  /// For more than two threads. The others come `perNs` times per nanosecond.
  virtual Saturated saturated(int threads, const Two &two, double perNs, const Cycle &cycle,
                              const Saturated &before) const = 0;

  /// The lock's line is read before it is written (MX5).
  double transferNs(double visitors) const { return lineNs.readAndWrite * lineNs(visitors); }
  /// Time per section of threads whose rounds are shorter than a fetch of the line: one of them
  /// goes on at home until the line leaves it, and hardly ever meets another (MX26).
  double tightNs(double awayNs, double visitors) const;
  /// How many fetches of the line, to read and to write it, a wake-up leads to. The woken thread
  /// only writes. If it finds the lock taken, the release of that section has to get the line back
  /// (MX31).
  double wokenFetches(double takenAtWakeup) const {
    return (1 + takenAtWakeup) / lineNs.readAndWrite;
  }
  Wakeup wakeupAfter(double sleptNs) const;
  /// The wake-up of a thread that sleeps for the rest of an exponential time.
  Wakeup wakeupAfterRestOf(double meanNs) const;

  /// Two threads that have met go on at a distance (MX10). How many more sections they execute than
  /// threads that come at random, until the variation of their times has brought them together
  /// again. Each fetches the line for `fetchNs` a round. A share `asleep` of those that meet sleep.
  /// If `barging`, the others may have the lock meanwhile.
  double sectionsInStep(double sectionNs, double awayNs, double fetchNs, double asleep,
                        const Wakeup &wakeup, bool barging) const;

  /// A thread that was sent back has the lock. The one that it met has been away for `leftNs`, less
  /// what its section lasted after the meeting, or will be so much later where that is negative. It
  /// comes so often in this section, over how often it would if it were away from the beginning
  /// (MX38). Exponential sections.
  static double comesBeside(double leftNs, double sectionNs) {
    const double rest = std::exp(-std::abs(leftNs) / sectionNs) / 2;
    return leftNs > 0 ? 1 - rest : rest;
  }

  /// How much longer a thread takes that the kernel sends back at once, with glibc 2.36 on the
  /// virtual machine that docs/results describes.
  static constexpr double sentBackNs = 80;

  const double holdNs, lockOverheadNs;
  const Machine &machine;
  const Variation variation;
  const LineTransfer lineNs;
  const double sleepNs;
  const double nobodyWokenNs; ///< time of a call that finds nobody asleep
};

} // namespace qdadvise
