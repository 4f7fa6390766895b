// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cases that predictions are scored on: random networks and the meta-benchmark, in two parts.
#pragma once

#include "bench/workloads/Workloads.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise::accuracy {

using workloads::Part;

/// A network at one number of threads.
struct Case {
  std::string name; ///< the name of the workload, and `.tN`
  Network network;
  int threads = 1;                       ///< the threads that scale
  std::optional<std::size_t> metaMatrix; ///< the routing matrix, for the meta-benchmark
  std::optional<workloads::Special> special = {};

  int allThreads() const; ///< with the threads of classes that do not scale
};

/// All cases of a part: its random networks, and the meta-benchmark with every second routing
/// matrix (even ones to develop with, odd ones to score). Random networks and configurations take
/// turns, each in an order that their names decide, so that the first N cases are a sample.
/// Special networks stand behind all of them.
std::vector<Case> casesOf(Part part);

/// The whole meta-benchmark, in the order that names decide.
std::vector<Case> metaCases();

/// FNV-1a of 64 bits, which is the same on every machine.
std::uint64_t hashOf(const std::string &text);

} // namespace qdadvise::accuracy
