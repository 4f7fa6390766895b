// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What taking a lock, a handoff and delegation cost. Figures are medians with interquartile ranges,
// in nanoseconds.
#pragma once

#include "advisor/machine/calibration/Samples.h"
#include "runtime/abi/lock_algorithms.h"

#include <array>
#include <map>
#include <vector>

namespace qdadvise {

using FigureByKind = std::map<LockKind, Figure>;

/// LO by algorithm: one thread acquires and releases the lock (or delegates an empty operation) in
/// a loop, while a second thread exists. The algorithms take turns, so that a change of clock speed
/// affects them alike.
FigureByKind measureLockOverheads(Effort effort);

/// The transfer of a cache line: half a round trip of two threads that compare-exchange one line in
/// turn, as published latencies of two cores are measured.
Figure measureTransfer(std::array<int, 2> processors, Effort effort);

/// How much longer an atomic update of a line that another core wrote last takes, if the line is
/// read first: a transfer where the read gets a copy and the update has to make others invalid,
/// and next to nothing where the read gets the line alone.
Figure measureUpgrade(std::array<int, 2> processors, Effort effort);

/// How long a core goes on using a line that another one waits for, after the line has come: the
/// time of all but one of the updates that it makes in a transfer, where two threads update one
/// line as fast as they can. At most a transfer.
Figure measureKept(std::array<int, 2> processors, Effort effort);

/// How much longer it takes to update so many lines, one after the other, if another core wrote
/// them last: the time of two threads in turns, less that of one. With `chained`, each line says
/// where the next one is, in random order; else no line depends on another.
Figure measureMovedLines(std::array<int, 2> processors, int lines, bool chained, Effort effort);

/// h(j) of KindCosts::handoffCurve for the locks of ours whose waiters spin, by algorithm, where j
/// is the number of processors. After a release a thread stays away for less than the next section,
/// so that another thread gets the lock every time and j threads are at the lock every time.
FigureByKind measureHandoffs(const std::vector<int> &processors, Effort effort);
/// The same after sections shorter than a handoff. `afterLong` is the result of the above. After a
/// release a thread stays away for a random time, which on the mean ends after the next release: j
/// is one less than the number of processors, which is at least three.
FigureByKind measureShortHandoffs(const std::vector<int> &processors, const FigureByKind &afterLong,
                                  Effort effort);

/// DO(k) of each delegating lock: the time from the end of the helper's own operation until it has
/// released the lock, with k empty operations waiting in the queue, less the same without any.
/// Section IV-F of the 2015 paper lets k + 1 threads delegate in loops. A thread that waits for its
/// value would be the only one there much of the time, so the helper's own operation lasts until
/// the k others have delegated.
FigureByKind measureDelegations(const std::vector<int> &processors, Effort effort);

} // namespace qdadvise
