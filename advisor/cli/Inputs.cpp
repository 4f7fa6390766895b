// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/Inputs.h"

#include "advisor/cli/Output.h"
#include "advisor/cli/process/Symbolizer.h"
#include "advisor/machine/BundledMachines.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/network/construction/Preemption.h"
#include "advisor/profile/format/Decode.h"
#include "advisor/profile/merge/Aliases.h"
#include "advisor/profile/merge/MemoryTrace.h"
#include "advisor/profile/merge/Merge.h"
#include "advisor/profile/merge/RepeatedRuns.h"
#include "advisor/support/Format.h"

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

Expected<LoadedMachine> findMachine(const std::string &path) {
  std::string file = path;
  std::error_code missing;
  if (file.empty() && std::filesystem::exists(userMachinePath(), missing))
    file = userMachinePath();
  if (file.empty())
    return LoadedMachine{
        genericMachine(),
        describe(genericMachine(), "built in; `qdadvise calibrate` measures yours")};
  const Machine *const bundled = findBundledMachine(file);
  if (!std::filesystem::exists(file, missing)) {
    if (bundled)
      return LoadedMachine{*bundled, describe(*bundled, "built in")};
    return makeError(fmt::format("{}: no such machine description: neither a file nor one of those "
                                 "that `qdadvise machines` lists",
                                 file));
  }
  Machine machine = TRY(readMachine(file));
  std::string origin = describe(machine, file);
  return LoadedMachine{std::move(machine), std::move(origin)};
}

} // namespace

Expected<LoadedMachine> loadMachine(const std::string &path, const std::string &placement) {
  LoadedMachine loaded = TRY(findMachine(path));
  if (placement.empty())
    return loaded;
  const auto named = placementNamed(placement);
  if (!named)
    return makeError(fmt::format("no placement of threads is called '{}'; there are {}", placement,
                                 placementNames()));
  loaded.machine.placement = *named;
  return loaded;
}

void noteSeveral(const std::set<std::string> &programs) {
  if (programs.size() > 1)
    note(fmt::format("these are runs of {} programs, {}: what they have in common in the source is "
                     "added up; give each one's by itself if that is not meant",
                     programs.size(), someOf({programs.begin(), programs.end()})));
}

namespace {

/// More runs than these are merged one by one, so that not all have to be in memory.
constexpr std::size_t mostRepeated = 64;

/// Leaves out what disturbed some of several runs of one command.
void undisturb(std::vector<Profile> &runs) {
  Preemptions removed;
  for (Profile &run : runs) {
    const Preemptions some = removePreemptions(run);
    removed.observations += some.observations;
    removed.ns += some.ns;
  }
  if (removed.observations > 0)
    note(preemptionNote(removed));
  if (const std::size_t disturbed = removeDisturbances(runs); disturbed > 0)
    note(fmt::format("in {} of {} runs some times are more than 15% longer than in the median run: "
                     "they are left out",
                     disturbed, runs.size()));
}

} // namespace

Expected<Profile> loadProfiles(const std::vector<std::string> &paths,
                               std::vector<Profile> *repeated) {
  struct Runs {
    ProfileMerger merger;
    std::size_t count = 0;
    std::set<std::string> programs;
  } timed, traced;
  std::vector<Profile> kept;
  std::set<std::filesystem::path> given;
  for (const std::string &path : paths) {
    std::error_code none; // readProfile says it better
    if (!given.insert(std::filesystem::weakly_canonical(path, none)).second)
      return makeError(fmt::format("{}: given twice, so that all that it has would count twice; "
                                   "leave one out",
                                   path));
    Profile profile = TRY(readProfile(path));
    std::vector<std::string> notes;
    resolveCallers(profile, notes);
    for (const std::string &line : notes)
      note(fmt::format("{}: {}", path, line));
    joinAliases(profile);
    if (paths.size() == 1)
      return profile;
    Runs &runs = isMemoryTrace(profile) ? traced : timed;
    ++runs.count;
    runs.programs.insert(profile.program);
    if (repeated && &runs == &timed && paths.size() <= mostRepeated)
      kept.push_back(std::move(profile));
    else
      TRY(runs.merger.add(profile));
  }
  if (repeated && areRepeated(kept)) {
    undisturb(kept);
    *repeated = kept;
  }
  for (const Profile &run : kept)
    TRY(timed.merger.add(run));
  noteSeveral(timed.programs);
  noteSeveral(traced.programs);
  if (timed.count == 0 || traced.count == 0)
    return (timed.count == 0 ? traced : timed).merger.finish();
  Profile run = TRY(timed.merger.finish());
  return withMemoryTrace(std::move(run), TRY(traced.merger.finish()));
}

Expected<UserConfig> loadUserConfig() {
  const std::string path = findUserConfig("");
  if (path.empty())
    return UserConfig{};
  UserConfig config = TRY(readUserConfig(path));
  for (const std::string &warning : config.warnings)
    note(warning);
  return config;
}

} // namespace qdadvise
