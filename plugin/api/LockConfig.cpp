// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/api/LockConfig.h"

#include "plugin/api/LockTraits.h"
#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/CallArguments.h"
#include "plugin/ast/DeclNames.h"
#include "plugin/ast/GuardLayout.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {
namespace {

SiteRole siteRole(ApiRole role) {
  switch (role) {
  case ApiRole::acquire:
    return SiteRole::acquire;
  case ApiRole::release:
    return SiteRole::release;
  case ApiRole::wait:
    return SiteRole::wait;
  case ApiRole::block:
    return SiteRole::block;
  case ApiRole::lifetime:
    return SiteRole::lifetime;
  case ApiRole::wrapper:
  case ApiRole::ignore:
    break;
  }
  return SiteRole::wrapper;
}

Success successOf(ApiSuccess success) {
  switch (success) {
  case ApiSuccess::zero:
    return Success::zero;
  case ApiSuccess::nonzero:
    return Success::nonZero;
  case ApiSuccess::always:
    break;
  }
  return Success::always;
}

const CXXRecordDecl *pointee(QualType type) {
  if (type->isReferenceType() || type->isPointerType())
    return type->getPointeeType()->getAsCXXRecordDecl();
  return nullptr;
}

/// The lock as the parameter's type names it.
std::string typeName(QualType type, const ASTContext &context) {
  if (type->isReferenceType() || type->isPointerType())
    type = type->getPointeeType();
  PrintingPolicy policy(context.getLangOpts());
  policy.SuppressTagKeyword = true;
  return type.getUnqualifiedType().getAsString(policy);
}

/// The meaning of a further parameter of a guard's constructor.
enum class Tag { none, doesNotTake, tries, maybeTakes };

Tag tagOf(QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record)
    return Tag::none;
  const StringRef name = nameOf(*record);
  if (name.starts_with("adopt") || name.starts_with("defer"))
    return Tag::doesNotTake;
  return name.starts_with("try") ? Tag::tries : Tag::maybeTakes;
}

/// Does the function take the address of something there?
bool isPointer(const FunctionDecl &function, unsigned parameter) {
  if (parameter >= function.getNumParams())
    return false;
  const QualType type = function.getParamDecl(parameter)->getType();
  return type->isPointerType() || type->isReferenceType();
}

} // namespace

bool LockConfig::isGuard(const CXXRecordDecl &record) const {
  const Type *type = names.type(record);
  return type && type->guard;
}

std::optional<LockAnswer> LockConfig::answerTo(const FunctionDecl &callee) const {
  if (names.empty())
    return std::nullopt;
  if (const Function *function = names.function(callee))
    return LockAnswer{operation(callee, *function, nullptr)};
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  const Type *type = method ? names.type(*method->getParent()) : nullptr;
  if (!type)
    return std::nullopt;
  if (type->isIgnored)
    return LockAnswer{};
  if (const auto member = type->members.find(nameOf(callee)); member != type->members.end())
    return LockAnswer{
        operation(callee, {member->second, type->entry}, type->guard ? type : nullptr)};
  if (!type->guard)
    return isa<CXXConstructorDecl, CXXDestructorDecl>(callee)
               ? std::optional(LockAnswer{lifetimeOperation(*method)})
               : std::nullopt;
  if (const auto *made = dyn_cast<CXXConstructorDecl>(&callee))
    return LockAnswer{guardConstructor(*made, *type)};
  if (isa<CXXDestructorDecl>(callee) || method->isMoveAssignmentOperator())
    return LockAnswer{guardDestructor(*method->getParent(), *type)};
  return LockAnswer{};
}

