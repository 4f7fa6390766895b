// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function does to the locks that its caller holds: it may return with locks that it took,
// and give up others that it did not take. A forward analysis of its control flow, which may say
// too much: the runtime sees what is really held.
#pragma once

#include "plugin/api/LockOperation.h"
#include "plugin/locksets/LockPath.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace qdadvise {

struct LockEffect {
  bool takes = false;    ///< may return with a lock held that it took
  bool inResult = false; ///< the object that it returns holds it
  bool shared = false;   ///< what it takes, it takes in shared mode
  /// It gave up what it takes before, in a wait: its caller held it.
  bool reacquired = false;
  Success success = Success::always;
  std::optional<LockPath> taken; ///< where the lock hangs, if that is one place
  llvm::SmallVector<LockPath, 1> releases;

  bool operator==(const LockEffect &) const = default;
  bool isNone() const { return !takes && releases.empty(); }
};

/// Knowledge of the functions that a function calls.
class CallKnowledge {
public:
  virtual ~CallKnowledge() = default;
  /// The operation that a function is, wrappers by name among them; or null.
  virtual const LockOperation *operationOf(const clang::FunctionDecl &function) = 0;
  /// The effect of a function of this translation unit that is no operation; or null.
  virtual const LockEffect *effectOf(const clang::FunctionDecl &function) = 0;
  /// Does its name say that it gives up a lock, its body not being in sight?
  virtual bool releasesByName(const clang::FunctionDecl &function) = 0;
};

/// The effect of a function's body. None for a function without one.
LockEffect effectOfBody(const clang::FunctionDecl &function, CallKnowledge &knowledge);

} // namespace qdadvise
