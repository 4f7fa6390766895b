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
// go. By Schweitzer's approximation and Linearizer, W_c is no longer than others hold the lock
// (CL11). Times in nanoseconds.
#pragma once

#include <vector>

namespace qdadvise {

/// A lock, or `count` that are alike.
struct ClassStation {
  double count = 1;
  double overheadNs = 0; ///< o: how much longer than its holding time a thread takes alone
  double factor = 1;     ///< on the waiting for others
  /// t: for the lock's lines, where another thread had it last. That takes as long however seldom
  /// threads meet.
  double transferNs = 0;
};

/// What the threads of a class do at one station, per cycle.
struct ClassVisits {
  double visits = 0, directVisits = 0; ///< as in LockStation
  double holdNs = 0, cv2 = 1;
  double directExtraNs = 0; ///< as in LockStation
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

/// B (CL3): the work that `threads` threads of a class have at a station, in nanoseconds. At most
/// all of them wait there, even if waiting inside outer sections is in no cycle.
double workNs(const ClassStation &station, const ClassVisits &visits, double threads,
              double cyclesPerNs, double waitNs);

} // namespace qdadvise
