// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processors that this process may run on, and their sockets.
#pragma once

#include <string>
#include <vector>

namespace qdadvise {

struct Processor {
  int id = 0; ///< the kernel's number
  int socket = 0;
  int sibling = 0; ///< how many processors of the same core come before it
};

struct Topology {
  /// At least one processor, in the order in which to use them: one for each core of the first
  /// socket, of the next socket and so on, then their hyper-threads.
  std::vector<Processor> processors;
  int sockets = 1;
  std::string cpu; ///< model name, or ""
};

/// Where the kernel does not say, every processor is a core of one socket.
Topology readTopology();

} // namespace qdadvise
