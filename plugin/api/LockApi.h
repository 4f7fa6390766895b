// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions are lock operations, and what each does to which lock. The
// interfaces are tables: a row is an API.
#pragma once

#include "plugin/api/LockConfig.h"
#include "plugin/api/LockOperation.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"

#include <optional>

namespace qdadvise {

/// What there is to know of a translation unit's functions, in the order in which it
/// counts: the user's `[[lock_api]]`, the C interfaces and the standard library,
/// thread-safety attributes, the `[[lock_api]]` of common libraries that comes with the
/// plugin, and named requirements (BasicLockable and its like).
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

/// Is it condition_variable(_any)::wait, wait_for or wait_until with a predicate?
/// These are no operations: the plain waits in their bodies are, one for each time
/// the thread really waits, and the predicate runs in the critical section.
bool isPredicateWait(const clang::FunctionDecl &callee);

/// Is it the name of a C function that sleeps or waits for the world outside?
bool isOutsideWait(llvm::StringRef name);

/// The argument that names the routine of the thread that a call starts, or nothing.
std::optional<unsigned> startRoutineArgument(const clang::FunctionDecl &callee);

/// The names in namespace std of the classes and class templates that have operations.
llvm::ArrayRef<llvm::StringRef> standardLockClasses();

/// Is it lock_guard, unique_lock, scoped_lock or shared_lock?
bool isStandardGuard(const clang::CXXRecordDecl &record);

} // namespace qdadvise
