// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lock of a call is called: as written there, and by its declaration.
#pragma once

#include "plugin/api/LockApi.h"
#include "plugin/sites/CallWalk.h"
#include "plugin/sites/Callees.h"
#include "plugin/sites/LockTable.h"

#include <string>

namespace qdadvise {

class LockDescriber {
public:
  LockDescriber(const clang::ASTContext &astContext, const LockApi &lockApi)
      : context(astContext), api(lockApi) {}

  /// The lock as written; "" where the call does not name it.
  std::string expressionOf(const Call &call, const Callee &callee, unsigned lock) const;

  /// Sets the expression, the type and the declaration of a call's lock.
  void describe(LockSite &site, const Call &call, const Callee &callee, unsigned lock) const;

  /// Sets what a declaration says of its lock, if there is one.
  void setDeclaration(LockSite &site, const clang::ValueDecl *declaration,
                      bool andType = true) const;

private:
  const clang::Expr *lockWithin(const Call &call, const LockOperation &operation) const;
  LockPath takenBy(const Call &call, const Callee &callee) const;
  const clang::Expr *lockOf(const Call &call, const Callee &callee, unsigned lock) const;

  const clang::ASTContext &context;
  const LockApi &api;
};

} // namespace qdadvise
