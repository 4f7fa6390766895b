// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The demand of the threads on each lock class, over all instances and sections (docs/theory/
// network.md, equation (NET8)). It follows from how often each thread class goes round and how long
// it waits inside its sections. Times in nanoseconds.
#pragma once

#include "advisor/model/solver/LockedNetwork.h"
#include "advisor/model/solver/Unknowns.h"
#include "advisor/model/workload/ClassNetwork.h"
#include "advisor/model/workload/ClosedNetwork.h"
#include "advisor/model/workload/Cumulants.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// The demand on a lock class. Means are per visit.
struct LockDemand {
  double visits = 0, directVisits = 0; ///< per cycle of the mean class; as in LockStation
  double directExtraNs = 0;            ///< as in LockStation
  double holdNs = 0, cv2 = 1, skewness = 2;
  Readers readers;
  Reacquisitions reacquisitions; ///< as in StationLoad, but to any instance
  Revisit revisit;
  MovementTimes coherenceMiss; ///< as in StationLoad
  double readerCoherenceMissNs = 0;
};

struct Demands {
  std::vector<Cumulants> holds;  ///< by section: holding times, nested sections included
  std::vector<LockDemand> locks; ///< by lock
};
Demands demandsOf(const LockedNetwork &given, const Unknowns &unknowns);

/// What a class that makes these visits to sections does at a lock. Sections take `holds`.
ClassVisits visitsTo(const LockedNetwork &given, const std::vector<Cumulants> &holds,
                     std::size_t lock, const std::vector<double> &visits);

/// Effective visitors of a lock: the number of equal threads that mix like the classes do (MOV8).
double visitorsOf(const LockedNetwork &given, const Unknowns &unknowns, std::size_t lock);

/// Mean coherence misses per visit (MOV10), if a share `contention` of the visits find the lock
/// taken, or `changes` of them follow a visit of another thread.
double coherenceMissNs(const LockedNetwork &given, const Demands &demands, std::size_t lock,
                       double contention, const std::optional<double> &changes = {},
                       const Reacquisitions &again = {});

/// The overhead of a thread that meets no other one at the lock.
double overheadNs(const LockedNetwork &given, const Demands &demands, std::size_t lock);

} // namespace qdadvise
