// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What running a piece of the AST may do that matters under a lock: throw, block,
// read a file, call what nobody sees. Over bodies in sight, and by tables for the
// libraries everybody links.
#pragma once

#include "plugin/api/LockOperation.h"
#include "runtime/abi/site_record.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>

namespace qdadvise {

/// What a callee does to its locks, or null.
using OperationOf = std::function<const LockOperation *(const clang::FunctionDecl &)>;

/// What one node of the AST does, its children apart.
struct NodeEffects {
  SectionFactBits facts = 0;                               ///< without what `calls` do
  llvm::SmallVector<const clang::FunctionDecl *, 2> calls; ///< functions with a body in sight
  bool comesBack = true;                                   ///< abort() does not
};

class CallEffects {
public:
  CallEffects(const clang::ASTContext &astContext, OperationOf operations)
      : context(astContext), operationOf(std::move(operations)) {}

  NodeEffects at(const clang::Stmt &node) const;

  /// What a call of a function may do: everything reachable from its body. Of
  /// SectionFacts, those that are not about leaving the section.
  SectionFactBits of(const clang::FunctionDecl &function);

  /// Does the body give up a lock that it did not take? Looks one function deeper.
  bool releases(const clang::FunctionDecl &function);

  /// Facts of a node with those of what it calls.
  SectionFactBits allOf(const NodeEffects &effects);

private:
  struct Call {
    const clang::FunctionDecl *callee;
    bool passesThrows; ///< no handler around it, and it may throw
  };
  struct Body {
    SectionFactBits facts = 0;
    llvm::SmallVector<Call, 4> calls;
    bool takes = false, gives = false; ///< operations directly in it
  };

  const Body &bodyOf(const clang::FunctionDecl &function);
  void scan(Body &body, const clang::Stmt *node, bool passesThrows);
  void addCall(NodeEffects &effects, const clang::FunctionDecl &callee) const;
  void addFunction(NodeEffects &effects, const clang::FunctionDecl &callee) const;
  void addCallables(NodeEffects &effects, const clang::CallExpr &call) const;
  void addDestructor(NodeEffects &effects, clang::QualType type) const;
  bool mayThrow(const clang::FunctionDecl &function) const;
  SectionFactBits throwing() const;

  const clang::ASTContext &context;
  OperationOf operationOf;
  llvm::DenseMap<const clang::FunctionDecl *, Body *> bodies;
  std::vector<std::unique_ptr<Body>> owned;
  llvm::DenseMap<const clang::FunctionDecl *, SectionFactBits> known;
};

/// Calls `callback` for the children of a node that run where it stands: not the bodies
/// of lambdas, not what is not evaluated, but default arguments.
void forEachRunChild(const clang::Stmt &node,
                     llvm::function_ref<void(const clang::Stmt &)> callback);

} // namespace qdadvise
