// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections between calls that take and give up a lock: their shape in the source, and what
// becomes of them as operations.
#pragma once

#include "plugin/api/LockApi.h"
#include "rewrite/uses/LockUse.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace qdadvise {

/// A place within a section where the lock is given up before its end.
struct SectionExit {
  const clang::Stmt *release = nullptr;
  const clang::CompoundStmt *block = nullptr; ///< that it is directly in; or null
  std::vector<const clang::Stmt *> rest;      ///< of the block: it runs after the section
};

/// A variable that is declared in a section and used after it.
struct EscapingVariable {
  const clang::DeclStmt *statement = nullptr;
  const clang::VarDecl *variable = nullptr;
};

/// A section whose beginning and ends are statements.
struct SectionShape {
  const clang::FunctionDecl *function = nullptr;
  const clang::CompoundStmt *block = nullptr;
  const clang::Stmt *acquire = nullptr;
  const clang::Stmt *release = nullptr; ///< the last statement, if that is what ends it
  std::vector<const clang::Stmt *> contents;
  std::vector<SectionExit> exits;
  std::vector<EscapingVariable> escaping;

  const clang::Stmt &last() const {
    return release ? *release : contents.empty() ? *acquire : *contents.back();
  }
  bool hasRests() const;
  /// What stands among the contents and is not of the section.
  std::set<const clang::Stmt *> exitStatements() const;
};

/// The text of a statement, with its semicolon; a macro is where it is used.
std::optional<TextRange> statementText(const clang::Stmt &statement,
                                       const clang::ASTContext &context);

/// The section that the call begins, which is the statement `acquire` in a block and takes `lock`,
/// written `lockText`.
CallSection callSection(const clang::CallExpr &call, const clang::Stmt &acquire,
                        const clang::Expr &lock, const std::string &lockText, const LockApi &api,
                        clang::ASTContext &context);

} // namespace qdadvise
