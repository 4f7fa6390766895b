// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations on other locks within a section, or within what it calls.
#pragma once

#include "clang/AST/Stmt.h"
#include "llvm/ADT/SetVector.h"

namespace qdadvise {

struct InnerLocks {
  llvm::SmallSetVector<const clang::Stmt *, 2> takes; ///< also in functions that are called
  llvm::SmallSetVector<const clang::Stmt *, 2> gives; ///< directly in the section
  bool givesOthers = false; ///< a function that is called gives up a lock that it has not taken

  void add(const InnerLocks &other) {
    takes.insert(other.takes.begin(), other.takes.end());
    gives.insert(other.gives.begin(), other.gives.end());
    givesOthers |= other.givesOthers;
  }
};

} // namespace qdadvise
