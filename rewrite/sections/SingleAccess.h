// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections that an atomic can stand for: with one access to one integer that threads
// share, and nothing else that they share.
//
// Each section of such a lock is one point in the order of its atomics, which is sequentially
// consistent as the order of sections is. What a thread knows of that order it has from the values
// that it reads, and a value that is read brings with it what happened before it was written.
#pragma once

#include "rewrite/uses/LockUse.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"

#include <set>

namespace qdadvise {

/// May an integer of that type be an atomic?
bool isAtomicInteger(clang::QualType type, const clang::ASTContext &context);

/// Is the variable or member only read, written or updated where the expression names it, in a way
/// that means the same of an atomic?
enum class IntegerAccess { read, write, update, other };
IntegerAccess integerAccess(const clang::Expr &name, clang::ASTContext &context);

/// The one access of a section of `function`. It may be left at any place where `mayLeave`: a guard
/// gives up the lock then.
SingleAccess singleAccess(llvm::ArrayRef<const clang::Stmt *> section,
                          const std::set<const clang::Stmt *> &without, bool mayLeave,
                          const clang::FunctionDecl &function, clang::ASTContext &context);

} // namespace qdadvise
