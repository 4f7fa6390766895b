// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The critical sections that sites begin: their extent, and what they do.
#pragma once

#include "plugin/ast/Mangler.h"
#include "plugin/locksets/Wrappers.h"
#include "plugin/sections/CallEffects.h"
#include "plugin/sections/SectionBehaviour.h"
#include "plugin/sites/CallWalk.h"
#include "plugin/sites/Callees.h"
#include "plugin/sites/LockDescriber.h"
#include "plugin/sites/LockTable.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace qdadvise {

class SiteSections {
public:
  /// All must outlive it.
  SiteSections(clang::ASTContext &astContext, Callees &knownCallees, Wrappers &knownWrappers,
               const LockDescriber &lockDescriber);

  /// The section's text, which begins with a call at the end of `path`. `expression`: the lock as
  /// written.
  clang::SourceRange extent(const Call &call, llvm::ArrayRef<const clang::Stmt *> path,
                            llvm::StringRef expression);

  /// Of every operation: the site of its call.
  void note(std::size_t site, const Call &call) { sitesOf[call.expression].push_back(site); }

  /// Adds the section that begins at a site with this call in `function`, to be looked at later.
  /// `guard`: the variable that the call initialises, or null.
  void add(std::size_t site, const Call &call, const Callee &callee,
           const clang::FunctionDecl *function, const clang::VarDecl *guard, bool isAllocated);

  /// Sets the facts of all sections. Call when it is known which functions release a lock.
  void decideFacts(LockTable &table, Mangler &mangler);

  /// What a function with a body does that matters under a lock, for units that do not see it.
  FunctionFacts factsOf(const clang::FunctionDecl &function, const LockTable &table,
                        Mangler &mangler);

private:
  InnerSites innerOf(const InnerLocks &inner, const std::string &inFunction,
                     const LockTable &table) const;
  bool isReleaseOf(const clang::Stmt &statement, llvm::StringRef expression);

  clang::ASTContext &context;
  Callees &callees;
  Wrappers &wrappers;
  const LockDescriber &locks;
  CallEffects effects;

  struct Section {
    std::size_t site;
    SectionStart start;
  };
  std::vector<Section> sections;
  llvm::DenseMap<const clang::Stmt *, llvm::SmallVector<std::size_t, 1>> sitesOf;
};

} // namespace qdadvise
