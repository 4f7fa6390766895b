// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One lock by itself. Threads come at a rate that depends on how many are there. This is the
// stationary distribution of a Markov chain over (threads present, phase of the operation in
// service), level by level (docs/theory/decomposition.md, equation (DEC1)). First come, first
// served: Marie 1980. With delegation (the QD lock of Klaftenegger, Sagonas and Winblad 2014): in
// A[n,j] the holder executes its own operation, in B[n,j] a delegated one, with n threads present,
// the holder included:
//
//   A[n,j] (l[n] + u[j]) = l[n-1] A[n-1,j] + u[j-1] o[j-1] A[n,j-1]
//   B[n,j] (l[n] + m[j]) = l[n-1] B[n-1,j] + m[j-1] o[j-1] B[n,j-1] + b[j] E[n]
//   E[n] = c[n] + D[n+1],  c[n] = sum A u (1 - o),  D[n] = sum B m (1 - o)
//   D[n+1] = l[n] p[n]
//
// u and m are the phases' rates, o their probabilities of going on, and b those of being the first.
// A thread that comes to an idle lock begins an operation of its own. At n = 2 the holder leaves
// together with the last thread that it helped. A lock that is handed to a waiter has such first
// operations, too, but their c[n] is part of D[n], and there is a B[1]. B[n,j] is affine in E[n],
// the operations that begin. Solved for E[n], every term is positive, and no digit is lost. Times
// in nanoseconds.
#pragma once

#include "advisor/model/numeric/PhaseType.h"

#include <vector>

namespace qdadvise {

struct IsolatedStation {
  PhaseType service;
  /// How fast `service` is with n threads present, at [n - 1]. The last one is for all larger n.
  std::vector<double> speed{1};
  /// The operation of a thread that finds the lock free. Without phases it is like all others.
  PhaseType own;
  std::vector<double> ownSpeed{1}; ///< as `speed`
  bool delegates = false;          ///< the others delegate their operations to that thread
  double releaseNs = 0; ///< delay of a thread that leaves while others wait; no other waits for it
};

/// By the number of threads present, 0 to N.
struct IsolatedState {
  std::vector<double> probability;
  std::vector<double> throughput; ///< completions per nanosecond while so many are there

  double present() const;                                        ///< mean
  double arrivalRate(const std::vector<double> &arrivals) const; ///< mean
};

/// `arrivals`[n] > 0 is the rate with n threads present, n = 0 ... N-1. With N nobody comes.
IsolatedState solveIsolated(const IsolatedStation &station, const std::vector<double> &arrivals);

/// Completions per nanosecond with 0 to `threads` threads present, if all times were exponential.
std::vector<double> exponentialThroughput(const IsolatedStation &station, int threads);

} // namespace qdadvise
