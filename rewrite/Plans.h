// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plans of all locks that are asked for. A lock of a class of the program's own changes with
// the lock that the class has in it, which all locks of the class share.
#pragma once

#include "rewrite/LockPlan.h"
#include "rewrite/Requests.h"

#include <vector>

namespace qdadvise {

/// In the order of names and places.
std::vector<LockPlan> plansFor(const Requests &requests, const ProgramUses &uses);

/// Refuses the plans that depend on one that was refused since.
void followInnerLocks(std::vector<LockPlan> &plans);

} // namespace qdadvise
