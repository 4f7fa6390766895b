// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the value that a function returns goes with the locks that it then holds: whether a caller
// sees from the result that a lock was taken.
#pragma once

#include "plugin/locksets/BranchOutcome.h"
#include "plugin/locksets/LockSet.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace qdadvise {

class ReturnedLocks {
public:
  /// Notes a `return value` (or null) of `function` with these locks held.
  void note(const clang::Expr *value, LockSet held, LockFactTable &facts,
            const ResultVariables &results, const clang::FunctionDecl &function);

  /// What the result of the function says of the lock, if the function takes one at all.
  Success success() const;

private:
  bool noteOutcome(const CallOutcome &asked, LockSet leaving, LockFactTable &facts);

  /// Has the function returned zero, or another value, with a lock held, or without one?
  bool heldZero = false, heldNonZero = false, freeZero = false, freeNonZero = false;
  bool unknown = false; ///< a returned value says nothing
};

} // namespace qdadvise
