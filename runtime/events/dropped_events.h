// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events that could not be recorded. The profile says how many there are.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

/// One more event is lost.
void countDropped();
std::uint64_t droppedEvents();
/// Counts from zero again, in a child of fork.
void forgetDropped();

} // namespace qdadvise::runtime
