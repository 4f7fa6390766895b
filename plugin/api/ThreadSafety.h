// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's thread-safety attributes: what an annotated function does to which lock.
#pragma once

#include "plugin/api/LockOperation.h"

#include "clang/AST/DeclCXX.h"

#include <optional>

namespace qdadvise {

/// What the attributes of a function say that it does, or nothing.
std::optional<LockOperation> attributeOperation(const clang::FunctionDecl &callee);

/// Whether the attributes speak for the whole class: what has none is no operation.
bool isScopedCapability(const clang::CXXRecordDecl &record);

} // namespace qdadvise
