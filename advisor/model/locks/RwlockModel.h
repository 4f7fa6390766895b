// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc's reader-writer lock (2.36) of the default kind, which prefers readers: a reader that
// meets a writer, and a writer that meets readers, go to sleep and are handed the lock,
// asleep as they are, so that nobody can barge past; writers among themselves are like a mutex.
#pragma once

#include "advisor/model/locks/MutexModel.h"
#include "advisor/model/locks/ReadPhases.h"
#include "advisor/model/locks/SleepingModel.h"
#include "advisor/model/workload/ClosedNetwork.h"

namespace qdadvise {

class RwlockModel : public SleepingModel {
public:
  /// `holdNs` is the mean over all sections.
  RwlockModel(double holdNs, const Readers &readers, double lockOverheadNs, const Machine &machine,
              const Variation &variation = {});
  Two two(double awayNs, int threads = 2) const override;
  /// Of more than two threads, those of ReadPhases.
  Costs costs(int threads, const Cycle &cycle, const Costs &before) const override;

protected:
  /// Never asked: of two threads there are not always sleepers.
  Saturated saturated(const Two &two, double visitors, double awayNs, double sleptNs,
                      const Saturated &before) const override;

private:
  double pairWith(double awayNs, double transferNs) const;

  double reads, writes; ///< shares of the sections
  double readNs, writeNs;
  MutexModel writers; ///< among themselves
  ReadPhases phases;
  Wakeup afterRead, afterWrite; ///< wake-ups of who slept for the rest of one
};

} // namespace qdadvise
