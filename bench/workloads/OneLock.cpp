// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/workloads/Parts.h"
#include "bench/workloads/Workloads.h"

namespace qdadvise::workloads {
namespace {

Workload oneLock(const char *name, double holdNs, double localNs, std::vector<int> threads) {
  NetworkBuilder builder;
  const std::size_t worker = builder.addClass("worker");
  const std::size_t section =
      builder.addSection("section", builder.addLock("lock"), exponential(holdNs));
  builder.addRow(worker, section, {{section, 1, exponential(localNs)}});
  return {name, builder.take(), std::move(threads)};
}

} // namespace

std::vector<Workload> oneLockCurves() {
  return {oneLock("one-lock.collapse", 400, 4000, {1, 2, 4, 8, 12, 16, 24, 32, 40, 48}),
          oneLock("one-lock.priority-queue", 250, 200, {1, 2, 4, 8, 16, 24, 32})};
}

} // namespace qdadvise::workloads
