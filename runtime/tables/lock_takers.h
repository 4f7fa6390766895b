// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who takes the locks of each class, and whether a lock is one thread's own: found out when a
// profile is written, from the tables of its threads, so that recording costs nothing more.
#pragma once

#include "runtime/base/hash_index.h"

#include <cstdint>

namespace qdadvise::runtime {

class Tables;

/// A row as format::TakersEntry has it.
struct Takers {
  std::uint32_t lockClass;
  std::uint32_t threadClass;
  const Tables *lastTaker, *lastOwner;
  std::uint64_t threads;
  std::uint64_t owners;
  std::uint64_t acquisitions;
  std::uint64_t ofOwned;
  double heldNs;
  double ofOwnedHeldNs;
};

/// The tables of all threads are noted first, then they are counted, one after the other.
class LockTakers {
public:
  /// All that it needs comes from this arena.
  explicit LockTakers(Arena &memory) : arena(memory) {}

  void note(const Tables &ofThread);
  void count(const Tables &ofThread);
  /// Puts the rows of lock classes that two or more threads of one class took into `rows`; none
  /// when out of memory.
  void collect(Arena &into, BlockArray<Takers> &rows) const;

private:
  /// The use of one lock, whatever its names.
  struct Use {
    std::uint64_t address;
    std::uint64_t acquisitions;
    std::uint64_t most; ///< by one thread
    std::uint64_t here; ///< by the latest one
    const Tables *mostBy, *hereBy;

    bool isOwned() const {
      return most >= format::ownedOf && (acquisitions - most) * format::ownedOf <= acquisitions;
    }
  };

  Use *useOf(std::uint64_t address);
  Takers *takersOf(std::uint32_t lockClass, std::uint32_t threadClass);
  bool isTakenByTwo(std::uint32_t lockClass) const;

  Arena &arena;
  BlockArray<Use> uses;
  HashIndex useIndex;
  BlockArray<Takers> all;
  HashIndex takersIndex;
  bool complete = true;
};

} // namespace qdadvise::runtime
