// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From one execution's accesses to the sums of its section.
#pragma once

#include "runtime/recent_executions.h"
#include "runtime/touched_lines.h"

#include <cstdint>

namespace qdadvise::runtime {

/// What is known of memory beyond one execution; of all threads together.
struct MemoryKnowledge {
  TouchedLines lines;
  RecentExecutions executions;
};

/// The bucket of so many readers (format::readersBuckets).
unsigned readersBucket(std::uint32_t readers);

/// An execution of a section by `thread` (a number > 0), with `lock` (not 0) held, has ended.
void addExecution(const MemoryTrace &trace, std::uint64_t lock, std::uint32_t thread,
                  MemoryKnowledge &known, format::MemoryEntry &sums);

} // namespace qdadvise::runtime
