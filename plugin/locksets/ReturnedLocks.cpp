// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/ReturnedLocks.h"

#include "plugin/ast/Expressions.h"

using namespace clang;

namespace qdadvise {

void ReturnedLocks::note(const Expr *value, LockSet held, LockFactTable &facts,
                         const ResultVariables &results, const FunctionDecl &function) {
  const ASTContext &context = function.getASTContext();
  const QualType type = function.getReturnType();
  if (!value || (!type->isIntegerType() && !type->isPointerType())) {
    unknown = true;
    return;
  }
  const LockSet leaving =
      facts.select(held, [](const LockFact &fact) { return fact.outlivesFunction(); });
  if (const auto asked = callOutcome(*value, results, context))
    if (noteOutcome(*asked, leaving, facts))
      return;
  const std::optional<std::int64_t> constant = constantOf(*value, context);
  if (!constant && !type->isPointerType()) {
    unknown = true;
    return;
  }
  const bool isZero = constant == 0;
  if (leaving)
    (isZero ? heldZero : heldNonZero) = true;
  else
    (isZero ? freeZero : freeNonZero) = true;
}

/// `return pthread_mutex_trylock(&m) == 0`: false where the value is of another call than the one
/// that takes all that is held.
bool ReturnedLocks::noteOutcome(const CallOutcome &asked, LockSet leaving, LockFactTable &facts) {
  const LockSet asksFor =
      facts.select(leaving, [&](const LockFact &fact) { return fact.origin == asked.call; });
  if (!asksFor || asksFor != leaving)
    return false;
  facts.forEach(asksFor, [&](const LockFact &fact) {
    const std::optional<bool> took = tookLock(fact.success, asked.whenTrue);
    unknown |= !took;
    (took.value_or(true) ? heldNonZero : heldZero) = true;
    (took.value_or(true) ? freeZero : freeNonZero) = true;
  });
  return true;
}

Success ReturnedLocks::success() const {
  if (unknown)
    return Success::always;
  if (freeZero && !heldZero && !freeNonZero)
    return Success::nonZero;
  if (freeNonZero && !heldNonZero && !freeZero)
    return Success::zero;
  return Success::always;
}

} // namespace qdadvise
