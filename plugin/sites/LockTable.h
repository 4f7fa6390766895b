// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lock operations of a translation unit are and where they are called: the
// value between the AST, which finds them, and the hook inserter and the advice
// reporter, which use them.
#pragma once

#include "plugin/api/LockOperation.h"
#include "plugin/sections/ShownFacts.h"
#include "runtime/abi/site_record.h"

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// Code that is called, and whose body is not in this unit.
struct UnseenCode {
  std::map<std::string, std::string> functions; ///< by mangled name: for people
  bool isMore = false;                          ///< code without a name, too
};

/// The locks that are taken in a section or by a function, also in what is called in turn.
struct InnerSites {
  std::vector<std::size_t> takes; ///< numbers of sites
  /// One is not given up there, or one that is given up was not taken there, or it is not known.
  /// Of a section also its own lock.
  bool isOpen = false;
};

/// A call of a lock operation in the source. An operation that takes several locks
/// has one site for each, apart in `lockIndex`. Implicit calls (a guard's destructor)
/// are operations without a site. A spawn's file, line, column and function are those of the
/// routine that the thread begins with; only a spawn with a site is hooked.
struct LockSite {
  std::string callee;     ///< mangled, key into LockTable::operations
  std::string inFunction; ///< mangled name of the function it is in (constructors: C2); "" in an
                          ///< initialiser of a namespace's variable
  unsigned lockIndex = 0; ///< which of LockOperation::locks
  SiteRole role = SiteRole::acquire;
  bool isThroughPointer = false;      ///< a call of a plain function by its address
  clang::SourceLocation location;     ///< where the user looks for it: the statement or call begins
  std::string file;                   ///< presumed, as the compiler was given it
  std::uint32_t line = 0, column = 0; ///< presumed, of `location`: what reports and advice name
  std::uint32_t ordinal = 0;          ///< among the sites that take a lock in `function` with equal
                                      ///< `expression`, in source order, from 0
  clang::SourceRange section; ///< of a site that takes a lock; invalid where it is not known
  std::uint64_t sectionHash = 0;
  SectionFactBits facts = 0;
  UnseenCode unseen; ///< in the section: what factCallsUnknown is about
  InnerSites inner;  ///< in the section: what factTakesLock is about
  std::vector<ShownFact> shownFacts;
  std::string function;                     ///< qualified, with parameter types
  std::string expression;                   ///< the lock as written
  std::string lockName, lockType, declFile; ///< name and file "" if the declaration says nothing
  std::uint32_t declLine = 0, declColumn = 0;
};

/// What a function does that matters under a lock.
struct FunctionFacts {
  SectionFactBits facts = 0;
  UnseenCode unseen; ///< what factCallsUnknown is about
  InnerSites inner;  ///< what factTakesLock is about
};

/// A function whose address starts a thread.
struct StartRoutine {
  std::string mangledName, function, file;
  std::uint32_t line = 0, column = 0;
  std::optional<std::uint32_t> inner; ///< as routineInArgument (ThreadStarts.h)
};

/// A wrapper that other translation units may call without knowing it for one: its body says
/// where it was called from.
struct CallerSite {
  llvm::SmallVector<std::string, 3> names; ///< mangled, all of them
  LockSite site;                           ///< the function itself
};

struct LockTable {
  llvm::StringMap<LockOperation> operations;
  std::vector<LockSite> sites;
  std::vector<StartRoutine> startRoutines;
  std::vector<CallerSite> callerSites;
  /// By mangled name: those that other units may call. Only for who asks for them.
  std::map<std::string, FunctionFacts> functions;
  /// Mangled names of functions whose own calls are not sites though their names do not show it.
  llvm::StringSet<> opaqueFunctions;

  /// The standard library's functions, whose own calls are no sites: those in
  /// opaqueFunctions and, by the name alone, every member of namespace std. Not
  /// opaque: condition_variable::wait and its kin with a predicate, whose inner
  /// waits are operations; and templates of the library that hold a guard
  /// (`std::optional<std::unique_lock<M>>`), which take and release for the user.
  bool isOpaque(llvm::StringRef mangledFunction) const;

  /// Is a function the standard library's, by its mangled name?
  static bool isLibraryName(llvm::StringRef mangledFunction);

  /// The site of a call of `callee` in function `inFunction` at a debug location
  /// (which is not always where LockSite::line and column point), or null. An operation
  /// within the library is found at the user's call that leads to it (callByUser).
  /// Lambdas may be numbered otherwise in IR: where no function of that name has the
  /// site, the callee and the location decide.
  const LockSite *find(llvm::StringRef callee, llvm::StringRef inFunction, unsigned line,
                       unsigned column, unsigned lockIndex = 0) const;

  /// Adds a function that is an operation under all its names, the one for sites first.
  void addOperation(llvm::ArrayRef<std::string> names, const LockOperation &operation);

  /// Makes sites[site] findable at a debug location in any of the named functions.
  void index(std::size_t site, llvm::ArrayRef<std::string> inFunctions, unsigned line,
             unsigned column);

private:
  llvm::StringMap<std::string> baseVariants; ///< by the names of constructors and destructors
  llvm::StringMap<std::size_t> siteAt;       ///< by callee, place, lock index and function
};

} // namespace qdadvise
