// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/api/ThreadSafety.h"

#include "plugin/api/AttributePath.h"
#include "plugin/api/LockTraits.h"
#include "plugin/ast/CallArguments.h"
#include "plugin/ast/Compat.h"
#include "plugin/ast/GuardLayout.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace qdadvise {
namespace {

/// All that the attributes of a function say.
struct Annotations {
  llvm::SmallVector<const Expr *, 2> acquires, releases;
  bool acquiresThis = false, releasesThis = false; ///< an attribute without arguments
  bool isShared = true;                            ///< all that is taken is shared
  bool releasesShared = true;
  bool isTry = false;
  Success success = Success::always;

  bool isAcquire() const { return acquiresThis || !acquires.empty(); }
  bool isRelease() const { return releasesThis || !releases.empty(); }
};

/// `!mu` says what must not be held; a string was the way to name what cannot be written.
bool namesNoLock(const Expr &argument) {
  const Expr &inner = *argument.IgnoreParenImpCasts();
  const auto *unary = dyn_cast<UnaryOperator>(&inner);
  const auto *call = dyn_cast<CXXOperatorCallExpr>(&inner);
  return (unary && unary->getOpcode() == UO_LNot) || (call && call->getOperator() == OO_Exclaim) ||
         isa<StringLiteral>(inner);
}

template <typename Arguments>
void addArguments(const Arguments &arguments, llvm::SmallVectorImpl<const Expr *> &to, bool &self) {
  if (arguments.begin() == arguments.end())
    self = true;
  for (const Expr *argument : arguments)
    if (!namesNoLock(*argument))
      to.push_back(argument);
}

/// Which results of a try mean that the lock was taken.
Success successOf(const Expr *value, ASTContext &context) {
  bool isTrue = true;
  if (value && !value->isValueDependent() && value->EvaluateAsBooleanCondition(isTrue, context))
    return isTrue ? Success::nonZero : Success::zero;
  return Success::nonZero;
}

Annotations annotationsOf(const FunctionDecl &function) {
  Annotations all;
  const auto take = [&](const auto &attribute, bool shared) {
    addArguments(attribute.args(), all.acquires, all.acquiresThis);
    all.isShared &= shared;
  };
  for (const Attr *attribute : function.getMostRecentDecl()->attrs()) {
    if (const auto *acquire = dyn_cast<AcquireCapabilityAttr>(attribute)) {
      take(*acquire, acquire->isShared());
    } else if (const auto *release = dyn_cast<ReleaseCapabilityAttr>(attribute)) {
      addArguments(release->args(), all.releases, all.releasesThis);
      all.releasesShared &= release->isShared();
    } else {
      withTryAcquire(*attribute, [&](const auto &attempt, bool shared) {
        take(attempt, shared);
        all.isTry = true;
        all.success = successOf(attempt.getSuccessValue(), function.getASTContext());
      });
    }
  }
  return all;
}

const CXXRecordDecl *pointee(QualType type) {
  type = type.getNonReferenceType();
  return type->isPointerType() ? type->getPointeeType()->getAsCXXRecordDecl()
                               : type->getAsCXXRecordDecl();
}

void addLock(LockOperation &operation, const AddressPath &path, const CXXRecordDecl *lock) {
  operation.locks.push_back(path);
  if (lock)
    addTraits(operation, *lock);
}

/// Adds the locks that the arguments name; false where one of them has no path.
bool addLocks(LockOperation &operation, const FunctionDecl &function,
              llvm::ArrayRef<const Expr *> arguments) {
  for (const Expr *argument : arguments) {
    const std::optional<AddressPath> path = attributePath(*argument, function);
    if (!path)
      return false;
    addLock(operation, *path, pointee(argument->getType()));
  }
  return true;
}

/// The classes of the locks that a guard is for, as its constructors say; the first one
/// that takes or adopts locks speaks for all.
llvm::SmallVector<const CXXRecordDecl *, 2> lockTypesOf(const CXXRecordDecl &guard) {
  llvm::SmallVector<const CXXRecordDecl *, 2> types;
  const auto add = [&](const auto &attribute) {
    for (const Expr *argument : attribute.args())
      if (const CXXRecordDecl *lock = pointee(argument->getType()); lock && !namesNoLock(*argument))
        types.push_back(lock);
  };
  const CXXRecordDecl *definition = guard.getDefinition();
  for (const CXXConstructorDecl *constructor : definition->ctors()) {
    for (const Attr *attribute : constructor->getMostRecentDecl()->attrs()) {
      if (const auto *acquire = dyn_cast<AcquireCapabilityAttr>(attribute))
        add(*acquire);
      else if (const auto *adopt = dyn_cast<RequiresCapabilityAttr>(attribute))
        add(*adopt);
      else if (const auto *defer = dyn_cast<LocksExcludedAttr>(attribute))
        add(*defer);
    }
    if (!types.empty())
      return types;
  }
  return types;
}

/// Adds the locks that a scoped object holds, by the pointers in it; false where its
/// layout does not tell.
bool addLocksOfGuard(LockOperation &operation, const CXXRecordDecl &guard) {
  const auto types = lockTypesOf(guard);
  const std::optional<GuardLayout> layout =
      types.empty() ? std::nullopt : guardLayout(guard, types);
  if (!layout)
    return false;
  for (unsigned i = 0; i < types.size(); ++i)
    addLock(operation, {0, {layout->lockOffsets[i]}, 0}, types[i]);
  return true;
}

/// The run decides: what is taken inside and still held at the end belongs to the call.
LockOperation wrapper(const FunctionDecl &function, const Annotations &annotations) {
  LockOperation operation;
  operation.role = SiteRole::wrapper;
  for (const Expr *argument : annotations.acquires)
    if (const CXXRecordDecl *lock = pointee(argument->getType()); lock && operation.locks.empty()) {
      addTraits(operation, *lock);
      if (const auto path = attributePath(*argument, function))
        operation.locks.push_back(*path);
    }
  operation.flags |= annotations.isShared ? siteShared : 0;
  if (operation.locks.empty() && isInstanceMember(function))
    operation.locks.push_back({0, {}, 0});
  return operation;
}

bool samePaths(const LockOperation &a, const LockOperation &b) {
  return a.locks.size() == b.locks.size() &&
         std::equal(a.locks.begin(), a.locks.end(), b.locks.begin());
}

} // namespace

