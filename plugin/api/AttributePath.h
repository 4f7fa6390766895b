// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The argument of a thread-safety attribute is an expression in terms of the annotated function's
// parameters. Here it becomes the way to the lock from the arguments of a call.
#pragma once

#include "plugin/api/LockOperation.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <optional>

namespace qdadvise {

/// The way to the lock that an argument of an attribute of `function` names: an object, or a
/// pointer to one. Nothing where a call does not tell, or where the way loads a pointer that may
/// not be there yet.
std::optional<AddressPath> attributePath(const clang::Expr &argument,
                                         const clang::FunctionDecl &function);

} // namespace qdadvise
