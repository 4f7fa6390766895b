// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions are lock operations, and what each does to which lock.
#pragma once

#include "plugin/api/LockConfig.h"
#include "plugin/api/LockOperation.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"

#include <optional>

namespace qdadvise {

/// Asks the sources of knowledge about lock APIs, one after the other. Their list and order are
/// the table in LockApi.cpp; each source has a file of its own beside it.
class LockApi {
public:
  /// `users` must outlive it.
  LockApi(clang::ASTContext &context, const std::vector<LockApiEntry> &users);

  /// What a call of the function does, or nothing. A constructor or destructor may both
  /// begin or end a lock's life (role lifetime) and be a wrapper: that is for the caller
  /// to find out.
  std::optional<LockOperation> lockOperationOf(const clang::FunctionDecl &callee) const;

  /// Is it a class whose objects hold a lock of another's: the standard's, a scoped
  /// capability, one that a `[[lock_api]]` names?
  bool isGuard(const clang::CXXRecordDecl &record) const;

private:
  LockConfig user, bundled;
};

} // namespace qdadvise
