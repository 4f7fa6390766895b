// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/ast/DeclNames.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {

StringRef nameOf(const NamedDecl &decl) {
  const IdentifierInfo *identifier = decl.getIdentifier();
  return identifier ? identifier->getName() : StringRef();
}

bool isMemberOfNamespace(const Decl &decl, StringRef space) {
  if (!decl.getDeclContext()->isFileContext())
    return false;
  const DeclContext *context = decl.getDeclContext()->getEnclosingNamespaceContext();
  while (const auto *current = dyn_cast<NamespaceDecl>(context)) {
    context = current->getParent()->getEnclosingNamespaceContext();
    if (current->isInline())
      continue;
    if (!space.consume_back(nameOf(*current)))
      return false;
    if (space.empty())
      return context->getRedeclContext()->isTranslationUnit();
    if (!space.consume_back("::"))
      return false;
  }
  return false;
}

bool isStandardNamespace(const NamespaceDecl &space) {
  return space.isStdNamespace() ||
         (space.getDeclContext()->isTranslationUnit() && space.getName() == "__gnu_cxx");
}

bool isInStandardLibrary(const Decl &decl) {
  for (const DeclContext *context = decl.getDeclContext(); context; context = context->getParent())
    if (const auto *space = dyn_cast<NamespaceDecl>(context))
      if (isStandardNamespace(*space))
        return true;
  return false;
}

} // namespace qdadvise
