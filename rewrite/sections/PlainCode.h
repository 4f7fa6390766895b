// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that only computes with variables that are named in it.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

namespace qdadvise {

/// Is this statement or expression by itself plain, without what is inside it? It has no loop,
/// calls nothing, throws nothing, and leads to no memory without a name.
bool isPlain(const clang::Stmt &statement);

/// The one statement or expression right above; null if there is none.
const clang::Stmt *parentOf(const clang::Stmt &node, clang::ASTContext &context);

} // namespace qdadvise
