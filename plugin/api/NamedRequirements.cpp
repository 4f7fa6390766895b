// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/api/NamedRequirements.h"

#include "plugin/api/LockTraits.h"
#include "plugin/ast/DeclNames.h"

#include "clang/AST/Type.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {
namespace {

const LockMember *lockMemberOf(const CXXMethodDecl &method) {
  const LockMember *row = rowNamed(lockMembers, nameOf(method));
  if (!row || method.isStatic() || method.getAccess() != AS_public ||
      method.getNumParams() != row->parameters || method.isDependentContext())
    return nullptr;
  const QualType result = method.getReturnType();
  return (row->returnsBool ? result->isBooleanType() : result->isVoidType()) ? row : nullptr;
}

} // namespace

bool hasLockMember(const CXXRecordDecl &record, StringRef name) {
  const CXXRecordDecl *definition = record.getDefinition();
  if (!definition)
    return false;
  for (const CXXMethodDecl *method : definition->methods())
    if (nameOf(*method) == name && lockMemberOf(*method))
      return true;
  return llvm::any_of(definition->bases(), [&](const CXXBaseSpecifier &base) {
    const CXXRecordDecl *b = base.getType()->getAsCXXRecordDecl();
    return b && base.getAccessSpecifier() == AS_public && hasLockMember(*b, name);
  });
}

/// A class that meets a requirement and refers to a lock is its guard, not a lock.
static bool refersToLock(const CXXRecordDecl &record) {
  return llvm::any_of(record.fields(), [](const FieldDecl *field) {
    const QualType type = field->getType();
    if (!type->isPointerType() && !type->isReferenceType())
      return false;
    const CXXRecordDecl *pointee = type->getPointeeType()->getAsCXXRecordDecl();
    return pointee && (hasLockMember(*pointee, "lock") || hasLockMember(*pointee, "lock_shared"));
  });
}

std::optional<LockOperation> lockableOperation(const CXXMethodDecl &method) {
  const CXXRecordDecl &record = *method.getParent();
  const auto meets = [&](StringRef take, StringRef give) {
    return hasLockMember(record, take) && hasLockMember(record, give);
  };
  if (isa<CXXConstructorDecl, CXXDestructorDecl>(method)) {
    const bool isLock = meets("lock", "unlock") || meets("lock_shared", "unlock_shared");
    return isLock && !refersToLock(record) ? lifetimeOperation(method) : std::nullopt;
  }
  const LockMember *member = lockMemberOf(method);
  if (!member)
    return std::nullopt;
  const bool shared = member->flags & siteShared;
  if (!(shared ? meets("lock_shared", "unlock_shared") : meets("lock", "unlock")))
    return std::nullopt;
  LockOperation operation;
  addTraits(operation, record);
  operation.role = member->role;
  operation.flags |= member->flags;
  operation.success = member->returnsBool ? Success::nonZero : Success::always;
  operation.locks.push_back({0, {}, 0});
  return operation;
}

} // namespace qdadvise
