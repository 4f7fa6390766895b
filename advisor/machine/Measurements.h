// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single measurements of a calibration. Each returns medians with interquartile
// ranges, in nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// How long to measure: a sample is a batch of operations or one event.
struct Effort {
  int samples = 0;
};

/// Median and interquartile range; nothing where there are no samples.
std::optional<Figure> summarize(std::vector<double> samples);

// CalibrateTimer.cpp

/// Reading the time-stamp counter (where there is none, the monotonic clock), in a loop.
Figure measureTimerRead(Effort effort);
/// A call that reads it and stores stamp and address: what a hook cannot do without.
Figure measureHook(Effort effort);
/// This core's clock, now, in cycles per nanosecond: additions that wait for one another take a
/// cycle each.
double measureClockGhz();
/// The processor's nominal clock, which its time-stamp counter keeps; nothing where the counter has
/// a clock of its own.
std::optional<double> nominalClockGhz();

// CalibrateLocks.cpp

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

// CalibrateWakeups.cpp

/// A wake call with nobody asleep.
Figure measureEmptyWake(Effort effort);

/// Latency (from the wake call to the woken thread running) and the waker's cost (of the
/// call) with the sleeper on another core, asleep for `sleptNs`.
struct WakeupFigures {
  Figure latency, waker;
};
/// Nothing where no sleeper was ever asleep in time.
std::optional<WakeupFigures> measureWakeup(int wakerProcessor, int sleeperProcessor, double sleptNs,
                                           Effort effort);

// CalibrateScheduler.cpp

/// The processor's pause, in a loop.
Figure measurePause(Effort effort);
/// A yield that nobody takes up, in a loop.
Figure measureYield(Effort effort);
/// From one thread to another on the same core: two that yield to each other, less `yield`.
Figure measureSwitch(int processor, const Figure &yield, Effort effort);
/// How long each of two threads that compute on one core has it at a time. Nothing where
/// they did not take turns.
std::optional<Figure> measureTimeslice(int processor, Effort effort);
/// Share of the processors' time that programs take while this one sleeps for so long.
double measureOthers(double seconds);

} // namespace qdadvise
