// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running another program.
#pragma once

#include "advisor/support/Error.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace qdadvise {

/// How a program ended, as a shell sees it: its exit status, or 128 + the signal.
struct Ending {
  pid_t pid = 0;
  int status = 0;
  int signal = 0; ///< 0: it exited
  int asked = 0;  ///< the signal that we passed on, or that the terminal sent to both; 0: none
};

/// Runs a program on our standard streams until it ends. `environment` adds to or
/// replaces ours, as NAME=VALUE. Signals meant to end us reach the program instead.
Expected<Ending> runProgram(const std::vector<std::string> &command,
                            const std::vector<std::string> &environment);

/// Our environment, with these NAME=VALUE added or replaced.
std::vector<std::string> environmentWith(const std::vector<std::string> &additions);
/// The words as the system takes them: pointers to them, then null.
std::vector<char *> pointersTo(std::vector<std::string> &words);

/// Runs a program and returns its standard output; fails unless it exits with 0.
Expected<std::string> captureOutput(const std::vector<std::string> &command);

} // namespace qdadvise
