// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections that may happen after their thread went on: all that they know of their
// function is values, they call nothing, and all that they change or look at are variables that
// last. Whether nobody looks at these but under the lock is a question to the whole program.
#pragma once

#include "rewrite/uses/LockUse.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace qdadvise {

/// Where the body of the function or lambda begins that runs the statement; "": there is none.
std::string placeOfBody(const clang::Stmt &statement, clang::ASTContext &context);

/// May the variable be seen by who is not named here: one of static storage, of all threads?
bool isLasting(const clang::VarDecl &variable);

/// Is the variable, an element or a member of it only read or written where the expression names
/// it?
bool isReadOrWritten(const clang::Expr &name, clang::ASTContext &context);

/// Of the section that `statement` begins, where it takes `lock`.
UnawaitedSection unawaitedSection(const clang::Stmt &statement, const clang::Expr &lock,
                                  llvm::ArrayRef<const clang::Stmt *> contents,
                                  clang::ASTContext &context);

} // namespace qdadvise
