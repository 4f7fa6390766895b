// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/sections/UnawaitedSection.h"

#include "rewrite/sections/PlainCode.h"
#include "rewrite/sections/SectionNames.h"
#include "rewrite/uses/Locations.h"
#include "rewrite/uses/LockTypes.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace qdadvise {
namespace {

/// What a section may consist of, besides plain code and variables.
constexpr Stmt::StmtClass harmless[] = {
    Stmt::WhileStmtClass,  Stmt::DoStmtClass,       Stmt::ForStmtClass,
    Stmt::SwitchStmtClass, Stmt::CaseStmtClass,     Stmt::DefaultStmtClass,
    Stmt::BreakStmtClass,  Stmt::ContinueStmtClass, Stmt::ArraySubscriptExprClass};

bool isDecay(const Stmt *node) {
  const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(node);
  return cast && cast->getCastKind() == CK_ArrayToPointerDecay;
}

class Walk : public RecursiveASTVisitor<Walk> {
public:
  Walk(llvm::ArrayRef<const Stmt *> contents, ASTContext &astContext)
      : context(astContext), names(namesIn(contents)) {
    for (const Stmt *one : contents)
      TraverseStmt(const_cast<Stmt *>(one));
  }

  UnawaitedSection found;

  bool TraverseStmt(Stmt *statement) {
    if (!statement)
      return true;
    const auto *back = dyn_cast<ReturnStmt>(statement);
    if (back && !back->getRetValue())
      return true;
    if (!isPlain(*statement) && !llvm::is_contained(harmless, statement->getStmtClass())) {
      forbid(statement->getBeginLoc(),
             back ? "its value is returned" : "it calls something, or may");
      return true;
    }
    return RecursiveASTVisitor::TraverseStmt(statement);
  }
  bool VisitUnaryOperator(UnaryOperator *operation) {
    if (operation->getOpcode() == UO_Deref || operation->getOpcode() == UO_AddrOf)
      forbid(operation->getBeginLoc(), "it follows a pointer, or makes one");
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *element) {
    if (!isDecay(element->getBase()->IgnoreParens()))
      forbid(element->getBeginLoc(), "it follows a pointer");
    return true;
  }
  bool VisitMemberExpr(MemberExpr *member) {
    if (const auto *variable = dyn_cast<VarDecl>(member->getMemberDecl()))
      use(*member, *variable);
    else if (member->isArrow() || !isa<FieldDecl>(member->getMemberDecl()))
      forbid(member->getBeginLoc(), "it follows a pointer");
    return true;
  }
  bool VisitVarDecl(VarDecl *variable) {
    if (variable->hasLocalStorage() && !variable->getType()->isScalarType())
      forbid(variable->getLocation(), "'" + variable->getNameAsString() + "' is no plain value");
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) {
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
      use(*name, *variable);
    else if (!isa<EnumConstantDecl>(name->getDecl()))
      forbid(name->getBeginLoc(), "'" + name->getDecl()->getNameAsString() + "'");
    return true;
  }

private:
  void forbid(SourceLocation at, std::string why) {
    if (!found.obstacle.empty())
      return;
    found.obstacle = std::move(why);
    found.place = placeOfUse(at, context);
  }

  void use(const Expr &name, const VarDecl &variable) {
    const QualType type = variable.getType();
    const std::string spelledName = "'" + variable.getNameAsString() + "'";
    if (type.isConstQualified() && type->isScalarType() && isLasting(variable))
      return;
    if (type->isReferenceType() || type.isVolatileQualified())
      forbid(name.getBeginLoc(), spelledName + " may be seen by others");
    else if (isLasting(variable))
      found.variables.insert(keyOf(variable));
    else if (!variable.hasLocalStorage())
      forbid(name.getBeginLoc(), spelledName + " is the thread's");
    else if (!names.declared.contains(&variable))
      capture(name, variable);
  }

