// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of an integer that threads may share, and of its uses, apart from any translation
// unit: it becomes an atomic where it is all that a lock protects.
#pragma once

#include "rewrite/uses/LockUse.h"

#include <set>
#include <string>
#include <tuple>

namespace qdadvise {

/// One place where something has to be done about an integer, or cannot be.
struct IntegerUse {
  enum class Kind {
    declaration, ///< `text` is its type
    initialiser, ///< `text` is `= value`, which C++ before 17 does not know of atomics
    argument,    ///< `text` is the integer, where a template may ask for its type
    gated,       ///< an atomic cannot stand there
  } kind = Kind::gated;
  TextRange text;
  std::string value; ///< initialiser
  Gate gate = Gate::integerUse;
  std::string detail;

  auto key() const {
    return std::tie(text.file, text.offset, text.length, kind, gate, value, detail);
  }
  bool operator<(const IntegerUse &other) const { return key() < other.key(); }
};

struct SharedInteger {
  std::string name; ///< as that of a lock: `Cache::hits`
  TextRange place;
  std::string record; ///< as ProgramLock::record
  bool inC = false, inCxx = false;
  std::set<IntegerUse> uses;
};

} // namespace qdadvise
