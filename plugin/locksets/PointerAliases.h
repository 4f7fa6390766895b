// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pointers and references of one function stand for, as far as it says so: a lock
// behind a local pointer is the lock that the pointer was made from.
#pragma once

#include "plugin/locksets/LockPath.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace qdadvise {

class PointerAliases {
public:
  explicit PointerAliases(const clang::ASTContext &astContext) : context(astContext) {}

  /// Takes note of the initialisers and assignments in a function.
  void find(const clang::CFG &graph);

  /// A path through an alias begins where the alias leads. One that leads to a call's result
  /// is left, as the result is known by its variable.
  LockPath resolve(LockPath path) const;

private:
  void add(const clang::Expr &target, const clang::Expr &value);
  void add(const clang::ValueDecl &target, const clang::Expr &value);

  const clang::ASTContext &context;
  /// What local pointers, and pointers and references of this object, stand for, where the
  /// function sets them once; nothing for a pointer that is set to several things.
  llvm::DenseMap<const clang::ValueDecl *, std::optional<LockPath>> aliases;
};

} // namespace qdadvise
