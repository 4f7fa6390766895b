// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/ast/NameLookup.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {
namespace {

/// The scope in which the name after `::` is declared, or null.
const DeclContext *scopeIn(const NamedDecl &found) {
  if (const auto *space = dyn_cast<NamespaceDecl>(&found))
    return space;
  if (const auto *alias = dyn_cast<NamespaceAliasDecl>(&found))
    return alias->getNamespace();
  const CXXRecordDecl *record = recordIn(found);
  return record ? record->getDefinition() : nullptr;
}

} // namespace

llvm::SmallVector<const NamedDecl *, 2> lookUp(ASTContext &context, StringRef name) {
  llvm::SmallVector<const NamedDecl *, 2> found;
  llvm::SmallVector<StringRef, 4> parts;
  name.split(parts, "::", -1, /*KeepEmpty=*/false);
  llvm::SmallVector<const DeclContext *, 2> scopes = {context.getTranslationUnitDecl()};
  for (const StringRef part : parts) {
    found.clear();
    for (const DeclContext *scope : scopes)
      for (const NamedDecl *decl : scope->lookup(&context.Idents.get(part)))
        found.push_back(decl->getUnderlyingDecl());
    scopes.clear();
    for (const NamedDecl *decl : found)
      if (const DeclContext *scope = scopeIn(*decl))
        scopes.push_back(scope);
  }
  return found;
}

const FunctionDecl *functionIn(const NamedDecl &found) {
  if (const auto *pattern = dyn_cast<FunctionTemplateDecl>(&found))
    return pattern->getTemplatedDecl();
  return dyn_cast<FunctionDecl>(&found);
}

const CXXRecordDecl *recordIn(const NamedDecl &found) {
  if (const auto *record = dyn_cast<CXXRecordDecl>(&found))
    return record;
  if (const auto *pattern = dyn_cast<ClassTemplateDecl>(&found))
    return pattern->getTemplatedDecl();
  const TypedefNameDecl *alias = dyn_cast<TypedefNameDecl>(&found);
  if (const auto *pattern = dyn_cast<TypeAliasTemplateDecl>(&found))
    alias = pattern->getTemplatedDecl();
  if (!alias)
    return nullptr;
  const QualType type = alias->getUnderlyingType();
  if (const CXXRecordDecl *record = type->getAsCXXRecordDecl())
    return record;
  if (const auto *named = type->getAs<TemplateSpecializationType>())
    if (const auto *pattern =
            dyn_cast_or_null<ClassTemplateDecl>(named->getTemplateName().getAsTemplateDecl()))
      return pattern->getTemplatedDecl();
  return nullptr;
}

const FunctionDecl &patternOf(const FunctionDecl &function) {
  const FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  return *(pattern ? pattern : &function)->getCanonicalDecl();
}

const CXXRecordDecl &patternOf(const CXXRecordDecl &record) {
  if (const auto *specialization = dyn_cast<ClassTemplateSpecializationDecl>(&record)) {
    const ClassTemplateDecl *pattern = specialization->getSpecializedTemplate();
    while (const ClassTemplateDecl *outer = pattern->getInstantiatedFromMemberTemplate())
      pattern = outer;
    return *pattern->getTemplatedDecl()->getCanonicalDecl();
  }
  const CXXRecordDecl *pattern = &record;
  while (const CXXRecordDecl *outer = pattern->getInstantiatedFromMemberClass())
    pattern = outer;
  return *pattern->getCanonicalDecl();
}

} // namespace qdadvise
