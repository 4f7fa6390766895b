// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a unit that other units may call without seeing them.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace qdadvise {

/// Calls `callback` for the definitions of functions of external linkage that no header shows and
/// nothing replaces.
void forEachExternalFunction(clang::ASTContext &context,
                             llvm::function_ref<void(const clang::FunctionDecl &)> callback);

} // namespace qdadvise
