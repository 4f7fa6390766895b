// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/ast/Mangler.h"

#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace qdadvise {

llvm::SmallVector<std::string, 3> Mangler::names(const FunctionDecl &function) {
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&function))
    return {name(GlobalDecl(constructor, Ctor_Base)), name(GlobalDecl(constructor, Ctor_Complete))};
  if (const auto *destructor = dyn_cast<CXXDestructorDecl>(&function))
    return {name(GlobalDecl(destructor, Dtor_Base)), name(GlobalDecl(destructor, Dtor_Complete)),
            name(GlobalDecl(destructor, Dtor_Deleting))};
  return {name(GlobalDecl(&function))};
}

std::string Mangler::name(GlobalDecl decl) {
  const auto &named = cast<NamedDecl>(*decl.getDecl());
  std::string result;
  llvm::raw_string_ostream stream(result);
  if (mangle->shouldMangleDeclName(&named))
    mangle->mangleName(decl, stream);
  else
    stream << named.getName();
  return result;
}

} // namespace qdadvise
