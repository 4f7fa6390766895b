// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What commands read: machines, profiles, the user's configuration.
#pragma once

#include "advisor/advice/UserConfig.h"
#include "advisor/machine/Machine.h"
#include "advisor/profile/Profile.h"
#include "advisor/support/Error.h"

#include <set>
#include <string>
#include <vector>

namespace qdadvise {

/// A machine and, for people, where it came from and whether it was measured.
struct LoadedMachine {
  Machine machine;
  std::string origin;
};
/// The file at `path`, or the bundled description of that name; if empty, the one `calibrate` wrote
/// for this user, else the generic one. Threads are placed as `placement` says, if it is not empty.
Expected<LoadedMachine> loadMachine(const std::string &path, const std::string &placement = "");

/// Reads the profiles and merges them where there are several. A memory trace beside other runs
/// only adds what sections do to memory. With `repeated`, what disturbed some of several runs of
/// one command, one after the other, is left out; it gets these runs.
Expected<Profile> loadProfiles(const std::vector<std::string> &paths,
                               std::vector<Profile> *repeated = nullptr);

/// Notes that several programs are merged, which may be meant: a server and its helpers.
void noteSeveral(const std::set<std::string> &programs);

/// The nearest `.qdadvise.toml` of the current folder or above; unknown keys are noted on
/// standard error.
Expected<UserConfig> loadUserConfig();

} // namespace qdadvise