  /// The function's own: a copy of its value will do.
  void capture(const Expr &name, const VarDecl &variable) {
    const auto *reference = dyn_cast<DeclRefExpr>(&name);
    const bool isValue = reference && !reference->refersToEnclosingVariableOrCapture() &&
                         variable.getType()->isScalarType() && names.isOnlyRead(&variable);
    if (!isValue)
      forbid(name.getBeginLoc(), "'" + variable.getNameAsString() +
                                     "' is the function's, and more than its value is used");
    else
      found.hasValues = true;
  }

  ASTContext &context;
  const SectionNames names;
};

/// Is the lock a variable that is named, so that all sections are of this one?
bool isOneLock(const Expr &lock) {
  const Expr &named = *lock.IgnoreParenImpCasts();
  const auto *address = dyn_cast<UnaryOperator>(&named);
  const Expr &place = *(address ? address->getSubExpr() : &named)->IgnoreParenImpCasts();
  const ValueDecl *declared = nullptr;
  if (const auto *name = dyn_cast<DeclRefExpr>(&place))
    declared = name->getDecl();
  else if (const auto *member = dyn_cast<MemberExpr>(&place))
    declared = member->getMemberDecl();
  const auto *variable = dyn_cast_or_null<VarDecl>(declared);
  return variable && isLasting(*variable) && !variable->getType()->isReferenceType() &&
         !variable->getType()->isPointerType() && !variable->getType()->isArrayType();
}

} // namespace

std::string placeOfBody(const Stmt &statement, ASTContext &context) {
  DynTypedNode node = DynTypedNode::create(statement);
  const Stmt *block = nullptr;
  for (;;) {
    if (node.get<FunctionDecl>() || node.get<LambdaExpr>() || node.get<BlockDecl>())
      break;
    if (const auto *compound = node.get<CompoundStmt>())
      block = compound;
    const auto parents = context.getParents(node);
    if (parents.empty())
      return "";
    node = parents[0];
  }
  if (!block)
    return "";
  const TextRange at = placeOfUse(block->getBeginLoc(), context);
  return at.file + ":" + std::to_string(at.offset);
}

bool isLasting(const VarDecl &variable) {
  return variable.hasGlobalStorage() && variable.getTLSKind() == VarDecl::TLS_None;
}

bool isReadOrWritten(const Expr &name, ASTContext &context) {
  const Stmt *place = &name;
  const Stmt *user = parentOf(*place, context);
  for (bool isElement = false; user; place = user, user = parentOf(*place, context)) {
    const auto *subscript = dyn_cast<ArraySubscriptExpr>(user);
    if (isElement) {
      if (!subscript || subscript->getBase() != place)
        return false;
      isElement = false;
      continue;
    }
    isElement = isDecay(user);
    const auto *member = dyn_cast<MemberExpr>(user);
    if (!isElement && !isa<ParenExpr>(user) &&
        !(member && !member->isArrow() && isa<FieldDecl>(member->getMemberDecl())))
      break;
  }
  const auto *conversion = dyn_cast_or_null<ImplicitCastExpr>(user);
  const auto *step = dyn_cast_or_null<UnaryOperator>(user);
  const auto *operation = dyn_cast_or_null<BinaryOperator>(user);
  const bool isRead = conversion && conversion->getCastKind() == CK_LValueToRValue;
  const bool isStep = step && step->isIncrementDecrementOp();
  const bool isWrite = operation && operation->isAssignmentOp() && operation->getLHS() == place;
  if (isRead || !(isStep || isWrite))
    return isRead;
  // In C++ what it returns is the variable again.
  const auto *changed = cast<Expr>(user);
  const Stmt *above = parentOf(*user, context);
  const auto *value = dyn_cast_or_null<ImplicitCastExpr>(above);
  return !changed->isLValue() || !isa_and_nonnull<Expr>(above) || isa<ExprWithCleanups>(above) ||
         (value && value->getCastKind() == CK_LValueToRValue);
}

UnawaitedSection unawaitedSection(const Stmt &statement, const Expr &lock,
                                  llvm::ArrayRef<const Stmt *> contents, ASTContext &context) {
  UnawaitedSection section = Walk(contents, context).found;
  section.body = placeOfBody(statement, context);
  section.isOfOneLock = isOneLock(lock);
  return section;
}

} // namespace qdadvise
