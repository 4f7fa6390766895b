// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock serves one thread at a time (docs/theory/mva.md, equation (MV6)). Methods that take each
// lock by itself, and classes that wait as long as their mean does, may let it serve more. Then its
// queue, which is too short, becomes as long as it takes.
#pragma once

#include "advisor/model/workload/ClassNetwork.h"
#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

/// Lets no lock serve more than it can.
void boundByCapacity(const ClosedNetwork &network, NetworkState &state);
/// The same for several classes. They wait for as much longer, per visit, at such a lock.
void boundByCapacity(const ClosedNetwork &network, const ClassNetwork &classes,
                     std::vector<ClassState> &states);

} // namespace qdadvise
