// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which types of the program are locks that can be rewritten, and what identifies a lock in all
// units of the program.
#pragma once

#include "rewrite/uses/LockUse.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

#include <optional>
#include <string>

namespace qdadvise {

struct LockType {
  LockFamily family = LockFamily::other;
  std::string name;         ///< `std::mutex`
  std::optional<Gate> gate; ///< of every lock of this type: it is recursive
};

/// The type of a lock, or of the locks in an array; family other: it is none.
LockType lockTypeOf(clang::QualType type, const clang::ASTContext &context);

/// Equal for all declarations of one lock in all units, different for different locks.
std::string keyOf(const clang::ValueDecl &lock);

} // namespace qdadvise
