// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long threads ran, and how long they could have and waited for a processor instead.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

struct ProcessorTime {
  std::uint64_t ranNs, waitedNs;

  void add(ProcessorTime more) {
    ranNs += more.ranNs;
    waitedNs += more.waitedNs;
  }
};

/// Of a thread of this process since it began, by its kernel id. Zeros where the kernel does not
/// tell. Async-signal-safe.
ProcessorTime processorTimeOf(std::uint32_t thread);

/// Reads a line of /proc's schedstat; zeros if it is none.
ProcessorTime parseSchedstat(const char *line);

} // namespace qdadvise::runtime
