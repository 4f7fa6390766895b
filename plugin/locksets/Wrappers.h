// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions of a translation unit may return with a lock held that they took, or
// release one that they did not take: wrappers of lock operations, wrappers of wrappers,
// constructors and makers of guards. Only functions that call an operation, or a function
// found to be such, are looked at.
#pragma once

#include "plugin/locksets/LockEffect.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <vector>

namespace qdadvise {

/// How a function that is defined in this translation unit is called in one place.
struct CallOfFunction {
  const clang::Decl *caller;         ///< a function's definition, or a variable it initialises
  const clang::FunctionDecl *callee; ///< canonical
  bool makesVariable;                ///< initialises a variable with automatic storage
};

class Wrappers : public CallKnowledge {
public:
  using Operations = std::function<const LockOperation *(const clang::FunctionDecl &)>;

  /// `operations` says which functions are operations, those by name among them, and what
  /// functions of the library perform.
  explicit Wrappers(Operations operations) : operationsOf(std::move(operations)) {}

  void addCall(const CallOfFunction &call) { calls.push_back(call); }

  /// Finds the wrappers among the callers.
  void solve();

  /// The functions that may return with a lock held, in the order of the source.
  llvm::ArrayRef<const clang::FunctionDecl *> found() const { return wrappers; }

  /// The functions and variables that call a function which `isWanted`.
  llvm::SetVector<const clang::Decl *>
  callersOf(llvm::function_ref<bool(const clang::FunctionDecl &)> isWanted) const;

  const LockOperation *operationOf(const clang::FunctionDecl &function) override;
  const LockEffect *effectOf(const clang::FunctionDecl &function) override;
  bool releasesByName(const clang::FunctionDecl &function) override;

private:
  bool isCandidate(const CallOfFunction &call);

  Operations operationsOf;
  std::vector<CallOfFunction> calls;
  llvm::DenseMap<const clang::FunctionDecl *, LockEffect> effects;
  llvm::DenseMap<const clang::FunctionDecl *, bool> namedReleases;
  llvm::SmallVector<const clang::FunctionDecl *, 8> wrappers;
};

} // namespace qdadvise
