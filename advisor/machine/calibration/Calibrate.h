// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the machine that it runs on: what the lock algorithms of this project and of the C
// library cost there, and what moving a cache line and waking a thread cost.
#pragma once

#include "advisor/machine/Machine.h"

#include <functional>
#include <string>
#include <vector>

namespace qdadvise {

struct CalibrateOptions {
  /// Measures one round of few samples, for tests and for a first look.
  bool quick = false;
  /// Uses at most so many of the cores that the process may run on. 0: all of them.
  int cores = 0;
  /// Is told what is measured next, and the share that is done, from 0 to 1.
  std::function<void(double done, const std::string &what)> progress;
};

struct Calibration {
  Machine machine;
  /// Figures that could not be measured here, with the reason, for people.
  std::vector<std::string> missing;
  /// Figures that vary by more than half their value, apart from changes of the clock: the machine
  /// was busy.
  std::vector<std::string> noisy;
};

/// Takes seconds, less with `quick`, on a machine that is otherwise idle. Pins the threads that it
/// measures with to cores, and leaves the calling thread's affinity as it was.
Calibration calibrate(const CalibrateOptions &options = {});

} // namespace qdadvise
