// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc's reader-writer lock (2.36) of the default kind, which prefers readers
// (docs/theory/rwlock.md, equations (RW1) to (RW3) and (RW16); ReadPhases.h has those for many
// threads). A reader that meets a writer, and a writer that meets readers, go to sleep. They are
// handed the lock while they still sleep, so that nobody can barge past them. Writers among
// themselves are as at a mutex.
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
  bool sharesReads() const override { return reads > 0; }
  /// The costs of more than two threads are those of ReadPhases.
  Costs costs(int threads, const Cycle &cycle, const Costs &before) const override;
  double sleptNs(double residenceNs, double heldNs, const Costs &costs) const override;

protected:
  /// Nobody calls it: two threads do not always sleep, and more have ReadPhases.
  Saturated saturated(int threads, const Two &two, double perNs, const Cycle &cycle,
                      const Saturated &before) const override;

private:
  class Pair;

  double reads, writes; ///< shares of the sections
  double readNs, writeNs;
  MutexModel writers; ///< the writers among themselves
  ReadPhases phases;
  Wakeup afterRead, afterWrite; ///< wake-ups of threads that slept for the rest of a section
};

} // namespace qdadvise
