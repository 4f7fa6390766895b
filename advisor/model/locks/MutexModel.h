// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc's mutex (2.36): threads that find it taken go to sleep, a release wakes one
// of them, and meanwhile any other thread may take it ("barging"). Two threads are a
// semi-Markov chain in closed form.
#pragma once

#include "advisor/model/locks/SleepingModel.h"
#include "advisor/network/DataMovement.h"

#include <algorithm>

namespace qdadvise {

/// Of a lock's line, by an attempt that finds it taken.
struct FailureAccesses {
  double delaying = 2; ///< those that who has the lock, or is next, waits for
  double fetches = 4;  ///< altogether
};

class MutexModel : public SleepingModel {
public:
  /// Until the data are here is no part of `holdNs`.
  MutexModel(double holdNs, double lockOverheadNs, const Machine &machine,
             const MovementTimes &coherenceMiss = {}, const Variation &variation = {},
             double mixing = 1, const FailureAccesses &ofFailure = {});
  Two two(double awayNs, int threads = 2) const override;

protected:
  Saturated saturated(const Two &two, double visitors, double awayNs, double sleptNs,
                      const Saturated &before) const override;

private:
  /// The last one times its probability.
  struct Meeting {
    double comes, sleeps, restNs;
  };
  Meeting meeting(double heldNs, double lineNs, double awayNs) const;

  /// What barging threads do until the thread that was woken has the mutex.
  struct Barging {
    double sections = 0;      ///< before it is awake
    double takenAtWakeup = 0; ///< probability that it finds it taken
    double restNs = 0;        ///< that times how long it still is then
  };
  Barging barging(double awayNs, const Wakeup &wakeup) const;

  /// Where there are always sleepers, per section.
  struct Wakeups {
    double each = 0;  ///< sleepers that are woken
    double taken = 0; ///< of the acquisitions, those that found it taken
    double alone = 0; ///< probability that only one thread is awake
  };
  Wakeups wakeups(double awayNs, const Barging &barging, double wakerNs, double takenNs,
                  double each) const;

  Saturated oneAwake(double transferNs, const Barging &barging, const Wakeup &wakeup,
                     const Wakeups &woken) const;
  /// From one acquisition to the next.
  struct Cycle {
    double ns;
    double asleep; ///< as in Saturated
    Wakeups woken;
  };
  Cycle manyAwake(double holdNs, double lineNs, double awayNs, const Barging &barging,
                  const Wakeup &wakeup, const Saturated &before) const;
  double asleepShare(double takenNs) const;

  /// Nothing divides by 0: the limits are the same.
  double ownNs() const { return std::max(holdNs, 1e-3); }
  double backNs(double awayNs) const { return std::max(awayNs + lockOverheadNs, 1.0); }

  double changedNs; ///< how much longer it is held by another thread than the one before
  double mixing;    ///< as in StationLoad
  FailureAccesses ofFailure;
  Wakeup pairWakeup;
};

} // namespace qdadvise
