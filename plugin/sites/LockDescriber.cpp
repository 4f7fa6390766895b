// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/LockDescriber.h"

#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/CallArguments.h"
#include "plugin/locksets/LockNames.h"
#include "plugin/locksets/WrapperOperations.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace qdadvise {
namespace {

/// May an argument of that type be the lock of a wrapper? An integer chooses one of many locks.
bool mayBeLock(QualType type) { return !type->isIntegralOrEnumerationType(); }

/// The argument of a call of the library that becomes the lock of the guard it makes: the
/// first of that parameter's type. A place to insert at, a tag or an allocator may come before.
std::optional<unsigned> forwardedArgument(const Call &call, const Callee &callee) {
  if (!callee.taken || callee.taken->base != LockPath::Base::parameter)
    return std::nullopt;
  const auto typeOf = [](QualType type) {
    return type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  };
  const auto parameter = static_cast<unsigned>(callee.taken->number);
  const QualType wanted = typeOf(callee.makes->getParamDecl(parameter)->getType());
  for (unsigned i = argumentOfParameter(*call.callee, 0);
       const Expr *argument = argumentOf(*call.expression, i); ++i)
    if (typeOf(argument->getType()) == wanted)
      return i;
  return std::nullopt;
}

} // namespace

/// The path of a wrapper's lock, from the arguments of this call.
LockPath LockDescriber::takenBy(const Call &call, const Callee &callee) const {
  LockPath path = *callee.taken;
  if (!callee.makes || path.base == LockPath::Base::variable)
    return path;
  const std::optional<unsigned> argument = forwardedArgument(call, callee);
  if (!argument)
    return {};
  path.number = *argument - argumentOfParameter(*call.callee, 0);
  return path;
}

/// The argument of a call of the library that is the lock of an operation within:
/// the first that is a guard or has the lock's type.
const Expr *LockDescriber::lockWithin(const Call &call, const LockOperation &operation) const {
  for (unsigned i = 0; const Expr *argument = argumentOf(*call.expression, i); ++i) {
    const CXXRecordDecl *record = argument->getType()->getAsCXXRecordDecl();
    if (!record)
      continue;
    if (isStandardGuard(*record))
      return &throughGuard(*argument, 0);
    if (lockTypeName(*argument, context) == operation.lockType)
      return argument;
  }
  return nullptr;
}

const Expr *LockDescriber::lockOf(const Call &call, const Callee &callee, unsigned lock) const {
  const LockOperation &operation = callee.operation;
  if (callee.makes) {
    const std::optional<unsigned> argument = forwardedArgument(call, callee);
    return argument ? argumentOf(*call.expression, *argument) : nullptr;
  }
  if (operation.role == SiteRole::wrapper)
    return operation.locks.empty() ? nullptr
                                   : argumentOf(*call.expression, operation.locks[0].argument);
  if (!api.lockOperationOf(*call.callee))
    return lockWithin(call, operation);
  const AddressPath &address = operation.locks[lock];
  const Expr *argument = argumentOf(*call.expression, address.argument);
  if (!argument || address.loads.empty())
    return argument;
  unsigned inGuard = 0; // number of this lock among those of the guard
  for (unsigned i = 0; i < lock; ++i)
    inGuard += operation.locks[i].argument == address.argument;
  const CXXRecordDecl *record = argument->getType()->getAsCXXRecordDecl();
  return &throughGuard(*argument, inGuard, record && api.isGuard(*record));
}

std::string LockDescriber::expressionOf(const Call &call, const Callee &callee,
                                        unsigned lock) const {
  if (callee.taken)
    return pathText(*call.expression, *call.callee, takenBy(call, callee), context);
  const Expr *expression = lockOf(call, callee, lock);
  if (!expression || !mayBeLock(expression->getType())) // `item_lock(hash)`
    return callee.operation.role == SiteRole::wrapper ? lockExpression(*call.expression, context)
                                                      : "";
  return lockText(*expression,
                  isThroughArrow(*call.expression) && expression == argumentOf(*call.expression, 0),
                  context);
}

void LockDescriber::describe(LockSite &site, const Call &call, const Callee &callee,
                             unsigned lock) const {
  site.lockType = callee.operation.lockType;
  site.expression = expressionOf(call, callee, lock);
  if (callee.taken)
    if (const ValueDecl *declaration = callee.taken->declaration()) {
      setDeclaration(site, declaration);
      return;
    }
  const Expr *expression = lockOf(call, callee, lock);
  const CXXRecordDecl *record = expression ? expression->getType()->getAsCXXRecordDecl() : nullptr;
  // A guard, ours to name or not, is not its lock.
  const auto &locks = callee.operation.locks;
  const bool isGuard = lock < locks.size() && !locks[lock].loads.empty() &&
                       expression == argumentOf(*call.expression, locks[lock].argument);
  if (!expression || isGuard || !mayBeLock(expression->getType()) ||
      (record && isStandardGuard(*record)))
    return;
  site.lockType = lockTypeName(*expression, context);
  setDeclaration(site, lockDeclaration(*expression), /*andType=*/false);
}

void LockDescriber::setDeclaration(LockSite &site, const ValueDecl *declaration,
                                   bool andType) const {
  if (!declaration)
    return;
  if (andType)
    site.lockType = lockTypeName(declaration->getType(), context);
  site.lockName = declarationName(*declaration);
  const Place place = placeOf(declaration->getLocation(), context);
  site.declFile = place.file;
  site.declLine = place.line;
  site.declColumn = place.column;
}

} // namespace qdadvise
