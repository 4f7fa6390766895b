// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See dropped_events.h.
#include "runtime/events/dropped_events.h"

namespace qdadvise::runtime {

namespace {

std::uint64_t lostEvents = 0;

} // namespace

void countDropped() { __atomic_fetch_add(&lostEvents, 1, __ATOMIC_RELAXED); }
std::uint64_t droppedEvents() { return __atomic_load_n(&lostEvents, __ATOMIC_RELAXED); }
void forgetDropped() { __atomic_store_n(&lostEvents, 0, __ATOMIC_RELAXED); }

} // namespace qdadvise::runtime
