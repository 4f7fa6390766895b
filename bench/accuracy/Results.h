// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulated figures, kept in a file that grows by a line for each simulation. A run that was
// interrupted goes on where it ended.
#pragma once

#include "advisor/support/Error.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace qdadvise::accuracy {

/// A simulated figure and half the width of its 95 % interval.
struct Estimate {
  double value = 0, half = 0;
};

struct Simulated {
  Estimate throughputPerS;
  struct Lock {
    Estimate waitNs;
    double residenceNs = 0;
    bool chance = false; ///< replications disagree (Replications.h); never in a file
  };
  std::vector<Lock> locks; ///< by lock of the network
};

/// The lines of the file by key. The key is a hash of all that a simulation depends on. Lines of
/// another precision, network or simulator stay in the file, and are not found.
class Results {
public:
  Results() = default;
  ~Results();
  Results(const Results &) = delete;
  Results &operator=(const Results &) = delete;

  /// Reads the file. With `append`, no second process can write to it meanwhile. An incomplete last
  /// line is dropped. Fails where the file is something else, or in use.
  Expected<bool> open(const std::string &path, bool append);

  const Simulated *find(std::uint64_t key) const;
  std::size_t size() const { return known.size(); }

  /// Writes a line, and may be called from any thread. `name` is for people. False if it cannot be
  /// written.
  bool add(std::uint64_t key, const std::string &name, const Simulated &simulated);

private:
  std::map<std::uint64_t, Simulated> known;
  mutable std::mutex mutex;
  int file = -1;
};

/// Prints and parses a line, without its end. Tabs separate fields, semicolons locks.
std::string printLine(std::uint64_t key, const std::string &name, const Simulated &simulated);
bool parseLine(const std::string &line, std::uint64_t &key, Simulated &simulated);

} // namespace qdadvise::accuracy
