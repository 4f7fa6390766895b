// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws short profiles of a known network, and counts how many of the intervals that are predicted
// from them contain the figures that were simulated of that network.
#pragma once

#include "advisor/machine/Machine.h"
#include "bench/accuracy/Cases.h"
#include "bench/accuracy/Results.h"

#include <string>
#include <vector>

namespace qdadvise::accuracy {

/// The network that follows from a profile in which threads of each class made so many visits in
/// all, one after the other as in a recording. Times are drawn from the network's distributions,
/// sections from its routing. Locks and classes keep their names, and may stand in another order.
Expected<Network> shortProfile(const Network &network, std::uint64_t visits, std::uint64_t seed);

/// How many of the intervals contain the simulated figure.
struct Covered {
  std::uint64_t in = 0, all = 0;
  void add(bool contained) {
    in += contained ? 1 : 0;
    ++all;
  }
};
struct Coverage {
  Covered throughput, wait; ///< `wait` for the waiting times that are scored
  void add(const Coverage &other);
};

/// Predicts one case, with algorithm `kind` at every lock, from one short profile of it.
Expected<Coverage> coverageOf(const Case &which, LockKind kind, const Machine &machine,
                              const Simulated &simulated, std::uint64_t visits, std::uint64_t seed);

} // namespace qdadvise::accuracy
