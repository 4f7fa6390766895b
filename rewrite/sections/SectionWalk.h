// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a critical section does that a function of its own could not do, or would do otherwise.
#pragma once

#include "rewrite/uses/LockUse.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

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

/// Looks for what another function would mean otherwise, and for how the section is left.
class SectionWalk : public clang::RecursiveASTVisitor<SectionWalk> {
  using Base = clang::RecursiveASTVisitor<SectionWalk>;

public:
  explicit SectionWalk(const clang::SourceManager &sourceManager) : sources(sourceManager) {}

  std::set<const clang::Stmt *> skipped; ///< what is within, and not of the section
  struct Obstacle {
    Gate gate;
    clang::SourceLocation at;
    const char *what;
  };
  std::vector<Obstacle> obstacles;
  std::vector<const clang::ReturnStmt *> returns;

  bool TraverseStmt(clang::Stmt *statement) {
    return skipped.contains(statement) || Base::TraverseStmt(statement);
  }
  // What these contain is left by its own ends.
  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) {
    for (clang::Expr *capture : lambda->capture_inits())
      TraverseStmt(capture);
    return true;
  }
  bool TraverseDecl(clang::Decl *decl) {
    return llvm::isa_and_nonnull<clang::TagDecl, clang::FunctionDecl>(decl)
               ? true
               : Base::TraverseDecl(decl);
  }
  bool TraverseWhileStmt(clang::WhileStmt *loop) {
    return within(breaks, continues, loop, &Base::TraverseWhileStmt);
  }
  bool TraverseDoStmt(clang::DoStmt *loop) {
    return within(breaks, continues, loop, &Base::TraverseDoStmt);
  }
  bool TraverseForStmt(clang::ForStmt *loop) {
    return within(breaks, continues, loop, &Base::TraverseForStmt);
  }
  bool TraverseCXXForRangeStmt(clang::CXXForRangeStmt *loop) {
    return within(breaks, continues, loop, &Base::TraverseCXXForRangeStmt);
  }
  bool TraverseSwitchStmt(clang::SwitchStmt *choice) {
    return within(breaks, switches, choice, &Base::TraverseSwitchStmt);
  }

  bool VisitReturnStmt(clang::ReturnStmt *statement) {
    returns.push_back(statement);
    return true;
  }
  bool VisitBreakStmt(clang::BreakStmt *statement) {
    return breaks > 0 || leaves(*statement, "break");
  }
  bool VisitContinueStmt(clang::ContinueStmt *statement) {
    return continues > 0 || leaves(*statement, "continue");
  }
  bool VisitSwitchCase(clang::SwitchCase *label) { return switches > 0 || leaves(*label, "case"); }
  bool VisitGotoStmt(clang::GotoStmt *statement) { return leaves(*statement, "goto"); }
  bool VisitIndirectGotoStmt(clang::IndirectGotoStmt *statement) {
    return leaves(*statement, "goto");
  }
  bool VisitLabelStmt(clang::LabelStmt *label) { return leaves(*label, "a label"); }
  bool VisitGCCAsmStmt(clang::GCCAsmStmt *assembly) {
    return !assembly->isAsmGoto() || leaves(*assembly, "asm goto");
  }
  bool VisitCoroutineSuspendExpr(clang::CoroutineSuspendExpr *wait) {
    return leaves(*wait, "co_await");
  }
  bool VisitCoreturnStmt(clang::CoreturnStmt *statement) { return leaves(*statement, "co_return"); }
  // An assertion names the function that it is in, and does not depend on it.
  bool VisitPredefinedExpr(clang::PredefinedExpr *name) {
    return sources.isInSystemMacro(name->getBeginLoc()) || ofFrame(*name, "__func__");
  }
  bool VisitVAArgExpr(clang::VAArgExpr *argument) { return ofFrame(*argument, "va_arg"); }
  bool VisitAddrLabelExpr(clang::AddrLabelExpr *label) {
    return ofFrame(*label, "a label's address");
  }
  bool VisitVarDecl(clang::VarDecl *variable) {
    if (variable->getType()->isVariablyModifiedType())
      obstacles.push_back(
          {Gate::stackFrame, variable->getLocation(), "an array of variable length"});
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) {
    if (name->getType()->isVariablyModifiedType())
      return ofFrame(*name, "an array of variable length");
    if (setsErrno(*name->getDecl()))
      obstacles.push_back({Gate::errnoSet, name->getBeginLoc(), "it sets errno"});
    return !meansItsFrame(*name->getDecl()) || ofFrame(*name, "a function that means its caller");
  }

private:
  template <typename Statement, typename Traverse>
  bool within(int &first, int &second, Statement *statement, Traverse traverse) {
    ++first, ++second;
    const bool goOn = (this->*traverse)(statement, nullptr);
    --first, --second;
    return goOn;
  }
  bool leaves(const clang::Stmt &at, const char *what) {
    obstacles.push_back({Gate::controlFlow, at.getBeginLoc(), what});
    return true;
  }
  bool ofFrame(const clang::Stmt &at, const char *what) {
    obstacles.push_back({Gate::stackFrame, at.getBeginLoc(), what});
    return true;
  }

  const clang::SourceManager &sources;
  int breaks = 0, continues = 0, switches = 0;
};

} // namespace qdadvise
