// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a variable of static storage and of all places that name it, apart from any
// translation unit: a section may happen later where nobody looks at its variables meanwhile.
#pragma once

#include "rewrite/uses/LockUse.h"

#include <set>
#include <string>
#include <tuple>

namespace qdadvise {

struct LastingUse {
  TextRange text;
  std::string body;     ///< as UnawaitedSection::body; "": of no function
  bool escapes = false; ///< who gets its address or a reference there is not known
  auto key() const { return std::tie(text.file, text.offset, body, escapes); }
  bool operator<(const LastingUse &other) const { return key() < other.key(); }
};

struct LastingVariable {
  std::string name; ///< as that of a lock
  TextRange place;
  std::set<LastingUse> uses;
};

} // namespace qdadvise
