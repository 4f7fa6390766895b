// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// May what follows a section depend on its completion? Not where all that it knows of its thread
// are values, and all that it looks at or changes are variables that the whole program names in
// sections of the same lock only: who looks at them asks the lock for it, and what was asked for
// before is done before.
#pragma once

#include "rewrite/uses/ProgramUses.h"

#include <optional>
#include <string>

namespace qdadvise {

struct WaitReason {
  std::string why;
  TextRange place;
};

/// Why a thread waits for that section of the lock. Nothing: it is proven that it need not.
std::optional<WaitReason> reasonToWait(const UnawaitedSection &section, const ProgramLock &lock,
                                       const ProgramUses &program);

} // namespace qdadvise
