// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of a network from measured ones.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"

#include <cstdint>
#include <string>

namespace qdadvise {

Duration durationOf(double mean, double variance, std::uint64_t samples);

/// The cost of a release of a lock of this kind: half of acquire and release together. Zero where
/// the machine does not say.
double releaseNs(const Machine &machine, LockKind kind);

} // namespace qdadvise
