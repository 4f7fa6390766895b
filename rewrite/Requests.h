// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lock is to become what: from the advice, or all locks the same.
#pragma once

#include "rewrite/Apply.h"
#include "rewrite/LockPlan.h"

#include "advisor/advice/AdviceFile.h"

#include <set>
#include <string>
#include <vector>

namespace qdadvise {

struct Request {
  std::string lock; ///< the name that was asked for
  std::string key;  ///< "": the program has no such lock
  const Target *target = nullptr;
};

struct Requests {
  std::vector<Request> wanted;
  PlanOptions options;
  std::vector<std::string> kept; ///< names of locks that the advice is to keep
};

/// An error where an option names what there is not.
Expected<Requests> requestsFor(const ApplyOptions &options, const AdviceFile &advice,
                               const ProgramUses &program);

} // namespace qdadvise
