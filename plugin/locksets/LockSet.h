// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The locks that a function takes, and sets of those that it may hold.
#pragma once

#include "plugin/api/LockOperation.h"
#include "plugin/locksets/BranchPremises.h"
#include "plugin/locksets/LockOwner.h"
#include "plugin/locksets/LockPath.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <cstdint>
#include <vector>

namespace qdadvise {

/// A call took a lock, and somebody owns it. A guard that is moved makes another fact.
struct LockFact {
  const clang::Expr *origin; ///< the call that takes it
  LockPath path;
  Owner owner = {};
  Success success = Success::always;
  bool shared = false;
  bool reacquired = false; ///< it was given up before, in a wait
  /// What the branches said where it was taken.
  Premises premises = {}; // NOLINT(readability-redundant-member-init): others leave it out

  /// May the function return with it held?
  bool outlivesFunction() const;
};

/// Facts that may hold at a place in the function, as bits by their numbers in a LockFactTable.
using LockSet = std::uint64_t;

/// The facts of one function.
class LockFactTable {
public:
  /// Adds a fact, which may be known from before. Facts beyond LockSet's bits are left out.
  LockSet take(LockFact fact, LockSet held);

  /// The facts of `held` that a guard owns.
  LockSet ownedBy(const clang::VarDecl &guard, LockSet held) const;

  /// The facts of `held` that a release ends: those of the lock of this path. Paths are but a
  /// guess, so that the nearest is meant where no path is equal. `origin`: the call that made
  /// what is released, or null.
  LockSet releasedBy(const LockPath &path, const clang::Expr *origin, LockSet held) const;

  template <class Predicate> LockSet select(LockSet held, Predicate predicate) const {
    LockSet result = 0;
    for (std::size_t i = 0; i < facts.size(); ++i)
      if ((held >> i & 1) && predicate(facts[i]))
        result |= LockSet(1) << i;
    return result;
  }

  /// Calls `callback(fact)` for each of `held`. It may take more, and is not called for those.
  template <class Callback> void forEach(LockSet held, Callback callback) {
    for (std::size_t i = 0, count = facts.size(); i < count; ++i)
      if (held >> i & 1)
        callback(facts[i]);
  }

private:
  std::vector<LockFact> facts;
};

} // namespace qdadvise
