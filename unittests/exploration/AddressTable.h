// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map from addresses that is cleared in constant time, since schedules are many and short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace qdadvise::sim {

template <typename Value> class AddressTable {
public:
  AddressTable() : slots(64) {}

  void clear() {
    ++generation;
    used = 0;
  }

  /// Null where nothing was put since the table was cleared.
  Value *find(const void *address) {
    Slot &slot = slotOf(address);
    return slot.generation == generation ? &slot.value : nullptr;
  }

  /// The value of the address, a new one where there was none.
  Value &operator[](const void *address) {
    Slot *slot = &slotOf(address);
    if (slot->generation != generation) {
      if (++used * 2 > slots.size()) {
        grow();
        slot = &slotOf(address);
      }
      slot->address = address;
      slot->generation = generation;
      slot->value = Value{};
    }
    return slot->value;
  }

private:
  struct Slot {
    const void *address = nullptr;
    std::uint64_t generation = 0;
    Value value{};
  };

  /// The slot that has the address, or would get it.
  Slot &slotOf(const void *address) {
    constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;
    std::size_t i = (reinterpret_cast<std::uintptr_t>(address) * spread >> 32) % slots.size();
    while (slots[i].generation == generation && slots[i].address != address)
      i = (i + 1) % slots.size();
    return slots[i];
  }

  void grow() {
    std::vector<Slot> before(slots.size() * 2);
    before.swap(slots);
    for (Slot &slot : before)
      if (slot.generation == generation)
        slotOf(slot.address) = std::move(slot);
  }

  std::vector<Slot> slots; ///< their number is a power of two
  std::uint64_t generation = 1;
  std::size_t used = 0;
};

} // namespace qdadvise::sim
