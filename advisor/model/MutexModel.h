// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc's mutex (2.36): threads that find it taken go to sleep, a release wakes one
// of them, and meanwhile any other thread may take it ("barging"). Two threads are a
// semi-Markov chain in closed form.
#pragma once

#include "advisor/model/SleepingModel.h"

namespace qdadvise {

class MutexModel : public SleepingModel {
public:
  MutexModel(double holdNs, double lockOverheadNs, const Machine &machine);
  double pairThroughput(double awayNs) const override;

protected:
  /// The time held, and the time free until the woken thread or a barging one has it.
  double saturatedNs(int threads, double awayNs, double sleptNs) const override;

private:
  WakeupCost pairWakeup;
};

} // namespace qdadvise
