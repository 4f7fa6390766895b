// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who takes the locks of each class, and whether a lock is one thread's own: found out when a
// profile is written, from the tables of its threads, so that recording costs nothing more.
#pragma once

#include "runtime/base/hash_index.h"

#include <cstdint>

namespace qdadvise::runtime {

class LockEndLog;
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
  std::uint64_t ofMade; ///< of ofOwned, as far as the owner made or ended the lock
  double ofMadeHeldNs;
};

/// The tables of all threads are noted first, then who made which lock, then tables are counted,
/// one after the other.
class LockTakers {
public:
  /// All that it needs comes from this arena.
  explicit LockTakers(Arena &memory) : arena(memory) {}

  void note(const Tables &ofThread);
  void noteMakers(LockEndLog &ends);
  /// `ends` may be null.
  void count(const Tables &ofThread, LockEndLog *ends);
  /// Puts the rows of lock classes that two or more threads of one class took into `rows`. Where a
  /// single thread of a class did that has made locks, these are its own, for another thread would
  /// make others. Of the main thread that is not known. No rows when out of memory.
  void collect(Arena &into, BlockArray<Takers> &rows, std::uint32_t mainClass) const;

private:
  /// The use of one lock, whatever its names.
  struct Use {
    std::uint64_t address;
    std::uint64_t acquisitions;
    std::uint64_t most; ///< by one thread
    std::uint64_t here; ///< by the latest one
    const Tables *mostBy, *hereBy, *maker;

    bool isOwned() const {
      return most >= format::ownedOf && (acquisitions - most) * format::ownedOf <= acquisitions;
    }
  };

  Use *useOf(std::uint64_t address);
  Takers *takersOf(std::uint32_t lockClass, std::uint32_t threadClass);
  /// Adds locks of a class to what `by` takes; `owned` if they are some thread's own.
  bool add(std::uint32_t lockClass, std::uint32_t threadClass, const Tables *by, bool owned,
           bool isOwner, bool made, std::uint64_t acquisitions, double heldNs);
  bool isTakenByTwo(std::uint32_t lockClass) const;

  Arena &arena;
  BlockArray<Use> uses;
  HashIndex useIndex;
  BlockArray<Takers> all;
  HashIndex takersIndex;
  bool complete = true;
};

} // namespace qdadvise::runtime
