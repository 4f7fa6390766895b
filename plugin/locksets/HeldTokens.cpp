// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/HeldTokens.h"

#include <limits>

using namespace clang;

namespace qdadvise {

Held HeldTokens::take(Token token, Held held) {
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].origin == token.origin && tokens[i].owner == token.owner &&
        tokens[i].path == token.path)
      return held | Held(1) << i;
  if (tokens.size() == std::numeric_limits<Held>::digits)
    return held;
  tokens.push_back(std::move(token));
  return held | Held(1) << (tokens.size() - 1);
}

Held HeldTokens::ownedBy(const VarDecl &guard, Held held) const {
  const VarDecl *canonical = guard.getCanonicalDecl();
  return those(held, [&](const Token &token) { return token.owner.variable == canonical; });
}

Held HeldTokens::releasedBy(const LockPath &path, const Expr *origin, Held held) const {
  const Held loose =
      those(held, [](const Token &token) { return token.owner.kind != Owner::Kind::variable; });
  Held gone = those(loose, [&](const Token &token) { return token.path == path; });
  if (!gone)
    gone = those(loose, [&](const Token &token) {
      return path.base != LockPath::Base::unknown &&
             (token.path.startsWith(path) || path.startsWith(token.path));
    });
  if (!gone && origin)
    gone = those(loose, [&](const Token &token) { return token.origin == origin; });
  if (!gone && path.declaration())
    gone = those(
        loose, [&](const Token &token) { return token.path.declaration() == path.declaration(); });
  if (!gone && (loose & (loose - 1)) == 0)
    gone = loose;
  return gone;
}

} // namespace qdadvise
