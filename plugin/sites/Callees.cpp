// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/Callees.h"

#include "plugin/api/StandardLibrary.h"
#include "plugin/locksets/WrapperOperations.h"

using namespace clang;

namespace qdadvise {

Callees::Callees(const LockApi &lockApi, Mangler &names, LockTable &lockTable)
    : api(lockApi), mangler(names), table(lockTable),
      library([this](const FunctionDecl &function) { return bool(api.lockOperationOf(function)); },
              isStandardGuard),
      makers([this](const FunctionDecl &function) { return guardConstructor(function); },
             [this](const CXXRecordDecl &record) {
               return guards.contains(record.getCanonicalDecl());
             }) {}

const Callee *Callees::find(const FunctionDecl &function) {
  const auto [known, isNew] = callees.try_emplace(function.getCanonicalDecl());
  if (!isNew)
    return known->second.get();
  std::optional<LockOperation> operation = api.lockOperationOf(function);
  if (!operation || operation->role == SiteRole::lifetime)
    if (std::optional<LockOperation> byName = wrapperByName(function))
      operation = std::move(byName);
  return operation ? &add(function, std::move(*operation)) : nullptr;
}

const LockOperation *Callees::operationOf(const FunctionDecl &function) {
  const Callee *callee = find(function);
  return callee ? &callee->operation : nullptr;
}

const LockOperation *Callees::operationOrWaitWithin(const FunctionDecl &function) {
  const LockOperation *operation = operationOf(function);
  if (operation || !isPredicateWait(function))
    return operation;
  const LibraryOperations::Callees &within = library.within(function);
  return within.empty() ? nullptr : operationOf(*within.front());
}

Callee &Callees::add(const FunctionDecl &function, LockOperation operation) {
  const auto names = mangler.names(function);
  table.addOperation(names, operation);
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&function);
      constructor && operation.role == SiteRole::wrapper)
    guards.insert(constructor->getParent()->getCanonicalDecl());
  auto callee = std::make_unique<Callee>(Callee{std::move(operation), names.front()});
  return *(callees[function.getCanonicalDecl()] = std::move(callee));
}

/// The constructor of a guard of the user's, or null.
const Callee *Callees::guardConstructor(const FunctionDecl &function) const {
  if (!isa<CXXConstructorDecl>(function))
    return nullptr;
  const auto known = callees.find(function.getCanonicalDecl());
  const Callee *callee = known == callees.end() ? nullptr : known->second.get();
  return callee && callee->operation.role == SiteRole::wrapper ? callee : nullptr;
}

bool Callees::addMaker(const FunctionDecl &function) {
  const LibraryOperations::Callees &made = makers.within(function);
  if (made.empty() || find(function))
    return !made.empty();
  const Callee &constructor = *guardConstructor(*made.front());
  LockOperation operation;
  operation.role = SiteRole::wrapper;
  operation.flags = constructor.operation.flags;
  std::optional<LockPath> taken = constructor.taken;
  if (!constructor.isFound && !constructor.operation.locks.empty()) { // by its name
    taken.emplace().base = LockPath::Base::parameter;
    taken->number = constructor.operation.locks.front().argument - 1; // after the object
  }
  Callee &maker = add(function, std::move(operation));
  maker.isFound = true;
  maker.taken = std::move(taken);
  maker.makes = made.front();
  return true;
}

void Callees::addWrapper(const FunctionDecl &function, const LockEffect &effect,
                         const ASTContext &context) {
  Callee &callee = add(function, wrapperOperation(function, effect, context));
  callee.isFound = true;
  if (effect.taken)
    callee.taken = effect.taken->asCallersKnowIt();
}

llvm::SmallVector<const Callee *, 2> Callees::performedWithin(const FunctionDecl &function) {
  llvm::SmallVector<const Callee *, 2> performed;
  for (const FunctionDecl *inner : library.within(function))
    if (const Callee *operation = find(*inner))
      performed.push_back(operation);
  return performed;
}

} // namespace qdadvise
