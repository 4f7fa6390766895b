// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processors this process may run on, and where they sit.
#pragma once

#include <string>
#include <vector>

namespace qdadvise {

struct Processor {
  int id = 0; ///< the kernel's number
  int socket = 0;
};

struct Topology {
  /// In the order to use them: one per core of the first socket, of the next socket …,
  /// then their hyper-threads. At least one.
  std::vector<Processor> processors;
  int sockets = 1;
  std::string cpu; ///< model name, or ""
};

/// Where the kernel does not say, every processor is a core of one socket.
Topology readTopology();

} // namespace qdadvise
