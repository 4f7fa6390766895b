// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of a program: how long it takes, and what it prints.
#pragma once

#include "advisor/support/Error.h"

#include <chrono>
#include <string>
#include <vector>

namespace qdadvise {

struct RunRequest {
  std::vector<std::string> command;
  std::vector<int> processors;            ///< to run on; empty: on all that we may run on
  std::chrono::duration<double> limit{0}; ///< 0: none
};

struct MeasuredRun {
  double seconds = 0;
  double ownS = 0;         ///< processor time of the program and of the children that it waited for
  double othersS = 0;      ///< processor time of whatever else ran on this machine meanwhile
  int status = 0;          ///< as a shell sees it: the exit status, or 128 + the signal
  bool isTimedOut = false; ///< it was ended at the limit
  int interruption = 0;    ///< the signal that ended it by way of us, as Ctrl-C does; 0: none
  std::string output;      ///< the end of what it wrote to its standard output and error
};

/// Runs a program in a process group of its own, without input. Signals that are to end us end the
/// group; one that does not end is killed. Whatever of the group is left when the program has
/// ended is killed, too.
Expected<MeasuredRun> measureRun(const RunRequest &request);

} // namespace qdadvise
