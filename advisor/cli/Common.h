// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the commands share: options, errors, output, inputs. Commands print and
// choose the exit code; the libraries below them do neither.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/profile/Profile.h"
#include "advisor/support/Error.h"
#include "advisor/support/TextStyle.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace qdadvise {

inline constexpr int exitSuccess = 0;
inline constexpr int exitFailure = 1;
inline constexpr int exitUsage = 2;

/// Prints `qdadvise: error: MESSAGE`, or MESSAGE alone where it already has the form
/// `file:line:column: error: ...`. Returns exitUsage, so that a command can `return fail(...)`.
int fail(const Error &error);
int fail(const std::string &message);
/// Prints `qdadvise: note: MESSAGE` on standard error.
void note(const std::string &message);

/// A check of options whose default an empty value would silently stand for.
std::string notEmpty(const std::string &value);

// Options, with the same name and help text in every command that has them.
void addMachineOption(CLI::App &command, std::string &path);
void addThreadsOption(CLI::App &command, std::string &threads);
void addCoresOption(CLI::App &command, int &cores); ///< 0: not given
void addKindOption(CLI::App &command, std::string &kinds);
void addModelOption(CLI::App &command, std::string &model);
void addOutputOption(CLI::App &command, std::string &path);
void addScaleOption(CLI::App &command, std::vector<std::string> &classes);
/// The first of `formats` is the default.
void addFormatOption(CLI::App &command, std::string &format,
                     const std::vector<std::string> &formats);
void addProfilesArgument(CLI::App &command, std::vector<std::string> &paths, bool required = true);

/// `8`, `1,2,4`, `1..64` or a mixture: ascending, each number once.
Expected<std::vector<int>> parseThreads(const std::string &text);
/// What a command does with lock algorithms: those with a model can be predicted, and some
/// without can be simulated.
enum class KindUse { predicted, simulated };
/// Names of lock algorithms, separated by commas; `all` is all that can be used so.
Expected<std::vector<std::string>> parseKinds(const std::string &text,
                                              KindUse use = KindUse::predicted);

/// A machine and, for people, where it came from and whether it was measured.
struct LoadedMachine {
  Machine machine;
  std::string origin;
};
/// The file at `path`; if empty, the one `calibrate` wrote for this user, else the generic one.
Expected<LoadedMachine> loadMachine(const std::string &path);

/// Reads the profiles and merges them where there are several. Of diagnosis runs beside others only
/// what sections do to memory is taken.
Expected<Profile> loadProfiles(const std::vector<std::string> &paths);

/// Says that what is merged is not of one program: it may be meant, of a server and its helpers.
void noteSeveral(const std::set<std::string> &programs);

/// Writes to standard output, or (path neither empty nor "-") to a file that appears
/// under its name only when it is complete. Returns an exit code, having said what failed:
/// exitUsage where there can be no such file.
int writeOutput(const std::string &path, const std::string &text);

/// Why a file could not be written, found out before time is spent on its content; or
/// nothing. Can create the folder that it is in.
std::string whyNotWritable(const std::string &path, bool createFolder = false);

/// Colours where standard output is a terminal, nothing goes to a file and NO_COLOR is unset.
TextStyle outputStyle(const std::string &outputPath);

} // namespace qdadvise
