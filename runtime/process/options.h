// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QDADVISE_OPTIONS="key=value:key=value"; a value in quotes, '...' or "...", may have colons. A key
// or value that makes no sense gets one line on standard error and the default; a profiled program
// is never stopped.
#pragma once

#include "runtime/tables/tables.h"

#include <cstddef>

namespace qdadvise::runtime {

inline constexpr std::size_t maxPath = 4096;

struct Options {
  char profile[maxPath] = "qdadvise.%p.qdprof";
  bool isProfileNamed = false; ///< somebody asked for `profile`
  bool enabled = true;
  bool never = false; ///< nothing is recorded or written, whatever the program asks for
  bool threaded = true;
  bool verbose = false;
  bool atAnyEnd = true; ///< write the profile at _exit, quick_exit and before death by signal
  int signal = 0;       ///< 0: none
  Limits limits;
  char pathSites[1024] = ""; ///< where call paths are asked for: `FILE[:LINE]`, commas between
  std::uint32_t slices = 1;  ///< record in one of so many slices of time
  bool slicesByLoad = false; ///< or fewer, as hooks turn out to cost and as much is known
  std::uint32_t pathDepth = 5;
  std::uint32_t maxPaths = 512;
  bool memory = true;              ///< where the program was compiled for it
  char memorySites[1024] = "";     ///< `FILE[:LINE]` or locks' names, commas between; "": all
  std::uint32_t memorySlices = 10; ///< one in so many slices of time is traced

  /// Puts the process id into `profile` if it is not there. False if that leaves no room.
  bool tellProcessesApart();
};

/// Parses `text` (null counts as empty). Each thing wrong with it is given to
/// `complain`, one message a call.
void parseOptions(const char *text, Options &options, void (*complain)(const char *message));

/// Puts the pid for %p, the host for %h and the program's name for %b into `pattern`;
/// %% is a percent sign. Async-signal-safe. False if `out` is too small.
bool expandPattern(const char *pattern, unsigned long pid, const char *host, const char *program,
                   char *out, std::size_t size);

} // namespace qdadvise::runtime
