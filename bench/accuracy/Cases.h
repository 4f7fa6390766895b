// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What predictions are scored on: random networks and the meta-benchmark, in two parts.
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
  std::string name; ///< of the workload, and `.tN`
  Network network;
  int threads = 1;                       ///< that scale
  std::optional<std::size_t> metaMatrix; ///< of the meta-benchmark, with this routing matrix

  int allThreads() const; ///< with those of classes that do not scale
};

/// All cases of a part: its random networks, and the meta-benchmark with every second
/// routing matrix (even ones to develop with, odd ones to score). Random networks and
/// configurations take turns, each in an order that their names decide, so that any
/// first N are a sample.
std::vector<Case> casesOf(Part part);

/// The meta-benchmark whole, in the order that names decide.
std::vector<Case> metaCases();

/// FNV-1a, 64 bits: the same everywhere.
std::uint64_t hashOf(const std::string &text);

} // namespace qdadvise::accuracy
