// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a guard object keeps the address of its lock. Found by looking through its
// bases and fields, so that no standard library's layout is written down.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace qdadvise {

struct GuardLayout {
  /// For each lock, the byte offset of the pointer or reference to it.
  llvm::SmallVector<std::uint64_t, 2> lockOffsets;
  /// Byte offset of the flag that says whether the guard owns its lock.
  std::optional<std::uint64_t> ownsOffset;
};

/// The layout of a guard of locks of these types, in this order, or nothing if a
/// lock cannot be found. Several locks of one type come in the order of the fields.
std::optional<GuardLayout> guardLayout(const clang::CXXRecordDecl &guard,
                                       llvm::ArrayRef<const clang::CXXRecordDecl *> lockTypes);

} // namespace qdadvise
