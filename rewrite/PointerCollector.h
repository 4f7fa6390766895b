// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the pointers of a translation unit that may lead to locks. Every name of such a pointer
// has to stand in something that is understood; else the pointer escapes.
#pragma once

#include "plugin/api/LockApi.h"
#include "rewrite/UnitCollector.h"
#include "rewrite/pointers/PointerSource.h"
#include "rewrite/uses/LockTypes.h"
#include "rewrite/uses/ProgramUses.h"

#include "llvm/ADT/DenseSet.h"

#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

class PointerCollector : public UnitCollector<PointerCollector> {
  using Base = UnitCollector<PointerCollector>;

public:
  /// All must outlive it.
  PointerCollector(clang::ASTContext &astContext, const LockApi &lockApi, ProgramUses &lockProgram)
      : Base(astContext, lockApi, lockProgram) {}

  void run();

  /// Is it a function template, or an instance of one?
  static bool isOfTemplate(const clang::Decl &decl);

  // RecursiveASTVisitor calls these.
  bool VisitDeclaratorDecl(clang::DeclaratorDecl *declarator);
  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl *constructor);
  bool VisitDeclRefExpr(clang::DeclRefExpr *name);
  bool VisitMemberExpr(clang::MemberExpr *name);
  bool VisitUnaryOperator(clang::UnaryOperator *operation);
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *element);
  bool VisitBinaryOperator(clang::BinaryOperator *operation);
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *cast);
  bool VisitIfStmt(clang::IfStmt *branch);
  bool VisitWhileStmt(clang::WhileStmt *loop);
  bool VisitCallExpr(clang::CallExpr *call);
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construct);
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *expression);
  bool VisitReturnStmt(clang::ReturnStmt *statement);

private:
  /// A lock that is named by a pointer.
  struct Lvalue {
    const clang::Expr *lock = nullptr, *pointer = nullptr;
    const clang::FunctionDecl *in = nullptr;
  };

  PointerNode &nodeOf(const std::string &key);
  void describe(PointerNode &node, const clang::ValueDecl &named, const LockType &type);
  void addDeclaration(PointerNode &node, const clang::DeclaratorDecl &declarator,
                      clang::TypeLoc pointer);
  void addMethod(const clang::CXXMethodDecl &method);

  /// Where a pointer comes from. What stands in it is understood from now on.
  PointerSource follow(const clang::Expr &pointer);
  /// The pointer may lead to all that its source does.
  void connect(const PointerSource &source, const std::string &key);
  void flow(const std::string &target, const clang::Expr &pointer);
  /// The pointer is looked at, and goes nowhere.
  void look(const clang::Expr &pointer);
  void use(const clang::CallExpr &call, const clang::Expr &pointer);
  void passArguments(const clang::FunctionDecl &callee,
                     llvm::ArrayRef<const clang::Expr *> arguments);
  void addSite(const TextRange &at, const std::string &key);
  void useLvalue(const clang::Expr &lock, const clang::Expr &pointer);
  void add(const std::string &key, LockUse use);

  std::vector<std::pair<const clang::Expr *, std::string>> names;
  std::vector<Lvalue> lvalues;
  std::vector<const clang::DeclRefExpr *> functions;
  llvm::DenseSet<const clang::Stmt *> understood;
};

} // namespace qdadvise
