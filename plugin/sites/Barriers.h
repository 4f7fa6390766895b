// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that are made of a lock and a condition variable: who comes last wakes all the others,
// who wait at the same variable. `if (++arrived == all) wake(); else wait();`, or a `return` after
// the wake-up in the place of `else`, or what the others wait for: `if (++arrived == all) {
// ++round; wake(); } while (round == mine) wait();`.
#pragma once

#include "plugin/sites/CallWalk.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace qdadvise {

class Barriers {
public:
  explicit Barriers(const clang::ASTContext &astContext) : context(astContext) {}

  /// A call at the end of `path` in `function`, if it wakes all that wait with a condition
  /// variable, or is of a function noted before that does so with the variable of its caller.
  void noteWakeUp(const Call &call, llvm::ArrayRef<const clang::Stmt *> path,
                  const clang::FunctionDecl *function);
  /// A condition wait, and its site's number.
  void noteWait(std::size_t site, const Call &call, llvm::ArrayRef<const clang::Stmt *> path,
                const clang::FunctionDecl *function);

  /// The numbers of the waits that are those of barriers.
  std::vector<std::size_t> waits() const;

private:
  struct Branch {
    const clang::IfStmt *statement;
    bool isElse;
  };
  struct Use {
    const clang::FunctionDecl *function;
    llvm::FoldingSetNodeID condition;
    llvm::SmallVector<Branch, 2> branches;           ///< that it is in
    llvm::SmallVector<const clang::Stmt *, 1> loops; ///< conditions of those that it is in
    clang::SourceLocation location;
    std::size_t site = 0; ///< of a wait
  };

  void note(std::vector<Use> &uses, const Call &call, llvm::ArrayRef<const clang::Stmt *> path,
            const clang::FunctionDecl *function, std::size_t site) const;
  /// Does a thread that goes through the one never come to the other, because of a branch?
  bool excludes(const Use &wakeUp, const Use &wait) const;

  const clang::ASTContext &context;
  std::vector<Use> wakeUps, allWaits;
  llvm::SmallPtrSet<const clang::FunctionDecl *, 4> wakeForCaller; ///< at its variable
};

} // namespace qdadvise
