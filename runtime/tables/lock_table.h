// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was done with each lock, found by its address: open addressing with the records
// themselves in the cells, so that a program with more locks than caches hold costs one look
// at memory a section. At most 64 bytes a lock, and two huge pages.
#pragma once

#include "runtime/base/hash_index.h"
#include "runtime/base/pages.h"

#include <cstddef>
#include <cstdint>

namespace qdadvise::runtime {

struct Lock {
  std::uint64_t address; ///< 0: the rest of its class
  std::uint64_t acquisitions;
  double heldNs;
  double waitNs;
  std::uint64_t classPlusOne : 24; ///< 0: no record
  std::uint64_t contended : 40;

  std::uint32_t lockClass() const { return static_cast<std::uint32_t>(classPlusOne) - 1; }
  bool is(std::uint64_t wanted, std::uint32_t wantedClass) const {
    return address == wanted && classPlusOne == wantedClass + 1;
  }
};
static_assert(sizeof(Lock) == 40);

class LockTable {
public:
  /// The cell where a record was last seen. Records move as others come and go.
  using Place = std::uint32_t;

  LockTable() = default;
  LockTable(const LockTable &) = delete;
  LockTable &operator=(const LockTable &) = delete;
  ~LockTable() {
    if (cells)
      munmap(cells, mapped);
  }

  std::uint32_t size() const { return used; }
  std::size_t bytes() const { return mapped; }

  /// The record at a place; null if it is not there any more, and find() may know where it is.
  Lock *at(Place place, std::uint64_t address, std::uint32_t lockClass) const {
    return place < capacity && cells[place].is(address, lockClass) ? &cells[place] : nullptr;
  }
  Place placeOf(const Lock *lock) const { return static_cast<Place>(lock - cells); }

  Lock *find(std::uint64_t address, std::uint32_t lockClass) const {
    if (capacity == 0)
      return nullptr;
    for (Place i = homeOf(address, lockClass); cells[i].classPlusOne != 0; i = after(i))
      if (cells[i].is(address, lockClass))
        return &cells[i];
    return nullptr;
  }

  /// A record that is not there yet; null when out of memory.
  Lock *add(std::uint64_t address, std::uint32_t lockClass) {
    if (used >= capacity / 5 * 4 && !grow())
      return nullptr;
    ++used;
    return place({address, 0, 0, 0, lockClass + 1, 0});
  }

  /// Takes out all records of an address; calls `visit(record)` for each before.
  template <typename Visit> void close(std::uint64_t address, Visit visit) {
    if (capacity == 0)
      return;
    for (Place i = homeOf(address, 0); cells[i].classPlusOne != 0;) {
      if (cells[i].address != address) {
        i = after(i);
        continue;
      }
      visit(static_cast<const Lock &>(cells[i]));
      erase(i); // another one may be in its place now
    }
  }

  template <typename Visit> void forEach(Visit visit) const {
    for (Place i = 0; i < capacity; ++i)
      if (cells[i].classPlusOne != 0)
        visit(static_cast<const Lock &>(cells[i]));
  }

  /// The same, to change what was counted.
  template <typename Change> void changeEach(Change change) {
    for (Place i = 0; i < capacity; ++i)
      if (cells[i].classPlusOne != 0)
        change(cells[i]);
  }

  /// How far from where it is looked for first a record is, at most.
  std::uint32_t furthest() const {
    std::uint32_t most = 0;
    forEach([&](const Lock &lock) {
      const std::uint32_t far = distance(homeOf(lock), placeOf(&lock));
      most = far > most ? far : most;
    });
    return most;
  }

  /// Fetches the record of a lock that is wanted soon.
  void expect(std::uint64_t address) const {
    constexpr std::size_t line = 64;
    const char *const first = reinterpret_cast<const char *>(&cells[homeOf(address, 0)]);
    __builtin_prefetch(first, 1);
    __builtin_prefetch(first + line, 1);
  }

private:
  Place after(Place i) const { return i + 1 == capacity ? 0 : i + 1; }

  /// All records of an address have one home; the rest of each class has its own. Another one
  /// in every table: what comes in the order of one would crowd together in the next.
  Place homeOf(std::uint64_t address, std::uint32_t lockClass) const {
    const std::uint64_t hash = mixHash(mixHash(reinterpret_cast<std::uintptr_t>(this), address),
                                       address != 0 ? address >> 12 : std::uint64_t{lockClass} + 1);
    return static_cast<Place>((hash >> 32) * capacity >> 32);
  }
  Place homeOf(const Lock &lock) const { return homeOf(lock.address, lock.lockClass()); }
  /// How far `i` is behind `home`.
  std::uint32_t distance(Place home, Place i) const {
    return i >= home ? i - home : i + capacity - home;
  }

  Lock *place(const Lock &lock) {
    Place i = homeOf(lock);
    while (cells[i].classPlusOne != 0)
      i = after(i);
    cells[i] = lock;
    return &cells[i];
  }

  void erase(Place hole) {
    // What was pushed on by the one that goes moves back.
    for (Place i = after(hole); cells[i].classPlusOne != 0; i = after(i)) {
      if (distance(homeOf(cells[i]), i) < distance(hole, i))
        continue;
      cells[hole] = cells[i];
      hole = i;
    }
    cells[hole] = {};
    --used;
  }

  /// Small tables double. Large ones grow by a quarter, so that cells are 64 % full at least.
  bool grow() {
    constexpr std::size_t firstBytes = 4096, largeBytes = hugePageBytes / 2;
    const std::size_t now = bytes();
    const std::size_t wanted = now + now / (now < largeBytes ? 1 : 4);
    const std::size_t unit = wanted < hugePageBytes ? firstBytes : hugePageBytes;
    const std::size_t size = (wanted / unit + 1) * unit;
    char *const memory = unit == hugePageBytes ? mapHugePages(size) : mapPages(size);
    if (!memory)
      return false;
    Lock *const old = cells;
    const std::uint32_t oldCapacity = capacity;
    const std::size_t oldMapped = mapped;
    cells = reinterpret_cast<Lock *>(memory);
    mapped = size;
    capacity = static_cast<std::uint32_t>(size / sizeof(Lock));
    for (Place i = 0; i < oldCapacity; ++i)
      if (old[i].classPlusOne != 0)
        place(old[i]);
    if (old)
      munmap(old, oldMapped);
    return true;
  }

  Lock *cells = nullptr;
  std::size_t mapped = 0;
  std::uint32_t capacity = 0;
  std::uint32_t used = 0;
};

} // namespace qdadvise::runtime
