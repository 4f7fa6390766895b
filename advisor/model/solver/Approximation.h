// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/model/solver/LockDemand.h"
#include "advisor/model/solver/LockedNetwork.h"
#include "advisor/model/solver/Unknowns.h"

namespace qdadvise {

/// What the solver assumes in a round. The demands follow from the unknowns that the round began
/// with.
struct Approximation {
  const LockedNetwork &given;
  Unknowns unknowns;
  Demands demands;
};

} // namespace qdadvise
