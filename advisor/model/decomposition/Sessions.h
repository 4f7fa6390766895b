// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that come back to the lock that they had last (docs/theory/decomposition.md, equation
// (DEC11)): each is in a session at the lock. While one of them has it, the others gather behind
// it, and after a long section few are left to come. So waits depend less on how section times vary
// than they do where threads come at a rate. For a given number of sessions the lock is a machine
// repair model, M/G/1//m, of which Takacs found the throughput (Introduction to the Theory of
// Queues, 1962). Times in nanoseconds.
#pragma once

#include <vector>

namespace qdadvise {

/// A lock at which threads come back after an exponential time. Section times are gamma
/// distributed.
struct SessionTimes {
  double serviceNs = 0, cv2 = 1, awayNs = 0;
};

/// Completions per nanosecond with 0 to `most` sessions.
std::vector<double> machineRepair(const SessionTimes &times, int most);

/// The mean wait over numbers of sessions that change slowly, relative to the one of exponential
/// section times. Sessions begin in proportion to `arrivals`, which are by the number of threads
/// there, and as often as makes `perNs` of exponential sections.
double relativeWaitInSessions(const SessionTimes &times, const std::vector<double> &arrivals,
                              double perNs);

} // namespace qdadvise
