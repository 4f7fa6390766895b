// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The detectors of findings about locks. Each adds to what the search has found.
#pragma once

#include "advisor/decide/FindingSearch.h"

namespace qdadvise {

/// Locks of one class of which some are contended much more than others.
void findAsymmetry(FindingSearch &search);
/// Locks, and sites, that are contended or acquired often.
void findByQuadrant(FindingSearch &search);
/// Locks that were traced where nothing tells how several threads would contend for them: one
/// thread took them, or there is a memory trace only.
void findTraced(FindingSearch &search);
/// Locks that threads try to take over and over.
void findFailingTries(FindingSearch &search);

} // namespace qdadvise
