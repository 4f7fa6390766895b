// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See readers.h.
#include "runtime/tables/readers.h"

#include "runtime/base/pages.h"

#include <new>
#include <sys/mman.h>

namespace qdadvise::runtime {

namespace {

constexpr std::uint32_t noCell = format::none;

} // namespace

ReaderTable *ReaderTable::make() {
  char *const memory = reservePages(sizeof(ReaderTable));
  return memory ? new (memory) ReaderTable : nullptr;
}

std::uint32_t ReaderTable::find(std::uint64_t address) const {
  const std::uint32_t start = firstCell(address);
  for (unsigned i = 0; i < probes; ++i)
    if (load(cells[(start + i) % capacity].state) >> countBits == address)
      return (start + i) % capacity;
  return noCell;
}

/// One at a time, so that a lock never has two cells.
std::uint32_t ReaderTable::claim(std::uint64_t address) {
  const SpinGuard guard(lock);
  const std::uint32_t found = find(address);
  if (found != noCell)
    return found;
  const std::uint32_t start = firstCell(address);
  for (unsigned i = 0; i < probes; ++i) {
    std::uint64_t &state = cells[(start + i) % capacity].state;
    const std::uint64_t before = load(state);
    if ((before & countMask) == 0 && exchange(state, before, address << countBits))
      return (start + i) % capacity;
  }
  return noCell;
}

ReaderTable::Entry ReaderTable::enter(std::uint64_t address) {
  if (address >> (64 - countBits) != 0) // tagged, say: no room beside the count
    return {address, noCell, 0};
  for (;;) {
    std::uint32_t at = find(address);
    if (at == noCell)
      at = claim(address);
    if (at == noCell)
      return {address, noCell, 0};
    std::uint64_t &state = cells[at].state;
    std::uint64_t before = load(state);
    while (before >> countBits == address) {
      const auto readers = static_cast<std::uint32_t>(before & countMask) + 1;
      if (readers > countMask)
        return {address, noCell, 0};
      if (exchange(state, before, before + 1))
        return {address, at, readers};
      before = load(state);
    }
  }
}

void ReaderTable::forget() {
  __atomic_fetch_add(&forgotten, 1, __ATOMIC_ACQ_REL);
  madvise(cells, sizeof cells, MADV_DONTNEED);
}

} // namespace qdadvise::runtime
