// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a call or construction, counted as IR counts them: the object of a
// member function is argument 0.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace qdadvise {

/// The argument of that number, or null where the call has none. A constructor has no argument 0:
/// the object is not there yet.
const clang::Expr *argumentOf(const clang::Expr &call, unsigned argument);

/// Is the object named by a pointer to it, `p->lock()`?
bool isThroughArrow(const clang::Expr &call);

/// Has the function an object to be called on?
bool isInstanceMember(const clang::FunctionDecl &function);

/// The number in IR of a function's parameter, but for a class returned in memory.
unsigned argumentOfParameter(const clang::FunctionDecl &function, unsigned parameter);

} // namespace qdadvise
