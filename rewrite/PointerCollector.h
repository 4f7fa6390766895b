// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the pointers of a translation unit that may lead to locks. Every name of such a pointer
// has to stand in something that is understood; else the pointer escapes.
#pragma once

#include "plugin/api/LockApi.h"
#include "rewrite/UseContext.h"
#include "rewrite/uses/LockTypes.h"
#include "rewrite/uses/ProgramUses.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

class PointerCollector : public clang::RecursiveASTVisitor<PointerCollector> {
  using Base = clang::RecursiveASTVisitor<PointerCollector>;

public:
  /// All must outlive it.
  PointerCollector(clang::ASTContext &astContext, const LockApi &lockApi, ProgramUses &program);

  void run();

  // RecursiveASTVisitor calls these.
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }
  bool TraverseDecl(clang::Decl *decl);
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
  /// Where a pointer comes from.
  struct Source {
    std::set<std::string> nodes;
    bool isNewed = false, isMalloced = false;
    const clang::Expr *unknown = nullptr; ///< what is not understood
    std::vector<LockUse> edits;           ///< texts that name the lock's type
  };

  /// A lock that is named by a pointer.
  struct Lvalue {
    const clang::Expr *lock = nullptr, *pointer = nullptr;
    const clang::FunctionDecl *in = nullptr;
  };

  std::optional<LockType> pointedTo(clang::QualType type) const;
  PointerNode &nodeOf(const std::string &key);
  std::string keyOfName(const clang::ValueDecl &named);
  std::string keyOfResult(const clang::FunctionDecl &function);
  std::string nodeFor(const clang::Expr &name);
  void describe(PointerNode &node, const clang::ValueDecl &named, const LockType &type);
  void addDeclaration(PointerNode &node, const clang::DeclaratorDecl &declarator,
                      clang::TypeLoc pointer);
  bool isFollowed(const clang::FunctionDecl *callee) const;

  Source sourceOf(const clang::Expr &pointer);
  void addSource(const clang::Expr &pointer, Source &source);
  // What a pointer may come from; false where it is something else.
  bool addCast(const clang::Expr &pointer, Source &source);
  bool addOperand(const clang::Expr &pointer, Source &source);
  bool addNew(const clang::Expr &pointer, Source &source);
  bool addResult(const clang::Expr &pointer, Source &source);
  void addAllocation(const clang::CallExpr &call, Source &source);
  void addTypeText(clang::TypeLoc type, Source &source) const;
  void flow(const std::string &target, const clang::Expr &pointer);
  /// The pointer is looked at, and goes nowhere.
  void look(const clang::Expr &pointer);
  void use(const clang::CallExpr &call, const clang::Expr &pointer);
  void passArguments(const clang::FunctionDecl &callee,
                     llvm::ArrayRef<const clang::Expr *> arguments);
  void addSite(const TextRange &at, const std::string &key);
  void useLvalue(const clang::Expr &lock, const clang::Expr &pointer);
  LockUse gatedAt(clang::SourceLocation at, Gate gate, std::string detail) const;
  void add(const std::string &key, LockUse use);

  clang::ASTContext &context;
  const clang::SourceManager &sources;
  UseContext uses;
  ProgramUses &program;

  const clang::FunctionDecl *current = nullptr;
  bool inInstance = false; ///< of a template
  std::vector<std::pair<const clang::Expr *, std::string>> names;
  std::vector<Lvalue> lvalues;
  std::vector<const clang::DeclRefExpr *> functions;
  llvm::DenseSet<const clang::Stmt *> understood;
  /// Names declared at once, by where their type begins.
  std::map<unsigned, std::set<unsigned>> declaredAt;
};

} // namespace qdadvise
