// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distributes threads over the kinds of work of a program, in proportion to the work (SyncPerf,
// section 2.1.5).
#pragma once

#include <cstdint>
#include <vector>

namespace qdadvise {

struct ThreadAssignment {
  std::vector<double> exact; ///< threads in proportion to the work
  /// Whole threads, at least one each: what has less than one thread's share gets one, the
  /// rest is rounded up or down so that the most loaded thread has least to do.
  std::vector<std::uint32_t> best;
};

/// `work` of each class, in any unit and at least 0 with a positive sum; as many threads as
/// classes at least.
ThreadAssignment assignThreads(const std::vector<double> &work, std::uint32_t threads);

/// Work of the most loaded thread, by an assignment.
double bottleneck(const std::vector<double> &work, const std::vector<std::uint32_t> &threads);

} // namespace qdadvise
