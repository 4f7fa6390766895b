// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/Wrappers.h"

#include "plugin/locksets/WrapperNames.h"

#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace qdadvise {
namespace {

bool concernsHolding(const LockOperation *operation) {
  return operation &&
         (operation->role == SiteRole::acquire || operation->role == SiteRole::release ||
          operation->role == SiteRole::wait || operation->role == SiteRole::wrapper);
}

/// May what it returns be a guard?
bool returnsObject(const FunctionDecl &function) {
  const CXXRecordDecl *record = function.getReturnType()->getAsCXXRecordDecl();
  return record && record->hasDefinition() && !record->hasTrivialDestructor();
}

} // namespace

const LockOperation *Wrappers::operationOf(const FunctionDecl &function) {
  const LockOperation *operation = operationsOf(function);
  return concernsHolding(operation) ? operation : nullptr;
}

const LockEffect *Wrappers::effectOf(const FunctionDecl &function) {
  const auto known = effects.find(function.getCanonicalDecl());
  return known == effects.end() ? nullptr : &known->second;
}

bool Wrappers::releasesByName(const FunctionDecl &function) {
  const auto [known, isNew] = namedReleases.try_emplace(function.getCanonicalDecl());
  if (isNew)
    known->second = meaningOfName(function) == NameMeaning::releases;
  return known->second;
}

/// A guard that lives in a local variable ends with its scope: nothing is held of it, unless
/// the function may hand it out.
bool Wrappers::isCandidate(const CallOfFunction &call) {
  const auto *caller = dyn_cast<FunctionDecl>(call.caller);
  return caller && (!call.makesVariable || returnsObject(*caller)) && !operationOf(*caller);
}

void Wrappers::solve() {
  llvm::SetVector<const FunctionDecl *> pending;
  for (const CallOfFunction &call : calls)
    if (operationOf(*call.callee) && isCandidate(call))
      pending.insert(cast<FunctionDecl>(call.caller));
  if (pending.empty())
    return;

  llvm::DenseMap<const FunctionDecl *, llvm::SmallVector<const CallOfFunction *, 4>> callsOf;
  for (const CallOfFunction &call : calls)
    callsOf[call.callee].push_back(&call);
  // Wrappers of wrappers are few and not deep; functions that call each other may go on
  // changing each other's effects.
  constexpr unsigned mostRounds = 8;
  for (unsigned round = 0; round < mostRounds && !pending.empty(); ++round) {
    llvm::SetVector<const FunctionDecl *> next;
    for (const FunctionDecl *function : pending) {
      LockEffect effect = effectOfBody(*function, *this);
      const FunctionDecl *key = function->getCanonicalDecl();
      const LockEffect *known = effectOf(*function);
      if (known ? *known == effect : effect.isNone())
        continue;
      if (effect.isNone())
        effects.erase(key);
      else
        effects[key] = std::move(effect);
      for (const CallOfFunction *call : callsOf[key])
        if (isCandidate(*call))
          next.insert(cast<FunctionDecl>(call->caller));
    }
    pending = std::move(next);
  }

  llvm::SetVector<const FunctionDecl *> ordered;
  for (const CallOfFunction &call : calls)
    if (const auto *caller = dyn_cast<FunctionDecl>(call.caller))
      if (const LockEffect *effect = effectOf(*caller); effect && effect->takes)
        ordered.insert(caller->getCanonicalDecl());
  wrappers.assign(ordered.begin(), ordered.end());
}

llvm::SetVector<const Decl *>
Wrappers::callersOf(llvm::function_ref<bool(const FunctionDecl &)> isWanted) const {
  llvm::SetVector<const Decl *> callers;
  for (const CallOfFunction &call : calls)
    if (isWanted(*call.callee))
      callers.insert(call.caller);
  return callers;
}

} // namespace qdadvise
