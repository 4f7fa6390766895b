// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the lock operations of a translation unit in its AST: which callees are lock operations,
// and where they are called.
#pragma once

#include "plugin/sites/LockTable.h"

#include "clang/AST/ASTContext.h"

namespace qdadvise {

class LockApi;

/// Walks a whole translation unit. Pure: reports nothing. `withFunctions`: fills
/// LockTable::functions.
LockTable findLockSites(clang::ASTContext &context, const LockApi &api, bool withFunctions = false);

} // namespace qdadvise
