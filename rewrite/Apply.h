// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `qdadvise apply` does, apart from reading its options.
#pragma once

#include "advisor/support/Error.h"

#include <string>
#include <vector>

namespace qdadvise {

struct ApplyOptions {
  std::string advice;                ///< path; "": all locks become `kind`
  std::string build;                 ///< folder with compile_commands.json
  std::vector<std::string> locks;    ///< names; none: all
  std::string kind;                  ///< "": what is advised
  std::vector<std::string> accepted; ///< names of gates that the user has answered
  std::string exportFixes;           ///< path; "": the files are written
  bool detached = false;             ///< operations are not waited for where that is needless
  bool dryRun = false;
  bool updatesAdvice = false; ///< says in the advice what can be changed; for dryRun
};

/// Rewrites locks and returns the summary.
Expected<std::string> applyAdvice(const ApplyOptions &options);

/// Takes back what the last `apply` of this build folder wrote.
Expected<std::string> undo(const std::string &build);

} // namespace qdadvise
