// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/LockSet.h"

#include <limits>

using namespace clang;

namespace qdadvise {

bool LockFact::outlivesFunction() const {
  switch (owner.kind) {
  case Owner::Kind::nobody:
    return !path.isLocal();
  case Owner::Kind::object:
  case Owner::Kind::result:
    return true;
  case Owner::Kind::variable:
  case Owner::Kind::temporary:
    return false;
  }
  llvm_unreachable("all kinds of owners are handled");
}

LockSet LockFactTable::take(LockFact fact, LockSet held) {
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (facts[i].origin == fact.origin && facts[i].owner == fact.owner &&
        facts[i].path == fact.path)
      return held | LockSet(1) << i;
  if (facts.size() == std::numeric_limits<LockSet>::digits)
    return held;
  facts.push_back(std::move(fact));
  return held | LockSet(1) << (facts.size() - 1);
}

LockSet LockFactTable::ownedBy(const VarDecl &guard, LockSet held) const {
  const VarDecl *canonical = guard.getCanonicalDecl();
  return select(held, [&](const LockFact &fact) { return fact.owner.variable == canonical; });
}

LockSet LockFactTable::releasedBy(const LockPath &path, const Expr *origin, LockSet held) const {
  const LockSet loose =
      select(held, [](const LockFact &fact) { return fact.owner.kind != Owner::Kind::variable; });
  LockSet gone = select(loose, [&](const LockFact &fact) { return fact.path == path; });
  if (!gone)
    gone = select(loose, [&](const LockFact &fact) {
      return path.base != LockPath::Base::unknown &&
             (fact.path.startsWith(path) || path.startsWith(fact.path));
    });
  if (!gone && origin)
    gone = select(loose, [&](const LockFact &fact) { return fact.origin == origin; });
  if (!gone && path.declaration())
    gone = select(
        loose, [&](const LockFact &fact) { return fact.path.declaration() == path.declaration(); });
  if (!gone && (loose & (loose - 1)) == 0)
    gone = loose;
  return gone;
}

} // namespace qdadvise
