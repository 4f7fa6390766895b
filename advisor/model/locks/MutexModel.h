// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc's mutex (2.36; docs/theory/mutex.md, equations (MX1) to (MX37)). Threads that find it taken
// go to sleep. A release wakes one of them, and meanwhile any other thread may take it: it barges
// in. Two threads are a semi-Markov chain in closed form.
#pragma once

#include "advisor/model/locks/SleepingModel.h"
#include "advisor/model/workload/ClassNetwork.h"
#include "advisor/model/workload/ClosedNetwork.h"
#include "advisor/network/DataMovement.h"

#include <algorithm>
#include <array>

namespace qdadvise {

/// Accesses to the lock's line by an attempt that fails.
struct FailureAccesses {
  double delaying = 2; ///< those that the holder, or the next one to have the lock, waits for
  double fetches = 4;  ///< all of them
};

class MutexModel : public SleepingModel {
public:
  /// `holdNs` does not contain coherence misses.
  MutexModel(double holdNs, double lockOverheadNs, const Machine &machine,
             const MovementTimes &coherenceMiss = {}, const Variation &variation = {},
             double mixing = 1, const FailureAccesses &ofFailure = {},
             const Reacquisitions &returns = {});
  double elsewhereNs(double awayNs) const override;
  Two two(double awayNs, int threads = 2) const override;
  /// How a thread keeps the mutex from sleepers, who wait for `waitNs` on the mean (MX37).
  KeptLock keptBy(const Keeper &keeper, double waitNs) const;

protected:
  Saturated saturated(int threads, const Two &two, double perNs, const Cycle &cycle,
                      const Saturated &before) const override;

private:
  /// Sections whose times vary more than exponential ones are of two kinds, each exponential
  /// (MX36).
  struct SectionKind {
    double share, mean; ///< of all sections; relative to the mean of all
  };
  static std::array<SectionKind, 2> kindsOf(double cv2);
  template <typename Figure> double overKinds(double heldNs, Figure figure) const {
    double sum = 0;
    for (const SectionKind &kind : kinds)
      if (kind.share > 0)
        sum += kind.share * figure(kind.mean * heldNs);
    return sum;
  }
  double mixed(double varying, double even) const;
  /// Two threads, of which each fetches the line for `fetchNs`.
  Two pair(double awayNs, double fetchNs) const;
  /// What a thread meets of a section of the other (MX8): the probabilities that it comes while the
  /// section lasts, and that it is asleep before its end; how long the section lasts then, times
  /// that probability; and how long it lasts until the thread comes, or to its end.
  struct Meeting {
    double comes, sleeps, restNs, beforeNs;
    double lateSleeps, lateRestNs; ///< of a thread that came while the other one fetched the line
  };
  Meeting meeting(double heldNs, double fetchNs, double awayNs) const;
  /// The same per section that does not barge, and the probability that a thread falls asleep that
  /// finds the mutex taken when it is back.
  struct Meetings {
    double q, sleeps, sleepsAgain, againRestNs;
    double freelyNs; ///< until the other thread comes, or to the section's end
    double beforeNs, restNs;
    /// The same where the other thread comes in only that share of the sections in which it would.
    Meetings rarer(double share, double sectionNs) const;
  };
  Meetings meetings(double fetchNs, double awayNs) const;

  /// What barging threads do until the woken thread has the mutex (MX2).
  struct Barging {
    double sections = 0;      ///< that they execute before it is awake
    double takenAtWakeup = 0; ///< probability that it finds the mutex taken
    double restNs = 0;        ///< how long the mutex is still taken then, times that probability
  };
  Barging barging(double awayNs, const Wakeup &wakeup) const;

  /// Times away: a share is short, as the thread comes to no other lock meanwhile (MX30).
  struct Away {
    double share = 0, soonNs = 0, laterNs = 0;

    /// Probability that a thread is back within an exponential time, if it is `more` away.
    double backWithin(double ns, double more = 0) const {
      return share * ns / (ns + soonNs + more) + (1 - share) * ns / (ns + laterNs + more);
    }
  };
  Away awayOf(double meanNs) const;
  Barging barging(const Away &away, const Wakeup &wakeup) const;
  Barging amongMany(const Barging &ofOne, double ns, double takenNs, const Wakeup &wakeup) const;

  /// Per section, if there are always sleepers.
  struct Wakeups {
    double each = 0;  ///< wake-ups (MX21)
    double taken = 0; ///< share of the acquisitions that found it taken (MX23)
    double alone = 0; ///< probability that only one thread is awake (MX24)
  };
  Wakeups wakeups(const Away &away, const Barging &barging, double wakerNs, double takenNs,
                  double each) const;

  Saturated oneAwake(double transferNs, const Barging &barging, const Wakeup &wakeup,
                     const Wakeups &woken) const;
  /// With many threads awake, from one acquisition to the next.
  struct Round {
    double ns;
    double asleep, takenNs; ///< as in Saturated
    Wakeups woken;
    double fits; ///< of those that would sleep or be about to, the share that there can be (MX33)
    std::optional<Broyden<3>::Inverse> learned; ///< where it came to rest
  };
  /// The cost of the lock's line to others: between any two threads, and within a socket.
  struct Line {
    double anyNs, nearNs;
  };
  Round manyAwake(int threads, double holdNs, const Line &line, const Away &away,
                  const Barging &barging, const Wakeup &wakeup, const Saturated &before) const;
  double asleepShare(double takenNs) const;

  /// Shorter times have the same limits, and would divide by 0.
  static constexpr double leastHoldNs = 1e-3, leastBackNs = 1;
  double ownNs() const { return std::max(holdNs, leastHoldNs); }
  double backNs(double awayNs) const { return std::max(awayNs + lockOverheadNs, leastBackNs); }

  const std::array<SectionKind, 2> kinds;
  double changedNs; ///< how much longer the mutex is held by a thread that was not there last
  double mixing;    ///< as in StationLoad
  FailureAccesses ofFailure;
  Reacquisitions returns;
  Wakeup pairWakeup;
};

/// The model of a station, whose time alone is `lockOverheadNs` longer than its sections.
MutexModel mutexOf(const StationLoad &load, double lockOverheadNs, const Machine &machine);

} // namespace qdadvise
