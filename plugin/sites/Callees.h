// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a translation unit that are lock operations: by a source of knowledge about lock
// APIs, by their names, or because their bodies show that they are wrappers.
#pragma once

#include "plugin/api/LockApi.h"
#include "plugin/ast/Mangler.h"
#include "plugin/locksets/LockEffect.h"
#include "plugin/locksets/LockPath.h"
#include "plugin/sites/LibraryOperations.h"
#include "plugin/sites/LockTable.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <memory>
#include <optional>
#include <string>

namespace qdadvise {

/// A callee that is an operation.
struct Callee {
  LockOperation operation;
  std::string name;
  /// It is a wrapper that is known only when all bodies have been looked at.
  bool isFound = false;
  std::optional<LockPath> taken = std::nullopt; ///< its lock, if that is one place
  /// The guard's constructor that a function of the library hands its arguments to, or null.
  const clang::FunctionDecl *makes = nullptr;
};

class Callees {
public:
  /// All must outlive it. Operations are registered in `lockTable`.
  Callees(const LockApi &lockApi, Mangler &names, LockTable &lockTable);

  /// The operation that a function is, or null. Registers it.
  const Callee *find(const clang::FunctionDecl &function);
  const LockOperation *operationOf(const clang::FunctionDecl &function);

  /// The operations that a function of the library performs for its caller.
  llvm::SmallVector<const Callee *, 2> performedWithin(const clang::FunctionDecl &function);

  /// The operation that a function is, or the wait within one with a predicate, which is of the
  /// same lock.
  const LockOperation *operationOrWaitWithin(const clang::FunctionDecl &function);

  /// Registers a function whose body shows that it is a wrapper.
  void addWrapper(const clang::FunctionDecl &function, const LockEffect &effect,
                  const clang::ASTContext &context);

  /// Registers a function of the library that makes a guard of the user's as a wrapper:
  /// `std::make_unique<Guard>(m)`, `std::optional<Guard>::emplace(m)`. False: it is none.
  bool addMaker(const clang::FunctionDecl &function);

  /// Are there guards of the user's?
  bool hasGuards() const { return !guards.empty(); }

private:
  Callee &add(const clang::FunctionDecl &function, LockOperation operation);
  const Callee *guardConstructor(const clang::FunctionDecl &function) const;

  const LockApi &api;
  Mangler &mangler;
  LockTable &table;
  LibraryOperations library; ///< its operations by API
  LibraryOperations makers;  ///< its calls of constructors of the user's guards
  llvm::SmallPtrSet<const clang::CXXRecordDecl *, 4> guards; ///< of the user's
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<Callee>> callees;
};

} // namespace qdadvise
