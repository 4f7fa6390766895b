// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs a network from a profile.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"
#include "advisor/profile/Profile.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

struct ConstructionOptions {
  /// The classes that take the threads of --threads. Empty: those that the profile makes likely
  /// (docs/reference/network.md, "Threads").
  std::vector<std::string> scale;
  /// A profile that has no section that ran twice makes a network without locks, of its threads and
  /// its run. That fails where there is no thread but `main`: nothing tells what threads would
  /// divide.
  bool withoutLocks = false;
};

struct Construction {
  Network network;
  /// What a memory trace says of each section of the network; absent where it was not traced.
  std::vector<std::optional<SectionMemory>> memory;
  /// What the reader must know: which classes scale, what was left out, and what the profile lacks
  /// (dropped records, a run without a second thread).
  std::vector<std::string> notes;
};

/// Critical sections of one lock class share its lock, or its instances with their measured shares.
/// The overhead of today's lock, from `machine`, is taken out of local computation. Fails where the
/// profile has no section that ran twice, but for `withoutLocks`.
Expected<Construction> constructNetwork(const Profile &profile, const Machine &machine,
                                        const ConstructionOptions &options = {});

} // namespace qdadvise
