// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `.qdadvise.toml`: what a user settles once for a source tree. The plugin and the
// command read the same file.
#pragma once

#include "advisor/advice/FindingThresholds.h"
#include "advisor/advice/LockApis.h"
#include "advisor/advice/Suppression.h"
#include "advisor/support/Error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qdadvise {

/// Level of the advice among the compiler's diagnostics.
enum class Severity { off, remark, warning, error };
/// `off`, `remark`, `warning` or `error`.
std::optional<Severity> parseSeverity(std::string_view text);

/// Where advice is printed.
enum class Grouping {
  site, ///< at each site
  lock, ///< once, at the lock's declaration, with its sites as notes
};

struct UserConfig {
  std::string path;   ///< the file it was read from; empty: none
  std::string advice; ///< path of advice.toml, relative ones from the configuration's folder
  std::optional<Severity> severity;
  Grouping group = Grouping::site;
  std::vector<Suppression> suppressions;
  int threads = 0, cores = 0; ///< 0: not said
  std::vector<LockApiEntry> lockApis;
  FindingThresholds findings;
  /// `file:line:column: …` of each key that is not known; such keys have no effect.
  std::vector<std::string> warnings;
};

/// Errors have the form `file:line:column: error: …`.
Expected<UserConfig> parseUserConfig(const std::string &toml, const std::string &path);
Expected<UserConfig> readUserConfig(const std::string &path);

/// The nearest `.qdadvise.toml` in `folder` or above it, or "".
std::string findUserConfig(const std::string &folder);

} // namespace qdadvise
