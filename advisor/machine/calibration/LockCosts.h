// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What taking, handing over and delegating cost. Medians with interquartile ranges, in
// nanoseconds.
#pragma once

#include "advisor/machine/calibration/Samples.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace qdadvise {

/// LO by algorithm: acquire and release (delegate an empty operation) by one thread while a
/// second one exists, in a loop. They take turns, so that a change of clock speed meets
/// them alike.
std::map<std::string, Figure> measureLockOverheads(Effort effort);

/// Two threads write one cache line in turn: half a round trip.
Figure measureTransfer(int processor, int otherProcessor, Effort effort);

/// What it takes longer to update so many lines, one after the other, if another core wrote them
/// last: two threads in turns, less one. Each says where the next one is, in random order
/// (`chained`), or none depends on another.
Figure measureMovedLines(std::array<int, 2> processors, int lines, bool chained, Effort effort);

/// h(j) of KindCosts::handover for the spinlock, the ticket, the MCS and the CLH lock, by
/// algorithm, j being the number of processors. Whoever releases stays away for a time shorter
/// than the section of the next, so that the lock changes hands every time and j threads
/// are there every time.
std::map<std::string, Figure> measureHandovers(const std::vector<int> &processors, Effort effort);
/// The same after sections shorter than a hand-over, from what the above says of long ones. Whoever
/// releases is away for a random time, on the mean until after the next release: j is one less than
/// the number of processors, which are at least three.
std::map<std::string, Figure> measureShortHandovers(const std::vector<int> &processors,
                                                    const std::map<std::string, Figure> &afterLong,
                                                    Effort effort);

/// DO(k) of each delegating lock: the time from the end of the helper's own operation until it has
/// released the lock, with k empty operations waiting in the queue, less the same without any. The
/// section IV-F of the 2015 paper lets k + 1 threads delegate in loops; a thread that
/// waits for its value would be the only one there much of the time, so the helper's
/// own operation lasts until the k others have delegated.
std::map<std::string, Figure> measureDelegations(const std::vector<int> &processors, Effort effort);

} // namespace qdadvise
