// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A closed network with several thread classes, first come, first served, as mean value analysis
// for several classes takes it (Reiser.h, Linearizer.h; docs/theory/classes.md). Each class has its
// own visits and holding times. A thread of class c that arrives at a lock waits for the work that
// N - 1_c threads have there; these are all threads but one of its own class:
//   W_c = o + p_c t + factor * sum over classes k of B_k(N - 1_c)               (CL2)
//   B_k = w_k Q_k - min(U_k, Q_k) (w_k - Var_k / w_k) / 2,  w_k = s_k + o       (CL3)
// Q_k threads of class k are at the lock. U_k of them are in service, with half of w_k (1 + cv2) to
// go. By Schweitzer's approximation and Linearizer, a thread that is soon back meets less of that
// (CL11), (CL12). Times in nanoseconds.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace qdadvise {

/// A thread that may take a lock again before those that wait for it: while one that it woke is on
/// its way (MX37), or sees that the lock is free (HO18).
struct Keeper {
  double awayNs = 0;      ///< from one of its visits to the next
  double waiters = 1;     ///< others at the lock
  double othersPerNs = 0; ///< visits of all others but the one that it woke
};
/// How long it keeps the lock after a section that another one met, and how many more sections it
/// executes meanwhile.
struct KeptLock {
  double ns = 0, sections = 0;
};
using KeepsLock = std::function<KeptLock(const Keeper &keeper)>;

/// A lock, or `count` that are alike.
struct ClassStation {
  double count = 1;
  double overheadNs = 0; ///< o: how much longer than its holding time a thread takes alone
  double factor = 1;     ///< on the waiting for others
  /// t: for the lock's lines, where another thread had it last. That takes as long however seldom
  /// threads meet.
  double transferNs = 0;
  /// m: the part of the work that threads of the mean class meet (CL11). 0: all come at random.
  double met = 0;
  std::vector<KeepsLock> keeps = {}; ///< by class; empty where the next in line has the lock
  double mostWaitNs = 0;             ///< where classes keep the lock: W of all on the mean, at most
};

/// What the threads of a class do at one station, per cycle.
struct ClassVisits {
  double visits = 0, directVisits = 0; ///< as in LockStation
  double holdNs = 0, cv2 = 1;
  double directExtraNs = 0;           ///< as in LockStation
  Reacquisitions reacquisitions = {}; ///< of one station, whatever its algorithm
};

struct ClassLoad {
  double threads = 0;
  double delayNs = 0, computeNs = 0; ///< per cycle, at no station
  std::vector<ClassVisits> at;
};

struct ClassNetwork {
  std::vector<ClassStation> stations;
  std::vector<ClassLoad> classes;
};

struct ClassState {
  double cyclesPerNs = 0;
  std::vector<double> waitNs; ///< W, by station
};

/// Solves the network. The states are by class.
using ClassMethod = std::vector<ClassState> (*)(const ClassNetwork &network);

/// p_c (CL8): the probability that another thread has had the lock last, where a thread makes
/// `own` of `all` visits.
inline double byAnother(double own, double all) { return all > 0 ? 1 - own / all : 0; }

/// Throughput of `threads` threads of a class with these waiting times (CL1).
double cyclesPerNs(const ClassNetwork &network, const ClassLoad &load, double threads,
                   const std::vector<double> &waitNs);

/// How long a thread of a class is away from a station between two visits.
double awayNs(const ClassNetwork &network, const ClassLoad &load, std::size_t station,
              const std::vector<double> &waitNs);

/// What threads of a class do at a station at any time.
struct ClassWork {
  double ns = 0;      ///< B (CL3)
  double present = 0; ///< Q
  double served = 0;  ///< U, or Q if that is less
  double eachNs = 0;  ///< w
  double restNs = 0;  ///< r: what is left of a section that is met at random

  /// What is met of it after so long a time away (CL12).
  double nsAfter(double awayNs) const {
    const double longer = restNs - eachNs;
    return longer > 0 ? ns - served * longer * restNs / (awayNs + restNs) : ns;
  }
};

/// The work that `threads` threads of a class have at a station. At most all of them wait there,
/// even if waiting inside outer sections is in no cycle.
ClassWork workOf(const ClassStation &station, const ClassVisits &visits, double threads,
                 double cyclesPerNs, double waitNs);

/// What a thread may meet of others at a station at any time.
struct OthersThere {
  double threads = 0, present = 0, workNs = 0;
  double waitNs = 0; ///< the thread waits for them, per visit

  void add(const OthersThere &more, double weight = 1);
  /// The part of their work, in sections of `eachNs`, that is met so long after the visit before
  /// (CL11).
  double met(double sinceNs, double eachNs) const;
};

/// Threads of a class at a station.
struct AlikeThreads {
  double threads = 0, present = 0; ///< all of them, and those that are there on the mean
  double perNs = 0;                ///< their visits
  double awayNs = 0;               ///< of one, between two visits
  double eachNs = 0;               ///< w

  double perThread(double ofAll) const { return threads > 0 ? ofAll / threads : 0; }
};

/// A thread that keeps the lock changes waits: those for it are so much longer, and it has only a
/// part of its own, as it finds the lock free before the others do.
struct Keeping {
  double keptNs = 0, waiting = 1;
};
/// Finds the same for each class, from how its threads keep the lock.
std::vector<Keeping> keepingOf(const std::vector<KeepsLock> &keeps,
                               const std::vector<AlikeThreads> &classes);

} // namespace qdadvise
