// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording goes on and off: as <qdadvise/profile.h> says, and in slices of time.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

struct Process;

void startRecording();
void stopRecording();
void resetRecording();
/// With Process::control taken.
void stopLocked(Process &self);
/// In the child of a fork, with its threads forgotten: from zero, and on if recording is wanted.
void recordAnew(Process &self, std::uint64_t stamp);

/// Hooks are on so much longer, before and after: the thread that turns them on and off takes the
/// processor from one of the program's, and what that had in hand takes longer.
inline constexpr std::uint64_t sliceMarginNs = 500'000;
/// A slice of time begins that is recorded, if recording is wanted.
void openSlice();
/// It ends. Not before threads have ended what they began in it: to be called until it returns
/// true, with `now` where that takes too long.
bool closeSlice(bool now);
/// Between two slices, in the first of which a single thread took locks: how fast it does with few
/// hooks on says what they cost (hook_cost.h). From here on its attempts are counted; false if
/// there is nothing to be learned.
bool beginCounting();
void endCounting();

} // namespace qdadvise::runtime
