// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise merge: one profile out of many runs, processes and hosts.

#include "advisor/profile/merge/Merge.h"
#include "advisor/cli/Commands.h"
#include "advisor/cli/Inputs.h"
#include "advisor/cli/Options.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/Visits.h"
#include "advisor/profile/format/Encode.h"
#include "advisor/profile/merge/MemoryTrace.h"
#include "runtime/abi/profile_format.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace qdadvise {
namespace {

struct MergeOptions {
  std::vector<std::string> profiles, visits;
  std::string output;
  bool repeated = false; ///< leaves out what disturbed some runs
};

Expected<int> runMerge(const MergeOptions &options) {
  if (options.output.empty())
    return makeError("name the merged profile: give -o FILE");
  std::vector<Profile> runs;
  Profile profile = TRY(loadProfiles(options.profiles, options.repeated ? &runs : nullptr));
  if (options.repeated && runs.empty())
    return makeError("--repeated: these are not several runs of one command, one after the other");
  std::error_code none;
  for (const std::string &path : options.profiles)
    if (std::filesystem::equivalent(path, options.output, none))
      note(fmt::format("{} is written anew from what was in it and the others: do not merge the "
                       "same runs into it again",
                       path));
  const bool hasTimes = (profile.flags & format::runCountersOnly) == 0;
  if (!hasTimes && !isMemoryTrace(profile))
    return makeError("there is no run with times among the profiles: record one, and give those "
                     "that only count with --visits");
  if (!options.visits.empty())
    profile = TRY(addVisits(profile, options.visits));
  return writeOutput(options.output, encodeProfile(profile));
}

} // namespace

void addMerge(CLI::App &app, int &exitCode) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App *command =
      app.add_subcommand("merge", "Make one profile of many runs, processes or hosts");
  addProfilesArgument(*command, options->profiles);
  command
      ->add_option("--visits", options->visits,
                   "Runs of more threads that say which sections run, how often and in which "
                   "order; times stay those of PROFILE; may be repeated")
      ->type_name("PROFILE")
      ->allow_extra_args(false);
  command->add_flag("--repeated", options->repeated,
                    "They are runs of one command: leave out what disturbed some of them");
  command->add_option("-o,--output", options->output, "The merged profile")->type_name("FILE");
  command->callback([options, &exitCode] { exitCode = exitCodeOf(runMerge(*options)); });
}

} // namespace qdadvise
