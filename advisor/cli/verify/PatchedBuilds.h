// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program before and after a patch, each built in a copy of its source tree: the user's tree is
// only read.
#pragma once

#include "advisor/support/Error.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

/// What a build folder of CMake was configured with.
struct BuildSettings {
  std::filesystem::path source, build;
  std::string generator;
  std::vector<std::pair<std::string, std::string>> options; ///< `NAME:TYPE` and the value
};
/// From the text of its CMakeCache.txt.
Expected<BuildSettings> parseBuildSettings(const std::string &cache,
                                           const std::filesystem::path &build);
/// The command that configures a copy of the source tree in the same way.
std::vector<std::string> configureCommand(const BuildSettings &settings,
                                          const std::filesystem::path &source,
                                          const std::filesystem::path &build);

/// Build folders that are there as long as this object is.
class PatchedBuilds {
public:
  /// `patch` is one that `qdadvise apply` wrote; the tree may be as before or as after it.
  static Expected<std::unique_ptr<PatchedBuilds>> make(const std::string &build,
                                                       const std::string &patch);
  PatchedBuilds(const PatchedBuilds &) = delete;
  PatchedBuilds &operator=(const PatchedBuilds &) = delete;
  ~PatchedBuilds();

  std::string before() const { return (folder / "before-build").string(); }
  std::string after() const { return (folder / "after-build").string(); }

private:
  explicit PatchedBuilds(std::filesystem::path theFolder) : folder(std::move(theFolder)) {}

  std::filesystem::path folder;
};

} // namespace qdadvise
