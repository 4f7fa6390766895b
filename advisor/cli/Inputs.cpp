// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/Callers.h"
#include "advisor/cli/Common.h"
#include "advisor/profile/Aliases.h"
#include "advisor/profile/Diagnosis.h"
#include "advisor/profile/Merge.h"
#include "advisor/support/SomeOf.h"

#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace qdadvise {
namespace {

std::string describe(const Machine &machine, const std::string &from) {
  std::string source = machine.source;
  if (!machine.reference.empty())
    source += ": " + machine.reference;
  else if (!machine.date.empty())
    source += " " + machine.date;
  return fmt::format("{} ({}; {})", machine.name, from, source);
}

} // namespace

Expected<LoadedMachine> loadMachine(const std::string &path) {
  std::string file = path;
  std::error_code missing;
  if (file.empty() && std::filesystem::exists(userMachinePath(), missing))
    file = userMachinePath();
  if (file.empty())
    return LoadedMachine{
        genericMachine(),
        describe(genericMachine(), "built in; `qdadvise calibrate` measures yours")};
  Expected<Machine> machine = readMachine(file);
  if (!machine)
    return tl::unexpected(machine.error());
  return LoadedMachine{*machine, describe(*machine, file)};
}

void noteSeveral(const std::set<std::string> &programs) {
  if (programs.size() > 1)
    note(fmt::format("these are runs of {} programs, {}: what they have in common in the source is "
                     "added up; give each one's by itself if that is not meant",
                     programs.size(), someOf({programs.begin(), programs.end()})));
}

Expected<Profile> loadProfiles(const std::vector<std::string> &paths) {
  struct Runs {
    ProfileMerger merger;
    std::size_t count = 0;
    std::set<std::string> programs;
  } timed, diagnosis;
  std::set<std::filesystem::path> given;
  for (const std::string &path : paths) {
    std::error_code none; // readProfile says it better
    if (!given.insert(std::filesystem::weakly_canonical(path, none)).second)
      return makeError(fmt::format("{}: given twice, so that all that it has would count twice; "
                                   "leave one out",
                                   path));
    Expected<Profile> profile = readProfile(path);
    if (!profile)
      return profile;
    std::vector<std::string> notes;
    resolveCallers(*profile, notes);
    for (const std::string &line : notes)
      note(fmt::format("{}: {}", path, line));
    joinAliases(*profile);
    if (paths.size() == 1)
      return profile;
    Runs &runs = isDiagnosis(*profile) ? diagnosis : timed;
    if (const auto added = runs.merger.add(*profile); !added)
      return tl::unexpected(added.error());
    ++runs.count;
    runs.programs.insert(profile->program);
  }
  noteSeveral(timed.programs);
  noteSeveral(diagnosis.programs);
  if (timed.count == 0 || diagnosis.count == 0)
    return (timed.count == 0 ? diagnosis : timed).merger.finish();
  Expected<Profile> run = timed.merger.finish();
  Expected<Profile> memory = diagnosis.merger.finish();
  if (!run || !memory)
    return run ? memory : run;
  return withDiagnosis(std::move(*run), *memory);
}

} // namespace qdadvise
