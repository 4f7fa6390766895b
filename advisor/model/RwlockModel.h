// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc's reader-writer lock (2.36) of the default kind, which prefers readers: a reader that
// meets a writer, and a writer that meets readers, go to sleep and are handed the lock,
// asleep as they are, so that nobody can barge past; writers among themselves are like a mutex.
#pragma once

#include "advisor/model/ClosedNetwork.h"
#include "advisor/model/SleepingModel.h"

namespace qdadvise {

class RwlockModel : public SleepingModel {
public:
  /// `holdNs` is the mean over all sections.
  RwlockModel(double holdNs, const Readers &readers, double lockOverheadNs, const Machine &machine,
              const Variation &variation = {});
  Two two(double awayNs, int threads = 2) const override;

protected:
  /// What two threads need that come as often as sections end, or, where that is less, many
  /// threads who read at the same time; and no less than the lock's cache line allows.
  Saturated saturated(const Two &two, double visitors, double awayNs, double sleptNs,
                      const Saturated &before) const override;

private:
  double pairWith(double awayNs, double transferNs) const;
  double readPhasesNs(double awayNs) const;

  double reads, writes; ///< shares of the sections
  double readNs, writeNs;
  Wakeup afterRead, afterWrite; ///< wake-ups of who slept for the rest of one
};

} // namespace qdadvise
