// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `slices=auto`: all is recorded until what is recorded can be spared, and it takes much of the
// time. From there on one in two slices is, in four, in eight.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

/// Whether hooks seem to take much of the calling thread's time, just now and for a while. To be
/// called whenever its buffer was emptied.
bool isLoadHigh();
/// After a slice: of how many as were recorded one is enough from here on, as a power of two. With
/// one in 2^shift hooks and recorder take little of the time, and locks are known (KnownLocks).
unsigned shiftByLoad();
/// Records one in 2^shift of the slices from here on, between two of them. What was recorded so far
/// counts as if it had been so from the beginning (tables/thin_tables.h). Does nothing where
/// recording was turned on or off meanwhile.
void thinSlices(unsigned shift);

} // namespace qdadvise::runtime
