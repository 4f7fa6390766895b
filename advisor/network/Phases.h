// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of a run, through which its threads go together (docs/theory/run-phases.md).
#pragma once

#include "advisor/network/Network.h"

#include <cstddef>

namespace qdadvise {

/// The network of one phase of a network that has some. It has the same locks, sections and
/// classes, no phases, and those transitions that occur in the phase.
Network networkOfPhase(const Network &network, std::size_t phase);

} // namespace qdadvise
