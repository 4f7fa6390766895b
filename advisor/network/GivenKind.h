// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock algorithm that a program uses today, as its network names it.
#pragma once

#include "runtime/abi/lock_algorithms.h"

#include <string>

namespace qdadvise {

/// An algorithm of the table, or the name of one that nobody knows: there is no model of it, and
/// the name is printed again as it was given.
struct GivenKind {
  GivenKind() = default; ///< an empty name
  GivenKind(LockKind kind) : kind(kind), unknownName(isKnown() ? "" : nameOf(kind)) {}
  explicit GivenKind(const std::string &name)
      : kind(algorithmNamed(name)), unknownName(isKnown() ? "" : name) {}

  friend bool operator==(const GivenKind &, const GivenKind &) = default;

  bool isKnown() const { return kind != LockKind::unknown; }
  std::string name() const { return isKnown() ? nameOf(kind) : unknownName; }
  std::string label() const { return isKnown() ? algorithmOf(kind).label : unknownName; }

  LockKind kind = LockKind::unknown;
  std::string unknownName;
};

} // namespace qdadvise
