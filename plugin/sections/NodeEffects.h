// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one node of the AST may do that matters under a lock: throw, block, read a file, call what
// nobody sees. The tables of api/ and KnownFunctions.h tell it of the libraries everybody links.
#pragma once

#include "plugin/api/LockOperation.h"
#include "plugin/sections/InnerLocks.h"
#include "plugin/sections/UnseenCalls.h"
#include "runtime/abi/site_record.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>

namespace qdadvise {

/// Returns what a callee does to its locks, or null.
using OperationOf = std::function<const LockOperation *(const clang::FunctionDecl &)>;

/// What one node of the AST does, its children apart.
struct NodeEffects {
  SectionFactBits facts = 0;                               ///< without what `calls` do
  llvm::SmallVector<const clang::FunctionDecl *, 2> calls; ///< functions with a body in sight
  UnseenCalls unseen;                                      ///< what factCallsUnknown is about
  InnerLocks inner;                                        ///< what factTakesLock is about
  bool comesBack = true;                                   ///< abort() does not
};

class NodeEffectFinder {
public:
  NodeEffectFinder(const clang::ASTContext &astContext, OperationOf operations)
      : operationOf(std::move(operations)), context(astContext) {}

  NodeEffects at(const clang::Stmt &node) const;

  /// Adds what the end of an object of that type does.
  void addDestructor(NodeEffects &effects, clang::QualType type) const;

  bool mayThrow(const clang::FunctionDecl &function) const;

  const OperationOf operationOf;

private:
  void addCall(NodeEffects &effects, const clang::FunctionDecl &callee) const;
  void addFunction(NodeEffects &effects, const clang::FunctionDecl &callee) const;
  void addCallables(NodeEffects &effects, const clang::CallExpr &call) const;
  void addCallExpression(NodeEffects &effects, const clang::CallExpr &call) const;
  void addDeletion(NodeEffects &effects, const clang::CXXDeleteExpr &deletion) const;
  SectionFactBits throwing() const;

  const clang::ASTContext &context;
};

/// The definition of a function if its body is in sight, else null.
const clang::FunctionDecl *definitionOf(const clang::FunctionDecl &function);

/// Calls `callback` for the children of a node that run where it stands: not the bodies
/// of lambdas, not what is not evaluated, but default arguments.
void forEachRunChild(const clang::Stmt &node,
                     llvm::function_ref<void(const clang::Stmt &)> callback);

} // namespace qdadvise
