// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the statements of a function do to the set of locks that it may hold: the transfer function
// of the analysis in LockEffect.cpp.
#pragma once

#include "plugin/locksets/BranchOutcome.h"
#include "plugin/locksets/BranchPremises.h"
#include "plugin/locksets/LockEffect.h"
#include "plugin/locksets/LockSet.h"
#include "plugin/locksets/PointerAliases.h"
#include "plugin/locksets/ReturnedLocks.h"

#include "clang/Analysis/CFG.h"
#include "clang/Analysis/ConstructionContext.h"

namespace qdadvise {

class LockTransfer {
public:
  /// All must outlive it.
  LockTransfer(const clang::FunctionDecl &analysed, CallKnowledge &callKnowledge,
               const PointerAliases &pointerAliases)
      : function(analysed), knowledge(callKnowledge), aliases(pointerAliases),
        context(analysed.getASTContext()) {}

  /// The locks that may be held behind a block, where `held` are held before it and the branches
  /// that lead to it say `blockPremises`.
  LockSet through(const clang::CFGBlock &block, Premises blockPremises, LockSet held);

  /// Leaves out of `held` what is not held along an edge out of a block: the locks of tries that
  /// failed there, and those that were taken under the opposite condition.
  LockSet alongEdge(const clang::CFGBlock &block, unsigned successor, LockSet held) const;

  /// How the function releases locks and returns.
  struct Findings {
    llvm::SmallVector<LockPath, 1> releases; ///< locks that it did not take
    ReturnedLocks returned;
  };
  /// Makes `through` note what it meets, in a last round when all sets are known.
  void collectInto(Findings &to) { findings = &to; }

  LockFactTable &facts() { return table; }

private:
  using Made = const clang::ConstructionContext *; ///< where the object that a call makes lives

  LockSet statement(const clang::Stmt &statement, Made made, LockSet held);
  LockSet call(const clang::Expr &call, const clang::FunctionDecl &callee, Made made, LockSet held);
  LockSet operation(const clang::Expr &call, const clang::FunctionDecl &callee,
                    const LockOperation &operation, Made made, LockSet held);
  LockSet wait(const clang::Expr &call, const LockOperation &operation, LockSet held);
  LockSet effect(const clang::Expr &call, const clang::FunctionDecl &callee,
                 const LockEffect &effect, Made made, LockSet held);
  LockSet moveGuards(const clang::Expr &call, const clang::FunctionDecl &callee, Made made,
                     LockSet held);

  LockSet take(LockFact fact, LockSet held);
  LockSet release(const LockPath &path, LockSet held);
  LockSet endOfScope(const clang::VarDecl &variable, LockSet held) const {
    return held & ~table.ownedBy(variable, held);
  }
  LockSet transferOwnership(const clang::VarDecl &from, const Owner &to, LockSet held);
  void setPremise(LockSet held, const clang::Expr &variable, const clang::Expr &value);

  Owner ownerAfter(const clang::Expr &call, Made made, bool isGuard) const {
    return isGuard ? ownerOf(call, made, function) : Owner();
  }
  LockPath pathOf(const clang::Expr &expression) const {
    return aliases.resolve(lockPath(expression, context));
  }
  LockPath pathOfCall(const clang::Expr &call) const;
  LockPath inCaller(const LockPath &path, const clang::Expr &call,
                    const clang::FunctionDecl &callee, Made made) const;

  const clang::FunctionDecl &function;
  CallKnowledge &knowledge;
  const PointerAliases &aliases;
  const clang::ASTContext &context;
  LockFactTable table;
  ResultVariables results;
  Premises premises; ///< what the branches say at the current block
  Findings *findings = nullptr;
};

} // namespace qdadvise
