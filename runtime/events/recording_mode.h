// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How recording stands. Hooks read it; control/switches.h changes it.
#pragma once

namespace qdadvise::runtime {

extern bool recording;
/// Recording was asked for. In slices of time it is off in between nevertheless.
extern bool recordingWanted;
/// Recording is off, but for a count of attempts to take locks.
extern bool countingAttempts;
/// All there is of recording is counts of sites: only hooks of attempts and failures are on.
extern bool countingSites;
/// A slice has ended: threads go on until nothing is open that they began in it.
extern bool finishing;
/// This process records a memory trace.
extern bool tracingMemory;

} // namespace qdadvise::runtime
