// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times as a network has them, from what was measured of them.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"

#include <cstdint>
#include <string>

namespace qdadvise {

Duration durationOf(double mean, double variance, std::uint64_t samples);

/// What a release of a lock of this kind costs: half of acquire and release together.
/// Zero where the machine does not say.
double releaseNs(const Machine &machine, const std::string &kind);

} // namespace qdadvise
