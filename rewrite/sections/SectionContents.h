// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a critical section does that a function of its own could not do, or would do otherwise.
#pragma once

#include "rewrite/uses/LockUse.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace qdadvise {

/// Does the function look at `errno`, which an operation would set elsewhere?
bool looksAtErrno(const clang::FunctionDecl &function);

/// Is it a function that only computes, and says by `errno` that it could not?
bool setsErrno(const clang::NamedDecl &function);

/// Is it a function that means the frame of who calls it?
bool meansItsFrame(const clang::NamedDecl &function);

/// The blanks before a place, if nothing else stands there in its line.
std::optional<std::string> indentOf(const TextRange &text, clang::SourceLocation in,
                                    const clang::ASTContext &context);

/// What another function would mean otherwise, and how the section is left.
struct SectionContents {
  struct Obstacle {
    Gate gate;
    clang::SourceLocation at;
    const char *what;
  };
  std::vector<Obstacle> obstacles;
  std::vector<const clang::ReturnStmt *> returns;
};

/// Looks through all code but that in `without`.
SectionContents contentsOf(llvm::ArrayRef<const clang::Stmt *> code,
                           const clang::SourceManager &sources,
                           const std::set<const clang::Stmt *> &without = {});

} // namespace qdadvise
