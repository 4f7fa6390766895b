// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that locks protect, which no two threads may access at a time if one of them writes. It
// announces every access to the machine.
#pragma once

#include "advisor/sim/VirtualMachine.h"

#include <utility>

namespace qdadvise::sim {

template <typename T> class Plain {
public:
  Plain() = default;
  explicit Plain(T initial) : value(std::move(initial)) {}
  Plain(const Plain &) = delete;
  Plain &operator=(const Plain &) = delete;

  const T &read() const {
    announce(false);
    return value;
  }
  void write(T desired) {
    announce(true);
    value = std::move(desired);
  }
  operator const T &() const { return read(); }
  Plain &operator=(T desired) {
    write(std::move(desired));
    return *this;
  }

private:
  void announce(bool writes) const noexcept {
    if (VirtualMachine *machine = VirtualMachine::current)
      machine->plainAccess(&value, sizeof(T), writes);
  }
  T value{};
};

} // namespace qdadvise::sim
