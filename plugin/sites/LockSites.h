// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock operations of a translation unit, as the AST shows them: which
// callees are lock operations, and where they are called. Values for the hook
// inserter (which meets the same calls in IR) and for the advice reporter.
#pragma once

#include "plugin/sites/LockTable.h"

#include "clang/AST/ASTContext.h"

namespace qdadvise {

class LockApi;

/// Walks a whole translation unit. Pure: reports nothing.
LockTable findLockSites(clang::ASTContext &context, const LockApi &api);

} // namespace qdadvise
