// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call may do that matters under a lock: everything that the bodies in sight do which can
// be reached from it.
#pragma once

#include "plugin/sections/NodeEffects.h"
#include "runtime/abi/site_record.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace qdadvise {

class CallEffects {
public:
  CallEffects(const clang::ASTContext &astContext, OperationOf operations)
      : nodes(astContext, std::move(operations)) {}

  NodeEffects at(const clang::Stmt &node) const { return nodes.at(node); }

  /// What is reachable from a function's body.
  struct Reach {
    SectionFactBits facts = 0; ///< but for those about leaving the section
    UnseenCalls unseen;        ///< what factCallsUnknown is about
    InnerLocks inner;          ///< what factTakesLock is about
    bool releases = false;     ///< some lock is given up
  };
  const Reach &of(const clang::FunctionDecl &function);

  /// Does the body give up a lock that it did not take? Looks one function deeper.
  bool releases(const clang::FunctionDecl &function);

  /// Does the call give up a lock by itself?
  bool isRelease(const clang::CallExpr &call) const;

  /// Facts of a node with those of what it calls. Adds what of that is not in sight, and the locks.
  SectionFactBits allOf(const NodeEffects &effects, UnseenCalls &unseen, InnerLocks &inner);

private:
  struct Call {
    const clang::FunctionDecl *callee;
    bool passesThrows; ///< no handler around it, and it may throw
  };
  struct Body {
    SectionFactBits facts = 0;
    llvm::SmallVector<Call, 4> calls;
    UnseenCalls unseen;
    InnerLocks inner;
    bool acquires = false, releases = false; ///< operations directly in it
  };

  const Body &bodyOf(const clang::FunctionDecl &function);
  void scan(Body &body, const clang::Stmt *node, bool passesThrows);

  NodeEffectFinder nodes;
  llvm::DenseMap<const clang::FunctionDecl *, Body *> bodies;
  std::vector<std::unique_ptr<Body>> owned;
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<Reach>> known;
};

} // namespace qdadvise