std::optional<LockOperation> LockConfig::operation(const FunctionDecl &callee, const Function &said,
                                                   const Type *guard) const {
  const ApiFunction &api = *said.api;
  if (api.role == ApiRole::ignore)
    return std::nullopt;
  LockOperation operation;
  const auto complete = [&](SiteRole role) {
    operation.role = role;
    operation.flags |= (api.isShared || (guard && guard->guard->isShared) ? siteShared : 0) |
                       (api.isTry ? siteTry : 0) | (api.isTimed ? siteTimed : 0);
    if (said.entry->kind != LockKind::unknown)
      operation.kind = said.entry->kind;
    operation.success = successOf(api.success);
    return operation;
  };
  const unsigned parameter = api.argument.value_or(0);
  if (api.role == ApiRole::block) {
    const bool isMeant = !api.argument || isPointer(callee, parameter);
    return isMeant ? std::optional(complete(SiteRole::block)) : std::nullopt;
  }

  if (isInstanceMember(callee) && !api.argument) {
    const CXXRecordDecl &record = *cast<CXXMethodDecl>(callee).getParent();
    if (!guard) {
      operation.locks.push_back({0, {}, 0});
      addTraits(operation, record);
    } else if (!addLockOfGuard(operation, 0, record)) {
      if (api.role != ApiRole::acquire)
        return std::nullopt; // what is released inside says so itself
      operation.locks.push_back({0, {}, 0});
      return complete(SiteRole::wrapper);
    }
    return complete(siteRole(api.role));
  }

  const unsigned argument = argumentOfParameter(callee, parameter);
  if (!isPointer(callee, parameter)) {
    if (callee.hasPrototype())
      return std::nullopt; // an overload that is given no lock, another function of that name
    operation.locks.push_back({argument, {}, 0});
    return complete(siteRole(api.role));
  }
  const QualType type = callee.getParamDecl(parameter)->getType();
  const CXXRecordDecl *record = pointee(type);
  if (!record || !addLockOfGuard(operation, argument, *record)) {
    operation.locks.push_back({argument, {}, 0});
    if (record)
      addTraits(operation, *record);
    else
      operation.lockType = typeName(type, callee.getASTContext());
  }
  return complete(siteRole(api.role));
}

// Guards.

bool LockConfig::isLockOf(const CXXRecordDecl &record, const LockApiEntry &entry) const {
  const Type *type = names.type(record);
  if (type && type->entry == &entry && !type->guard)
    return true;
  const CXXRecordDecl *definition = record.getDefinition();
  return definition && llvm::any_of(definition->bases(), [&](const CXXBaseSpecifier &specifier) {
           const CXXRecordDecl *base = specifier.getType()->getAsCXXRecordDecl();
           return base && isLockOf(*base, entry);
         });
}

/// A template's arguments say what the guard is for, else its constructors.
LockConfig::LockTypes LockConfig::lockTypesOf(const CXXRecordDecl &guard, const Type &type) const {
  LockTypes locks;
  if (const auto *specialization = dyn_cast<ClassTemplateSpecializationDecl>(&guard)) {
    for (const TemplateArgument &argument : specialization->getTemplateArgs().asArray())
      if (argument.getKind() == TemplateArgument::Type)
        if (const CXXRecordDecl *lock = argument.getAsType()->getAsCXXRecordDecl()) {
          locks.push_back(lock);
          return locks;
        }
  }
  const CXXRecordDecl *definition = guard.getDefinition();
  const auto take = [&](const FunctionDecl &function, std::optional<unsigned> index) {
    if (index && *index < function.getNumParams() && locks.empty())
      if (const CXXRecordDecl *lock = pointee(function.getParamDecl(*index)->getType()))
        locks.push_back(lock);
  };
  for (const CXXConstructorDecl *made : definition->ctors())
    if (!made->isCopyOrMoveConstructor())
      take(*made, lockParameter(*made, type));
  for (const CXXMethodDecl *method : definition->methods())
    if (const auto member = type.members.find(nameOf(*method)); member != type.members.end())
      take(*method, member->second->argument);
  return locks;
}

