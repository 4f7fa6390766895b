// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The standard library's locks, guards, condition variables and other places to wait. A new
// class or function is a row of a table.
#pragma once

#include "plugin/api/LockOperation.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace qdadvise {

/// What a function or member of namespace std does to its locks, or nothing.
std::optional<LockOperation> standardOperation(const clang::FunctionDecl &callee);

/// Is it condition_variable(_any)::wait, wait_for or wait_until with a predicate?
/// These are no operations: the plain waits in their bodies are, one for each time
/// the thread really waits, and the predicate runs in the critical section.
bool isPredicateWait(const clang::FunctionDecl &callee);

/// Is it lock_guard, unique_lock, scoped_lock or shared_lock?
bool isStandardGuard(const clang::CXXRecordDecl &record);

/// The names in namespace std of these four.
llvm::SmallVector<llvm::StringRef, 4> standardGuards();

/// The names in namespace std of the classes and class templates that have operations.
llvm::ArrayRef<llvm::StringRef> standardLockClasses();

} // namespace qdadvise