bool isScopedCapability(const CXXRecordDecl &record) {
  return record.hasAttr<ScopedLockableAttr>();
}

std::optional<LockOperation> attributeOperation(const FunctionDecl &callee) {
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  const CXXRecordDecl *record = method ? method->getParent() : nullptr;
  const bool isScoped = record && isScopedCapability(*record);
  const Annotations annotations = annotationsOf(callee);
  if (!annotations.isAcquire() && !annotations.isRelease()) {
    const bool isLock = record && record->hasAttr<CapabilityAttr>() && !isScoped;
    return isLock ? lifetimeOperation(*method) : std::nullopt;
  }

  LockOperation acquisition, release;
  bool known = addLocks(acquisition, callee, annotations.acquires) &&
               addLocks(release, callee, annotations.releases);
  const auto addSelf = [&](LockOperation &operation) {
    if (!isInstanceMember(callee))
      known = false;
    else if (isScoped && !isa<CXXConstructorDecl>(callee))
      known &= addLocksOfGuard(operation, *record);
    else
      addLock(operation, {0, {}, 0}, record);
  };
  if (annotations.acquiresThis)
    addSelf(acquisition);
  if (annotations.releasesThis)
    addSelf(release);

  if (annotations.isAcquire()) {
    // A constructor has no result; one that gives another lock up does two things at once.
    if (!known || (annotations.isTry && isa<CXXConstructorDecl>(callee)) ||
        (annotations.isRelease() && !samePaths(acquisition, release)))
      return wrapper(callee, annotations);
    acquisition.role = annotations.isRelease() ? SiteRole::wait : SiteRole::acquire;
    acquisition.flags |=
        (annotations.isTry ? siteTry : 0) | (annotations.isShared ? siteShared : 0);
    acquisition.success = annotations.isRelease() ? Success::always : annotations.success;
    return acquisition;
  }
  if (!known)
    return std::nullopt; // what is released inside says so itself
  release.role = SiteRole::release;
  // A guard may have been released, or never have taken its lock.
  release.flags |= (annotations.releasesShared ? siteShared : 0) | (isScoped ? siteConditional : 0);
  return release;
}

} // namespace qdadvise
