// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who releases a lock that a function takes: nobody yet, or the guard that is made of it. What
// counts is where that guard lives.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Analysis/ConstructionContext.h"

namespace qdadvise {

struct Owner {
  enum class Kind : unsigned char {
    nobody,    ///< a later call releases it
    variable,  ///< a guard releases it at the end of its scope
    object,    ///< a guard that outlives the function
    result,    ///< the guard that the function returns
    temporary, ///< a guard that does not outlive the statement
  } kind = Kind::nobody;
  const clang::VarDecl *variable = nullptr;
  bool operator==(const Owner &) const = default;
};

/// Has a class, or the one referred to, a destructor that does something?
bool hasDestructor(clang::QualType type);

/// Who owns the guard that `call` makes in `function`. An object without a destructor gives
/// nothing up.
Owner ownerOf(const clang::Expr &call, const clang::ConstructionContext *made,
              const clang::FunctionDecl &function);

/// Who owns the guard that is constructed there.
Owner ownerOf(const clang::ConstructionContext *made, const clang::FunctionDecl &function);

} // namespace qdadvise
