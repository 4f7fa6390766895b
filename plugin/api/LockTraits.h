// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a lock class says of its objects: the algorithm behind them, and what reports call them.
#pragma once

#include "plugin/api/LockOperation.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace qdadvise {

/// The row of that name, or null.
template <typename Row, std::size_t size>
const Row *rowNamed(const Row (&table)[size], llvm::StringRef name) {
  const Row *row = llvm::find_if(table, [&](const Row &r) { return r.name == name; });
  return row == std::end(table) ? nullptr : row;
}

/// The name a class has in reports: `std::mutex`, `my::Lock<int>`.
std::string lockClassName(const clang::CXXRecordDecl &lock);

/// Adds name, algorithm and flags of one more lock: where the locks differ, the
/// algorithm is unknown.
void addTraits(LockOperation &operation, const clang::CXXRecordDecl &lock);

/// Whether it is a lock class of the standard library or of QDAdvise's own.
bool isKnownLockClass(const clang::CXXRecordDecl &record);

/// The names in namespace std of the known lock classes.
llvm::SmallVector<llvm::StringRef, 8> knownStandardLocks();

/// A constructor or destructor: the object at argument 0 begins or ends its life as a
/// lock. Nothing for another member.
std::optional<LockOperation> lifetimeOperation(const clang::CXXMethodDecl &method);

} // namespace qdadvise
