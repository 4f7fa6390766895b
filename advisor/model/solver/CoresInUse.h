// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared cores (Cores.h) and solutions: how a solution uses the cores, and how the cores change it.
#pragma once

#include "advisor/model/solver/Approximation.h"
#include "advisor/model/solver/Cores.h"
#include "advisor/model/solver/Solution.h"

namespace qdadvise {

/// How the threads of a solution use the cores.
CoreUse coreUseOf(const Approximation &now, const Solution &solution);

/// Threads of one core that sleep hardly meet at a lock: they do only if a time slice ends during a
/// section (COR10). So the threads beyond one per core go as fast as on one core, if that is
/// faster.
void keepTogether(const Approximation &now, Solution &solution);

/// Cores cannot do more than their time allows (COR11). If the approximation has them do more,
/// threads wait for a core.
void boundByCores(const Approximation &now, Solution &solution);

} // namespace qdadvise
