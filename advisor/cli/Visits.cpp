// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/cli/Visits.h"

#include "advisor/cli/Inputs.h"
#include "advisor/cli/Output.h"
#include "advisor/network/construction/Preemption.h"
#include "advisor/profile/merge/Merge.h"
#include "advisor/profile/merge/Visits.h"
#include "advisor/profile/summary/CallPaths.h"
#include "runtime/abi/profile_format.h"

#include <fmt/format.h>
#include <set>

namespace qdadvise {
namespace {

bool hasTimes(const Profile &profile) { return (profile.flags & format::runCountersOnly) == 0; }

/// Merges runs whose counts are wanted. Where one has no times, those of the others are ignored.
Expected<Profile> loadVisits(const std::vector<std::string> &paths,
                             std::set<std::string> &programs) {
  std::vector<Profile> profiles;
  bool allTimed = true;
  for (const std::string &path : paths) {
    profiles.push_back(withoutPaths(TRY(loadProfiles({path}))));
    programs.insert(profiles.back().program);
    allTimed = allTimed && hasTimes(profiles.back());
  }
  if (!allTimed)
    for (Profile &profile : profiles)
      profile.flags |= format::runCountersOnly;
  return profiles.size() == 1 ? Expected<Profile>(std::move(profiles.front()))
                              : mergeProfiles(profiles);
}

} // namespace

Expected<Profile> addVisits(const Profile &timed, const std::vector<std::string> &paths) {
  std::set<std::string> programs = {timed.program};
  Profile visits = TRY(loadVisits(paths, programs));
  removePreemptions(visits); // some of its times may stand in for those that the other run lacks
  noteSeveral(programs);
  Profile profile = withoutPaths(timed);
  // Outliers are recognised by how often they occur, which only the timed run's own counts tell.
  const Preemptions removed = removePreemptions(profile);
  if (removed.observations > 0)
    note(preemptionNote(removed));
  ProfileWithVisits joined = TRY(withVisits(profile, visits));
  for (const std::string &text : joined.notes)
    note(text);
  return std::move(joined.profile);
}

} // namespace qdadvise
