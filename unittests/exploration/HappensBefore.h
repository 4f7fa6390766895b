// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The happens-before relation by vector clocks (C. Fidge 1988, F. Mattern 1989), under the rules of
// C++20 for release, acquire and release sequences. The order in which a schedule runs two accesses
// does not count, since it could be the other one on hardware.
#pragma once

#include "unittests/exploration/AddressTable.h"
#include "unittests/exploration/Exploration.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace qdadvise::sim {

/// For each thread, the epoch up to which all its accesses have happened before.
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
  /// Begins a schedule. All earlier accesses have happened before.
  void begin();

  // Atomic accesses, in the order in which they take effect. An address identifies an atomic.
  void load(unsigned thread, const void *address, std::memory_order order);
  void store(unsigned thread, const void *address, std::memory_order order);
  void update(unsigned thread, const void *address, std::memory_order order);

  /// An atomic is constructed at the address.
  void create(const void *address);

  /// An earlier access to plain data that is not ordered before the current one.
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
  /// By atomic, the clock that a thread gets by reading it with acquire.
  AddressTable<VectorClock> published;
  AddressTable<PlainHistory> plain;
};

} // namespace qdadvise::sim
