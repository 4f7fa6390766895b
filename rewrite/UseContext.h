// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done with a lock, or with a guard of one, where an expression names it. What this does
// not know is a gate.
#pragma once

#include "plugin/api/LockApi.h"
#include "rewrite/uses/LockTypes.h"
#include "rewrite/uses/LockUse.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace qdadvise {

/// A use, and the guard that it makes, if it makes one.
struct UseInContext {
  LockUse use;
  const clang::VarDecl *guard = nullptr;
};

class UseContext {
public:
  /// Both must outlive it.
  UseContext(clang::ASTContext &astContext, const LockApi &lockApi)
      : context(astContext), api(lockApi) {}

  /// What is done with the lock of that type that the expression names.
  UseInContext ofLock(const clang::Expr &name, const LockType &type) const;
  /// What a call does with the lock that a pointer, its argument, leads to.
  LockUse ofPointer(const clang::CallExpr &call, const clang::Expr &pointer,
                    const LockType &type) const;
  /// What is done with the lock that a pointer leads to: `pointer->lock()`.
  LockUse ofArrow(const clang::CXXMemberCallExpr &call) const;
  /// What is done with the guard that the expression names.
  LockUse ofGuard(const clang::Expr &name) const;

private:
  const clang::Stmt *parentOf(const clang::Stmt &node) const;
  bool isReferredTo(const clang::Expr &lock) const;
  LockUse gated(const clang::Expr &at, Gate gate, std::string detail) const;
  LockUse ofArgument(const clang::Expr &argument, const clang::Stmt &call, const LockType &type,
                     bool isAddress) const;
  LockUse ofAddress(const clang::Expr &address, const LockType &type) const;
  LockUse ofCall(const clang::CallExpr &call, const clang::Expr &lock,
                 const LockOperation &operation) const;
  LockUse ofWait(const clang::CallExpr &wait) const;
  LockUse ofMember(const clang::CXXMemberCallExpr &call) const;
  std::optional<TextRange> testOf(const clang::CallExpr &call) const;
  UseInContext ofConstruction(const clang::CXXConstructExpr &construct,
                              const clang::Expr &lock) const;
  LockUse guardArgument(const clang::VarDecl &guard, unsigned argument,
                        const clang::Expr &at) const;
  CallSection sectionAt(const clang::CallExpr &call, const clang::Stmt *statement,
                        const clang::Expr &lock, const std::string &lockText) const;
  const clang::Stmt *unusedStatement(const clang::Expr &call) const;
  bool isTruth(const clang::Expr &call) const;
  bool isAdaptiveInit(const clang::CallExpr &init) const;

  clang::ASTContext &context;
  const LockApi &api;
};

} // namespace qdadvise
