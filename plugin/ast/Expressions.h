// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an expression means, apart from what the compiler puts around it.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include "llvm/ADT/FoldingSet.h"

#include <cstdint>
#include <optional>

namespace qdadvise {

/// The expression without the parentheses, conversions and temporaries around it.
const clang::Expr &stripped(const clang::Expr &expression);

/// The value of an integer constant, 0 for a null pointer; else nothing.
std::optional<std::int64_t> constantOf(const clang::Expr &expression,
                                       const clang::ASTContext &context);

/// Equal for equal expressions, apart from the parentheses and conversions around them.
llvm::FoldingSetNodeID identityOf(const clang::Expr &expression, const clang::ASTContext &context);

/// A hash of an expression: equal for equal expressions within one function.
std::uint64_t expressionHash(const clang::Expr &expression, const clang::ASTContext &context);

} // namespace qdadvise
