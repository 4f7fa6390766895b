// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

namespace qdadvise {

/// Is the statement one update of one integer or pointer that other threads can see
/// (`++n`, `p->bytes += size`, `state = 1`, `return next++`), with nothing else read that
/// they could change? An atomic operation does the same.
bool isOneIntegerUpdate(const clang::Stmt &statement, const clang::ASTContext &context);

} // namespace qdadvise
