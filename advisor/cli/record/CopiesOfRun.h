// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies of a program that was recorded (Copies.h), and its profile.
#pragma once

#include "advisor/cli/process/Process.h"
#include "advisor/cli/record/Copies.h"
#include "advisor/support/Error.h"

#include <string>
#include <sys/types.h>

namespace qdadvise {

/// The program's standard input where that is a file, which copies can be given, too. Others get an
/// empty one.
struct RecordedInput {
  /// Before the recorded run reads from it.
  RecordedInput();
  std::string file = "/dev/null";
  off_t from = 0;
};

/// Runs copies of the program whose recorded run ended so, and adds to its profile what they took.
/// Says why where they tell nothing, and leaves the profile as it is. Returns the exit code.
Expected<int> addCopies(const std::string &path, CopiesRequest request, const Ending &ending);

} // namespace qdadvise
