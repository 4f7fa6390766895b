// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of programs: how long they take, and what they print.
#pragma once

#include "advisor/support/Error.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <sys/types.h>
#include <vector>

namespace qdadvise {

struct RunRequest {
  std::vector<std::string> command;
  std::vector<int> processors;            ///< to run on; empty: on all that we may run on
  std::chrono::duration<double> limit{0}; ///< 0: none
  std::vector<std::string> environment;   ///< NAME=VALUE, added to ours
  std::string input = "/dev/null";        ///< the file that is its standard input
  off_t inputFrom = 0;                    ///< where in it the program begins to read
  bool keepsOutput = true;                ///< false: only what it writes to its standard error
};

struct MeasuredRun {
  double seconds = 0;
  double togetherS = 0; ///< of `seconds`: in which all runs ran that were started with it
  double ownS = 0;      ///< processor time of the program and of the children that it waited for
  double othersS = 0;   ///< processor time of whatever else ran on this machine until all had ended
  int status = 0;       ///< as a shell sees it: the exit status, or 128 + the signal
  bool isTimedOut = false; ///< it was ended at the limit
  int interruption = 0;    ///< the signal that ended it by way of us, as Ctrl-C does; 0: none
  std::string output;      ///< the end of what it wrote to its standard output and error
};

/// Runs a program in a process group of its own. Signals that are to end us end the
/// group; one that does not end is killed. Whatever of the group is left when the program has
/// ended is killed, too.
Expected<MeasuredRun> measureRun(const RunRequest &request);
/// Does so with several at once. A limit is for all of them: the first one's.
Expected<std::vector<MeasuredRun>> measureRuns(const std::vector<RunRequest> &requests);

inline constexpr std::size_t mostRunsAtOnce = 1024;

} // namespace qdadvise
