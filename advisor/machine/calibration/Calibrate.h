// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the machine it runs on: what the lock algorithms of this project and of the
// C library cost here, and what moving a cache line and waking a thread cost.
#pragma once

#include "advisor/machine/Machine.h"

#include <functional>
#include <string>
#include <vector>

namespace qdadvise {

struct CalibrateOptions {
  /// One round of few samples: for tests, and for a first look.
  bool quick = false;
  /// Uses at most so many of the cores that the process may run on; 0: all.
  int cores = 0;
  /// Told what is measured next and the share that is done, from 0 to 1.
  std::function<void(double done, const std::string &what)> progress;
};

struct Calibration {
  Machine machine;
  /// Figures that this machine cannot tell, with the reason, for people.
  std::vector<std::string> missing;
  /// Figures that vary by more than half their value, whatever the clock did: the machine was busy.
  std::vector<std::string> noisy;
};

/// Seconds, on a machine that is otherwise idle; less with `quick`. Pins the threads it
/// measures with to cores, and leaves the calling thread's affinity as it was.
Calibration calibrate(const CalibrateOptions &options = {});

} // namespace qdadvise
