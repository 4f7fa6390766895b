// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mangled names, as IR has them.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Mangle.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>

namespace qdadvise {

class Mangler {
public:
  explicit Mangler(clang::ASTContext &context) : mangle(context.createMangleContext()) {}

  /// All names of a function. The first stands for it: the base variant (C2, D2) of a
  /// constructor or destructor, which is the one IR calls.
  llvm::SmallVector<std::string, 3> names(const clang::FunctionDecl &function);

private:
  std::string name(clang::GlobalDecl decl);

  std::unique_ptr<clang::MangleContext> mangle;
};

} // namespace qdadvise
