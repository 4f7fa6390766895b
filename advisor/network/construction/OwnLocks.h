// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lock classes of which each thread has some locks for itself, and shares others.
#pragma once

#include "advisor/network/Network.h"
#include "advisor/profile/summary/Takers.h"

#include <cstddef>
#include <vector>

namespace qdadvise {

/// Whether few locks have the traffic, so that it matters at which of them threads can meet. Of
/// many nobody meets anybody, and `own` says enough.
bool hasBusyLocks(const Lock &lock);

/// Divides a lock of the network in two: the threads' own locks, of which each thread has one
/// (`perThread`), and those that threads share. Sections inside others of the class, whose threads
/// have a lock already, are of shared ones first. The new lock, with the own ones, is the last one.
/// Returns for each section of the divided network which one of today's it was.
std::vector<std::size_t> divideOwn(Network &network, std::size_t lock, const OwnTraffic &own);

} // namespace qdadvise
