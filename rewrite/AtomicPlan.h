// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it takes to have atomics instead of a lock: all edits, or the gates that are in the way.
#pragma once

#include "rewrite/LockPlan.h"

#include <string>

namespace qdadvise {

LockPlan planAtomic(const ProgramUses &program, const std::string &key, const Target &target);

} // namespace qdadvise
