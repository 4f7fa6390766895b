// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What people call a lock, a function and a place.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <cstdint>
#include <string>

namespace qdadvise {

/// A file's path as the outside of this compilation knows it: `-ffile-prefix-map` counts,
/// as in debug information. It is spelled in one way, however the file was included: a lock that a
/// header declares is the same in all units, as `src/../lock.h` and as `./lock.h`.
std::string mappedPath(llvm::StringRef path, const clang::LangOptions &language);

/// A presumed location (`#line` counts) of where a macro is used or its argument stands.
struct Place {
  std::string file; ///< mapped
  std::uint32_t line = 0, column = 0;
};
Place placeOf(clang::SourceLocation location, const clang::ASTContext &context);

/// `Db::get(int)`, `Cache<int>::drop()`, `main()::(lambda)`.
std::string functionName(const clang::FunctionDecl &function);

/// The lock as written: without a leading `&` or parentheses around it, on one line.
std::string lockExpression(const clang::Expr &lock, const clang::ASTContext &context);

/// The same for the lock that an expression before `->` leads to: `*pointer`.
std::string pointeeExpression(const clang::Expr &pointer, const clang::ASTContext &context);

/// The mutex that a guard was made for, the `lock`th of it, where its initialiser is in
/// sight; else the guard. Other expressions stay as they are.
/// `isGuard`: the expression is known to be one; else only the standard's are.
const clang::Expr &throughGuard(const clang::Expr &expression, unsigned lock, bool isGuard = false);

/// The declaration of the lock that an expression names: a member, a variable that
/// lives on its own, the array or container it is an element of. Null for parameters and local
/// pointers and references, which say nothing.
const clang::ValueDecl *lockDeclaration(const clang::Expr &lock);

/// `Db::m`; a local variable is `main()::m`.
std::string declarationName(const clang::ValueDecl &declaration);

/// The type of the lock itself, no pointer and no array: a class by its qualified name,
/// another type as declared.
std::string lockTypeName(const clang::Expr &lock, const clang::ASTContext &context);
std::string lockTypeName(clang::QualType type, const clang::ASTContext &context);

} // namespace qdadvise
