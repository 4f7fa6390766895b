// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/LibraryOperations.h"

#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/DeclNames.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <functional>

namespace qdadvise {
namespace {

using namespace clang;

using IsGuard = LibraryOperations::IsGuard;

bool mentionsGuard(const TemplateArgument &argument, const IsGuard &isGuard, unsigned depth);

bool mentionsGuard(const CXXRecordDecl &record, const IsGuard &isGuard, unsigned depth) {
  if (isGuard(record))
    return true;
  const auto *specialization = dyn_cast<ClassTemplateSpecializationDecl>(&record);
  return specialization && depth > 0 &&
         llvm::any_of(specialization->getTemplateArgs().asArray(), [&](const TemplateArgument &a) {
           return mentionsGuard(a, isGuard, depth - 1);
         });
}

bool mentionsGuard(const TemplateArgument &argument, const IsGuard &isGuard, unsigned depth) {
  if (argument.getKind() == TemplateArgument::Pack)
    return llvm::any_of(argument.pack_elements(), [&](const TemplateArgument &a) {
      return mentionsGuard(a, isGuard, depth);
    });
  if (argument.getKind() != TemplateArgument::Type)
    return false;
  const CXXRecordDecl *record = argument.getAsType().getNonReferenceType()->getAsCXXRecordDecl();
  return record && mentionsGuard(*record, isGuard, depth);
}

void forEachCallee(const Stmt *statement,
                   const std::function<void(const FunctionDecl &)> &callback) {
  if (!statement)
    return;
  if (const auto *call = dyn_cast<CallExpr>(statement)) {
    if (const FunctionDecl *callee = call->getDirectCallee())
      callback(*callee);
  } else if (const auto *construct = dyn_cast<CXXConstructExpr>(statement)) {
    callback(*construct->getConstructor());
  } else if (const auto *inherited = dyn_cast<CXXInheritedCtorInitExpr>(statement)) {
    callback(*inherited->getConstructor());
  } else if (const auto *allocation = dyn_cast<CXXNewExpr>(statement)) {
    if (const CXXConstructExpr *made = allocation->getConstructExpr())
      callback(*made->getConstructor());
  }
  for (const Stmt *child : statement->children())
    forEachCallee(child, callback);
}

} // namespace

/// Is it a template of the library that is given a guard, or a wait with a predicate?
bool LibraryOperations::mayOperate(const FunctionDecl &function) const {
  if (!isInStandardLibrary(function) || function.isDependentContext())
    return false;
  if (isPredicateWait(function))
    return true;
  constexpr unsigned nesting = 4; // optional<pair<int, unique_lock<M>>>
  if (const auto *method = dyn_cast<CXXMethodDecl>(&function))
    if (mentionsGuard(*method->getParent(), guards, nesting))
      return !guards(*method->getParent());
  const TemplateArgumentList *arguments = function.getTemplateSpecializationArgs();
  return arguments && llvm::any_of(arguments->asArray(), [&](const TemplateArgument &argument) {
           return mentionsGuard(argument, guards, nesting);
         });
}

const LibraryOperations::Callees &LibraryOperations::within(const FunctionDecl &function) {
  const auto [entry, isNew] = known.try_emplace(function.getCanonicalDecl());
  const FunctionDecl *definition = nullptr;
  if (!isNew || !mayOperate(function) || operates(function) || !function.isDefined(definition))
    return entry->second;
  Callees found;
  const auto add = [&](const FunctionDecl &callee) {
    if (operates(callee)) {
      if (!llvm::is_contained(found, callee.getCanonicalDecl()))
        found.push_back(callee.getCanonicalDecl());
      return;
    }
    for (const FunctionDecl *inner : within(callee))
      if (!llvm::is_contained(found, inner))
        found.push_back(inner);
  };
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(definition))
    for (const CXXCtorInitializer *initialiser : constructor->inits())
      forEachCallee(initialiser->getInit(), add);
  forEachCallee(definition->getBody(), add);
  entry->second = std::move(found);
  return entry->second;
}

} // namespace qdadvise
