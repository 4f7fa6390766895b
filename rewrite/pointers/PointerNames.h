// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pointers may lead to locks, and the keys of their nodes.
#pragma once

#include "rewrite/uses/LockTypes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <optional>
#include <string>

namespace qdadvise {

/// What a pointer of that type may lead to: a lock, of family `other` if it says nothing. None
/// where it leads elsewhere.
std::optional<LockType> pointedTo(clang::QualType type, const clang::ASTContext &context);

/// The function that a parameter is of; null where it is of a type only.
const clang::FunctionDecl *functionOf(const clang::ParmVarDecl &parameter);

/// The key of a variable, a member or a parameter. That of a parameter is the same in all
/// declarations of its function.
std::string keyOfPointer(const clang::ValueDecl &named);
std::string keyOfResult(const clang::FunctionDecl &function);

/// The key of the pointer that an expression names; "" where it names none.
std::string keyOfPointerNamed(const clang::Expr &name, const clang::ASTContext &context);

bool isVirtual(const clang::FunctionDecl &function);

/// Is it a function of the program's own, that is called by its name?
bool isFollowed(const clang::FunctionDecl *callee, const clang::ASTContext &context);

} // namespace qdadvise
