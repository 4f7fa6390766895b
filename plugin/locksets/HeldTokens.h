// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The locks that a function takes, and sets of those it may hold.
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

/// A lock that is taken here, in one way of being owned.
struct Token {
  const clang::Expr *origin; ///< the call that takes it
  LockPath path;
  Owner owner;
  Success success;
  bool shared;
  bool again;        ///< given up before, in a wait
  Premises premises; ///< what was so where it was taken
};

/// The tokens that may be held, by number.
using Held = std::uint64_t;

class HeldTokens {
public:
  /// Adds a token, which may be known from before. More than Held can tell apart are left out.
  Held take(Token token, Held held);

  /// Those of `held` that a guard owns.
  Held ownedBy(const clang::VarDecl &guard, Held held) const;

  /// Those of `held` that a release gives up: the lock of this path; else, as paths are but a
  /// guess, what comes nearest. `origin`: the call that made what is released, or null.
  Held releasedBy(const LockPath &path, const clang::Expr *origin, Held held) const;

  template <class Predicate> Held those(Held held, Predicate predicate) const {
    Held result = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if ((held >> i & 1) && predicate(tokens[i]))
        result |= Held(1) << i;
    return result;
  }

  /// Calls `callback(token)` for each of `held`. It may take more, and is not called for those.
  template <class Callback> void forEach(Held held, Callback callback) {
    for (std::size_t i = 0, count = tokens.size(); i < count; ++i)
      if (held >> i & 1)
        callback(tokens[i]);
  }

private:
  std::vector<Token> tokens;
};

} // namespace qdadvise