/// Adds the lock that a guard, ours or the standard's, keeps; false where it is no guard
/// or does not show its lock.
bool LockConfig::addLockOfGuard(LockOperation &operation, unsigned argument,
                                const CXXRecordDecl &guard) const {
  const Type *type = names.type(guard);
  LockTypes locks;
  if (type && type->guard)
    locks = lockTypesOf(guard, *type);
  else if (isStandardGuard(guard))
    if (const auto *specialization = dyn_cast<ClassTemplateSpecializationDecl>(&guard))
      if (const TemplateArgument &first = specialization->getTemplateArgs()[0];
          first.getKind() == TemplateArgument::Type && first.getAsType()->getAsCXXRecordDecl())
        locks.push_back(first.getAsType()->getAsCXXRecordDecl());
  const std::optional<GuardLayout> layout =
      locks.empty() ? std::nullopt : guardLayout(guard, locks);
  if (!layout)
    return false;
  operation.locks.push_back({argument, {layout->lockOffsets.front()}, 0});
  addTraits(operation, *locks.front());
  return true;
}

std::optional<unsigned> LockConfig::lockParameter(const FunctionDecl &constructor,
                                                  const Type &type) const {
  if (type.guard->argument)
    return *type.guard->argument < constructor.getNumParams() ? type.guard->argument : std::nullopt;
  const auto *method = cast<CXXMethodDecl>(&constructor);
  const bool isTemplate = isa<ClassTemplateSpecializationDecl>(method->getParent());
  for (unsigned i = 0; i < constructor.getNumParams(); ++i) {
    const CXXRecordDecl *record = pointee(constructor.getParamDecl(i)->getType());
    if (record && (isTemplate || type.entry->types.empty() || isLockOf(*record, *type.entry)))
      return i;
  }
  return std::nullopt;
}

std::optional<LockOperation> LockConfig::guardConstructor(const CXXConstructorDecl &callee,
                                                          const Type &type) const {
  if (callee.isCopyOrMoveConstructor())
    return std::nullopt;
  const std::optional<unsigned> index = lockParameter(callee, type);
  if (!index)
    return std::nullopt;
  Tag says = Tag::none;
  for (unsigned i = 0; i < callee.getNumParams(); ++i)
    if (const Tag tag = i == *index ? Tag::none : tagOf(callee.getParamDecl(i)->getType());
        tag != Tag::none)
      says = tag;
  if (says == Tag::doesNotTake)
    return std::nullopt;

  LockOperation operation;
  operation.locks.push_back({*index + 1, {}, 0}); // argument 0 is the guard
  const CXXRecordDecl *lock = pointee(callee.getParamDecl(*index)->getType());
  if (!lock)
    return std::nullopt;
  addTraits(operation, *lock);
  if (type.entry->kind != LockKind::unknown)
    operation.kind = type.entry->kind;
  operation.flags |= type.guard->isShared ? siteShared : 0;
  const LockTypes locks = lockTypesOf(*callee.getParent(), type);
  const std::optional<GuardLayout> layout =
      locks.empty() ? std::nullopt : guardLayout(*callee.getParent(), locks);
  if (!layout || (says == Tag::tries && !layout->ownsOffset)) {
    operation.role = SiteRole::wrapper; // the run decides
  } else if (says == Tag::tries || (says == Tag::maybeTakes && layout->ownsOffset)) {
    operation.flags |= says == Tag::tries ? siteTry : siteTimed;
    operation.success = Success::ownsField;
    operation.ownsOffset = *layout->ownsOffset;
  }
  return operation;
}

std::optional<LockOperation> LockConfig::guardDestructor(const CXXRecordDecl &guard,
                                                         const Type &type) const {
  LockOperation operation;
  if (!addLockOfGuard(operation, 0, guard))
    return std::nullopt;
  operation.role = SiteRole::release;
  // It may have been released, or never have taken its lock.
  operation.flags |= siteConditional | (type.guard->isShared ? siteShared : 0);
  return operation;
}

} // namespace qdadvise
