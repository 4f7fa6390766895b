// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a call or construction, counted as IR counts them: the object of a
// member function is argument 0.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace qdadvise {

/// The function that a call names, or null. It names one through a pointer, too, where
/// `pthread_cleanup_pop` calls what `pthread_cleanup_push` was given.
const clang::FunctionDecl *calledFunction(const clang::CallExpr &call);

/// The argument of that number, or null where the call has none. A constructor has no argument 0:
/// the object is not there yet. What a cleanup handler is called with is what it was pushed with.
const clang::Expr *argumentOf(const clang::Expr &call, unsigned argument);

/// Is the object named by a pointer to it, `p->lock()`?
bool isThroughArrow(const clang::Expr &call);

/// Has the function an object to be called on?
bool isInstanceMember(const clang::FunctionDecl &function);

/// The number in IR of a function's parameter, but for a class returned in memory.
unsigned argumentOfParameter(const clang::FunctionDecl &function, unsigned parameter);

} // namespace qdadvise
