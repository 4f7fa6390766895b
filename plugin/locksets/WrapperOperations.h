// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrappers as operations, and what a call of one is said to lock.
#pragma once

#include "plugin/api/LockOperation.h"
#include "plugin/locksets/LockEffect.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

#include <optional>
#include <string>

namespace qdadvise {

/// The operation of a function whose body takes a lock and keeps it. The address is the
/// nearest to the lock's that can be had without reading memory.
LockOperation wrapperOperation(const clang::FunctionDecl &function, const LockEffect &effect,
                               const clang::ASTContext &context);

/// The operation of a function that is a wrapper by its name, or nothing.
std::optional<LockOperation> wrapperByName(const clang::FunctionDecl &function);

/// The lock that an argument is, as written; a pointer through which a member is called
/// is `*pointer`.
std::string lockText(const clang::Expr &argument, bool throughArrow,
                     const clang::ASTContext &context);

/// A path of the callee in the words of a call of it: `db->lock` for a function that locks
/// the member `lock` of its argument; the call itself where the path says nothing there.
std::string pathText(const clang::Expr &call, const clang::FunctionDecl &callee,
                     const LockPath &path, const clang::ASTContext &context);

} // namespace qdadvise
