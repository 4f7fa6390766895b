// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What commands print, where, and with which exit code. The libraries below print nothing.
#pragma once

#include "advisor/report/Reporter.h"
#include "advisor/support/Error.h"
#include "advisor/support/TextStyle.h"

#include <string>

namespace qdadvise {

inline constexpr int exitSuccess = 0;
inline constexpr int exitFailure = 1;
inline constexpr int exitUsage = 2;

/// Prints `qdadvise: error: MESSAGE`, or MESSAGE alone where it already has the form
/// `file:line:column: error: ...`. Returns exitUsage.
int fail(const std::string &message);
/// Prints the error of a command, if it has one, and returns its exit code.
int exitCodeOf(const Expected<int> &result);
/// Prints `qdadvise: note: MESSAGE` on standard error.
void note(const std::string &message);

/// Writes to standard output, or (path neither empty nor "-") to a file that appears
/// under its name only when it is complete. Returns an exit code, having said what failed:
/// exitUsage where there can be no such file.
int writeOutput(const std::string &path, const std::string &text);

/// Breaks the lines of a help text that are longer than that, so that what an option means stays in
/// its column.
std::string helpWithin(std::size_t width, const std::string &help);

/// Finds out before time is spent on a file's content whether it can be written, and says why not.
/// Can create the folder that it is in. Output that goes to standard output always can.
Expected<void> checkWritable(const std::string &path, bool createFolder = false);

/// The screen's size, and colours where standard output is a terminal, nothing goes to a file and
/// NO_COLOR is unset. CLICOLOR_FORCE asks for colours in a pipe, for `less -R`; COLUMNS and LINES
/// say there, and before what the terminal says, how large the screen is.
TextStyle outputStyle(const std::string &outputPath);

} // namespace qdadvise
