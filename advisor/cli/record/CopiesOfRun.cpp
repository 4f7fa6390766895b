// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/cli/record/CopiesOfRun.h"

#include "advisor/cli/Output.h"
#include "advisor/cli/ProgressBar.h"
#include "advisor/profile/format/Decode.h"
#include "advisor/profile/format/Encode.h"
#include "advisor/profile/merge/MemoryTrace.h"
#include "advisor/profile/summary/Copies.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qdadvise {
namespace {

/// Why copies of a run that ended so would tell nothing, or "".
std::string whyNoCopies(const Profile &profile, const Ending &ending) {
  if (ending.signal != 0 || ending.asked != 0)
    return "copies have to end by themselves, and this run was ended by a signal; none was run";
  if (isMemoryTrace(profile))
    return "a memory trace takes other times than the program; no copy was run";
  return "";
}

} // namespace

RecordedInput::RecordedInput() {
  struct stat found = {};
  if (::fstat(STDIN_FILENO, &found) != 0 || !S_ISREG(found.st_mode))
    return;
  file = "/proc/self/fd/0";
  from = std::max<off_t>(0, ::lseek(STDIN_FILENO, 0, SEEK_CUR));
}

Expected<int> addCopies(const std::string &path, CopiesRequest request, const Ending &ending) {
  Profile profile = TRY(readProfile(path));
  if (const std::string reason = whyNoCopies(profile, ending); !reason.empty()) {
    note("--copies: " + reason);
    return ending.status;
  }
  ProgressBar bar;
  request.progress = [&](double done) { bar.show(done, "copies"); };
  const CopiesResult result = TRY(measureCopies(request));
  bar.clear();
  if (result.interruption != 0) {
    note("--copies: interrupted; no copy is left running, and the profile stays without them");
    return 128 + result.interruption;
  }
  if (!result.problem.empty()) {
    note("--copies: " + result.problem);
    return ending.status;
  }
  profile.copies = result.rounds;
  const MeasuredCopies found = measuredCopies(profile).front();
  for (const CopiesSlowdown &one : found.slowdowns)
    fmt::print(stderr,
               "  {} copies at once: each takes {:.2f} times the processor time of one alone (+- "
               "{:.1f}%, {})\n",
               one.copies, one.factor, 100 * one.deviation, plural(one.rounds, "round"));
  const int code = writeOutput(path, encodeProfile(profile));
  return code != exitSuccess ? code : ending.status;
}

} // namespace qdadvise
