// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a critical section while the function around it is walked.
#pragma once

#include "plugin/sections/ShownFacts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace qdadvise {

class SectionState {
public:
  bool begun = false, held = false;
  bool ended = false;      ///< by a release, or with a scope, on some path
  bool isLeftHeld = false; ///< the function ends with the lock held, on some path
  bool isCompound = false; ///< more than simple statements one after the other

  void add(SectionFact fact, clang::SourceLocation at, const char *what);

  /// Adds a simple statement that begins with the lock held.
  void addContent(const clang::Stmt &node);
  bool isContent(const clang::Stmt *node) const;

  /// The lock is released.
  void end() {
    held = false;
    ended = true;
  }

  /// Control leaves the section without a release.
  void leave(SectionFact fact, clang::SourceLocation at, const char *what) {
    if (isWithin())
      add(fact, at, what);
    isLeftHeld |= held;
    held = false;
  }

  // Jumps by goto.

  void follow(const clang::GotoStmt &jump);
  void arriveAt(const clang::LabelDecl &label);
  /// The section's text has ended: what jumps further on has left it.
  void addOpenGotos();

  /// Is this place in the section, or on a path that has just released the lock
  /// in the middle of it?
  bool isWithin() const { return held || (begun && branches > 0); }
  bool isInBranch() const { return branches > 0; }

  /// Runs `body` as a part of the section that does not always run, if in the section.
  template <typename F> void inBranch(bool enteredHeld, F body) {
    isCompound |= enteredHeld;
    branches += enteredHeld;
    body();
    branches -= enteredHeld;
  }

  /// The facts, after the walk. None where no end is in sight: the lock stays with a caller, or
  /// with an object.
  SectionFacts conclude(const clang::ASTContext &context);

private:
  unsigned branches = 0; ///< statements around that branch and were entered with the lock held
  std::vector<const clang::Stmt *> contents;
  llvm::SmallVector<const clang::GotoStmt *, 4> openGotos; ///< with the lock held, to labels ahead
  llvm::SmallVector<const clang::LabelDecl *, 4> labels;   ///< passed with the lock held
  SectionFacts result;
};

} // namespace qdadvise
