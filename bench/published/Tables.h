// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Published measurements (tables.csv), each as a network.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"
#include "advisor/support/Error.h"
#include "bench/published/Locks.h"

#include <string>
#include <vector>

namespace qdadvise::publication {

/// How a thread comes to the lock of its next section.
enum class LockChoice {
  random, ///< each lock with the same probability
  own,    ///< thread t stays at lock t modulo `locks`
  ring,   ///< all threads go through the locks in one order, from places of their own
};

/// One measurement. Times are in nanoseconds, of a thread that has its core for itself.
struct Row {
  std::string table, machine;
  const PublishedLock *lock = nullptr;
  int threads = 0, locks = 1;
  LockChoice choice = LockChoice::random;
  ThreadPlacement placement = ThreadPlacement::spread;
  double holdNs = 0, localNs = 0;
  int lines = 0;          ///< cache lines of the lock's data that every section writes
  double publishedNs = 0; ///< from one section to the next: at the busiest lock, or of all locks
};

Expected<std::vector<Row>> readTables(const std::string &path);

/// The threads and locks of a row. Where each thread has its lock there is a class of threads for
/// each lock, the first of which has most of them.
Network networkOf(const Row &row);

} // namespace qdadvise::publication
