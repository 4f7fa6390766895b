// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a qualified name to the declarations it means at the end of a translation unit,
// and from a function or class to the one that stands for all its instances.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace qdadvise {

/// The declarations that `name` (`a::b::c`) means: functions, classes, templates and aliases.
llvm::SmallVector<const clang::NamedDecl *, 2> lookUp(clang::ASTContext &context,
                                                      llvm::StringRef name);

/// The function that a declaration is or is a template of; null if it is something else.
const clang::FunctionDecl *functionIn(const clang::NamedDecl &found);
/// The class that a declaration is, is a template of or is an alias for; or null.
const clang::CXXRecordDecl *recordIn(const clang::NamedDecl &found);

/// One declaration for a function and for all instances of its template.
const clang::FunctionDecl &patternOf(const clang::FunctionDecl &function);
const clang::CXXRecordDecl &patternOf(const clang::CXXRecordDecl &record);

} // namespace qdadvise
