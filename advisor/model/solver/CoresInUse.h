// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that share cores, in a solution: what it says of the cores (Cores.h), and what these say
// of it.
#pragma once

#include "advisor/model/solver/Approximation.h"
#include "advisor/model/solver/Cores.h"
#include "advisor/model/solver/Solution.h"

namespace qdadvise {

/// What a solution says of the cores, which threads must share.
CoreUse coreUseOf(const Approximation &now, const Solution &solution);

/// Threads of one core that sleep hardly meet at a lock: only where its holder's time slice
/// ends. As many as there are beyond one a core do what one core does, where that is more.
void keepTogether(const Approximation &now, Solution &solution);

/// Cores do no more than they can: where the approximation has them do more, threads wait for one,
/// wherever that is.
void boundByCores(const Approximation &now, Solution &solution);

} // namespace qdadvise
