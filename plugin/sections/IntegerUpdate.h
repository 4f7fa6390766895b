// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/ArrayRef.h"

namespace qdadvise {

/// Are the statements one update of one integer or pointer that other threads can see
/// (`++n`, `p->bytes += size`, `state = 1`, `return next++`), with nothing else read that
/// they could change? An atomic operation does the same. A copy of the old value may
/// come first (`int old = n; n += 2`).
bool isOneIntegerUpdate(llvm::ArrayRef<const clang::Stmt *> statements,
                        const clang::ASTContext &context);

} // namespace qdadvise
