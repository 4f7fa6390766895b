// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens before what, by vector clocks (C. Fidge 1988, F. Mattern 1989), under the
// rules of C++20 for release, acquire and release sequences. The order in which a schedule
// happens to run two accesses does not count: on hardware it could be the other one.
#pragma once

#include "unittests/exploration/AddressTable.h"
#include "unittests/exploration/Exploration.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace qdadvise::sim {

/// For each thread, up to which of its epochs everything has happened before.
class VectorClock {
public:
  std::uint32_t &operator[](unsigned thread) { return epochs[thread]; }
  std::uint32_t operator[](unsigned thread) const { return epochs[thread]; }
  void join(const VectorClock &other) {
    for (unsigned i = 0; i < maxExploredThreads; ++i)
      epochs[i] = epochs[i] < other.epochs[i] ? other.epochs[i] : epochs[i];
  }

private:
  std::array<std::uint32_t, maxExploredThreads> epochs{};
};

class HappensBefore {
public:
  /// Threads begin; all that was before has happened before.
  void begin();

  // Atomic accesses, in the order in which they take effect. Atomics are told apart by
  // their address.
  void load(unsigned thread, const void *address, std::memory_order order);
  void store(unsigned thread, const void *address, std::memory_order order);
  void update(unsigned thread, const void *address, std::memory_order order);

  /// An atomic begins to exist at an address.
  void create(const void *address);

  /// An earlier access to plain data that is not ordered before the one now made.
  struct Race {
    unsigned thread = 0;
    std::uint32_t step = 0;
    bool wrote = false;
  };
  std::optional<Race> read(unsigned thread, const void *address, std::uint32_t step);
  std::optional<Race> write(unsigned thread, const void *address, std::uint32_t step);

private:
  struct PlainHistory {
    struct Place {
      std::uint32_t epoch = 0; ///< 0: never
      std::uint32_t step = 0;
    };
    unsigned writer = 0;
    Place written;
    std::array<Place, maxExploredThreads> read{};
  };
  std::optional<Race> unorderedWrite(const PlainHistory &history, unsigned thread) const;

  std::array<VectorClock, maxExploredThreads> clocks;
  /// What a thread that reads the atomic with acquire learns of. None: nothing.
  AddressTable<VectorClock> published;
  AddressTable<PlainHistory> plain;
};

} // namespace qdadvise::sim
