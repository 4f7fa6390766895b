// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short profiles of a known network, and how many of the intervals that are predicted from
// them contain what was simulated of that network.
#pragma once

#include "advisor/machine/Machine.h"
#include "bench/accuracy/Cases.h"
#include "bench/accuracy/Results.h"

#include <string>
#include <vector>

namespace qdadvise::accuracy {

/// What a profile says in which threads of each class made so many visits between them, one after
/// the other as in a recording: the times drawn from the network's distributions, the sections
/// from its routing. Locks and classes have their names, and may stand in another order.
Expected<Network> shortProfile(const Network &network, std::uint64_t visits, std::uint64_t seed);

/// Intervals that contain what was simulated, of those that were asked.
struct Covered {
  std::uint64_t in = 0, all = 0;
  void add(bool contained) {
    in += contained ? 1 : 0;
    ++all;
  }
};
struct Coverage {
  Covered throughput, wait; ///< of waiting times those that are scored
  void add(const Coverage &other);
};

/// One case with algorithm `kind` at every lock, from one short profile of it.
Expected<Coverage> coverageOf(const Case &which, const std::string &kind, const Machine &machine,
                              const Simulated &simulated, std::uint64_t visits, std::uint64_t seed);

} // namespace qdadvise::accuracy
