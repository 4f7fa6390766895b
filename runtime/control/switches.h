// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns recording on and off: as <qdadvise/profile.h> says, and in slices of time.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

struct Process;

void startRecording();
void stopRecording();
void resetRecording();
/// Process::control must be taken.
void stopLocked(Process &self);
/// Begins from zero in the child of a fork, with its threads forgotten; on if recording is wanted.
void recordAnew(Process &self, std::uint64_t stamp);

/// Begins a slice of time that is recorded, if recording is wanted.
void openSlice();
/// Ends it, but not before threads have ended what they began in it: it has to be called until it
/// returns true, with `now` where that takes too long. Where attempts are to be counted next hooks
/// stay on for beginCounting.
bool closeSlice(bool now, bool isToCount);
/// Counts attempts from here on, between two slices, if a single thread took locks in the first:
/// how fast it takes them with few hooks on says what hooks cost (replay/hook_cost.h). False if
/// there is nothing to be learned.
bool beginCounting();
void endCounting();

} // namespace qdadvise::runtime
