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

/// What the attributes of a function say, put together.
struct Annotations {
  llvm::SmallVector<const Expr *, 2> acquires, releases;
  bool takesThis = false, givesThis = false; ///< an attribute without arguments
  bool isShared = true;                      ///< all that is taken is shared
  bool givesShared = true;
  bool isTry = false;
  Success success = Success::always;

  bool isAcquire() const { return takesThis || !acquires.empty(); }
  bool isRelease() const { return givesThis || !releases.empty(); }
};

/// `!mu` says what must not be held; a string was the way to name what cannot be written.
bool saysNothing(const Expr &argument) {
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
    if (!saysNothing(*argument))
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
    addArguments(attribute.args(), all.acquires, all.takesThis);
    all.isShared &= shared;
  };
  for (const Attr *attribute : function.getMostRecentDecl()->attrs()) {
    if (const auto *acquire = dyn_cast<AcquireCapabilityAttr>(attribute)) {
      take(*acquire, acquire->isShared());
    } else if (const auto *release = dyn_cast<ReleaseCapabilityAttr>(attribute)) {
      addArguments(release->args(), all.releases, all.givesThis);
      all.givesShared &= release->isShared();
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

// Scoped capabilities.

/// The classes of the locks that a guard is for, as its constructors say; the first one
/// that takes or adopts locks speaks for all.
llvm::SmallVector<const CXXRecordDecl *, 2> lockTypesOf(const CXXRecordDecl &guard) {
  llvm::SmallVector<const CXXRecordDecl *, 2> types;
  const auto add = [&](const auto &attribute) {
    for (const Expr *argument : attribute.args())
      if (const CXXRecordDecl *lock = pointee(argument->getType()); lock && !saysNothing(*argument))
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
bool addHeld(LockOperation &operation, const CXXRecordDecl &guard) {
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
LockOperation wrapper(const FunctionDecl &function, const Annotations &says) {
  LockOperation operation;
  operation.role = SiteRole::wrapper;
  for (const Expr *argument : says.acquires)
    if (const CXXRecordDecl *lock = pointee(argument->getType()); lock && operation.locks.empty()) {
      addTraits(operation, *lock);
      if (const auto path = attributePath(*argument, function))
        operation.locks.push_back(*path);
    }
  operation.flags |= says.isShared ? siteShared : 0;
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
  const Annotations says = annotationsOf(callee);
  if (!says.isAcquire() && !says.isRelease()) {
    const bool isLock = record && record->hasAttr<CapabilityAttr>() && !isScoped;
    return isLock ? lifetimeOperation(*method) : std::nullopt;
  }

  LockOperation taken, given;
  bool known = addLocks(taken, callee, says.acquires) && addLocks(given, callee, says.releases);
  const auto addSelf = [&](LockOperation &operation) {
    if (!isInstanceMember(callee))
      known = false;
    else if (isScoped && !isa<CXXConstructorDecl>(callee))
      known &= addHeld(operation, *record);
    else
      addLock(operation, {0, {}, 0}, record);
  };
  if (says.takesThis)
    addSelf(taken);
  if (says.givesThis)
    addSelf(given);

  if (says.isAcquire()) {
    // A constructor has no result; one that gives another lock up does two things at once.
    if (!known || (says.isTry && isa<CXXConstructorDecl>(callee)) ||
        (says.isRelease() && !samePaths(taken, given)))
      return wrapper(callee, says);
    taken.role = says.isRelease() ? SiteRole::wait : SiteRole::acquire;
    taken.flags |= (says.isTry ? siteTry : 0) | (says.isShared ? siteShared : 0);
    taken.success = says.isRelease() ? Success::always : says.success;
    return taken;
  }
  if (!known)
    return std::nullopt; // what is released inside says so itself
  given.role = SiteRole::release;
  // A guard may have been released, or never have taken its lock.
  given.flags |= (says.givesShared ? siteShared : 0) | (isScoped ? siteConditional : 0);
  return given;
}

} // namespace qdadvise
