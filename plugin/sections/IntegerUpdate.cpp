// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sections/IntegerUpdate.h"

#include "plugin/ast/Expressions.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace qdadvise {
namespace {

/// A variable that only this thread can change: a local or a parameter, no reference.
bool isOwnVariable(const Expr &expression) {
  const auto *reference = dyn_cast<DeclRefExpr>(&expression);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType() &&
         !reference->refersToEnclosingVariableOrCapture();
}

/// A value that no other thread can change: of literals, locals and arithmetic on them.
bool isOwnValue(const Expr &given) {
  const Expr &expression = *given.IgnoreParenCasts();
  if (expression.isValueDependent())
    return false;
  if (isa<IntegerLiteral, CharacterLiteral, CXXBoolLiteralExpr, CXXNullPtrLiteralExpr, GNUNullExpr,
          FloatingLiteral, UnaryExprOrTypeTraitExpr, CXXThisExpr, ConstantExpr>(expression))
    return true;
  if (const auto *reference = dyn_cast<DeclRefExpr>(&expression))
    return isa<EnumConstantDecl, FunctionDecl>(reference->getDecl()) || isOwnVariable(expression);
  if (const auto *unary = dyn_cast<UnaryOperator>(&expression))
    return (unary->isArithmeticOp() && isOwnValue(*unary->getSubExpr()));
  if (const auto *binary = dyn_cast<BinaryOperator>(&expression))
    return !binary->isAssignmentOp() && isOwnValue(*binary->getLHS()) &&
           isOwnValue(*binary->getRHS());
  return false;
}

/// A place that other threads can reach, and that is found without reading what they may change.
bool isSharedPlace(const Expr &given) {
  const Expr &place = *given.IgnoreParens();
  if (const auto *reference = dyn_cast<DeclRefExpr>(&place)) {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    return variable && (!variable->hasLocalStorage() || variable->getType()->isReferenceType() ||
                        reference->refersToEnclosingVariableOrCapture());
  }
  if (const auto *member = dyn_cast<MemberExpr>(&place)) {
    if (const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
        field && field->isBitField())
      return false;
    return member->isArrow() ? isOwnValue(*member->getBase()) : isSharedPlace(*member->getBase());
  }
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(&place)) {
    const Expr &base = *element->getBase()->IgnoreParens();
    const auto *decayed = dyn_cast<ImplicitCastExpr>(&base);
    const bool isArray = decayed && decayed->getCastKind() == CK_ArrayToPointerDecay;
    return isOwnValue(*element->getIdx()) &&
           (isArray ? isSharedPlace(*decayed->getSubExpr()) : isOwnValue(base));
  }
  if (const auto *unary = dyn_cast<UnaryOperator>(&place))
    return unary->getOpcode() == UO_Deref && isOwnValue(*unary->getSubExpr());
  return false;
}

bool isSharedInteger(const Expr &place) {
  const QualType type = place.getType();
  return (type->isIntegralOrEnumerationType() || type->isPointerType()) &&
         !type.isVolatileQualified() && !type->isAtomicType() && isSharedPlace(place);
}

bool areSame(const Expr &a, const Expr &b, const ASTContext &context) {
  return identityOf(a, context) == identityOf(b, context);
}

/// Operations that there is an atomic for.
bool isAtomicOperation(BinaryOperatorKind opcode) {
  return opcode == BO_Add || opcode == BO_Sub || opcode == BO_Or || opcode == BO_And ||
         opcode == BO_Xor;
}

/// The place that an expression updates, or null where it does more or something else.
const Expr *updatedPlace(const Expr &given, const ASTContext &context) {
  const Expr &expression = *given.IgnoreParenCasts();
  if (const auto *unary = dyn_cast<UnaryOperator>(&expression))
    return unary->isIncrementDecrementOp() && isSharedInteger(*unary->getSubExpr())
               ? unary->getSubExpr()
               : nullptr;
  const auto *assignment = dyn_cast<BinaryOperator>(&expression);
  if (!assignment || !assignment->isAssignmentOp())
    return nullptr;
  const Expr &left = *assignment->getLHS(), &right = *assignment->getRHS();
  if (!isSharedInteger(left))
    return isOwnVariable(*left.IgnoreParens()) && assignment->getOpcode() == BO_Assign
               ? updatedPlace(right, context)
               : nullptr;
  if (assignment->isCompoundAssignmentOp())
    return isAtomicOperation(BinaryOperator::getOpForCompoundAssignment(assignment->getOpcode())) &&
                   isOwnValue(right)
               ? &left
               : nullptr;
  if (isOwnValue(right))
    return &left;
  const auto *sum = dyn_cast<BinaryOperator>(right.IgnoreParenCasts());
  return sum && isAtomicOperation(sum->getOpcode()) && areSame(left, *sum->getLHS(), context) &&
                 isOwnValue(*sum->getRHS())
             ? &left
             : nullptr;
}

bool mentions(const Stmt &node, const Decl &declaration) {
  const auto *reference = dyn_cast<DeclRefExpr>(&node);
  return (reference && reference->getDecl() == &declaration) ||
         llvm::any_of(node.children(),
                      [&](const Stmt *child) { return child && mentions(*child, declaration); });
}

/// The value that a statement computes: `e` for `return e`, `int local = e` and `e` itself.
const Expr *valueOf(const Stmt &statement) {
  const Stmt *inner = &statement;
  if (const auto *returned = dyn_cast<ReturnStmt>(inner))
    inner = returned->getRetValue();
  if (const auto *declaration = dyn_cast_or_null<DeclStmt>(inner)) {
    const auto *variable =
        declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
    inner = variable && variable->hasLocalStorage() ? variable->getInit() : nullptr;
  }
  const auto *expression = dyn_cast_or_null<Expr>(inner);
  return expression ? expression->IgnoreImplicit() : nullptr;
}

} // namespace

bool isOneIntegerUpdate(llvm::ArrayRef<const Stmt *> statements, const ASTContext &context) {
  if (statements.empty() || statements.size() > 2)
    return false;
  const Expr *value = valueOf(*statements.back());
  const Expr *place = value ? updatedPlace(*value, context) : nullptr;
  if (!place || statements.size() == 1)
    return place;
  // A new value that is computed from the copy takes more than one operation.
  const auto *copy = dyn_cast<DeclStmt>(statements.front());
  const Expr *old = copy ? valueOf(*copy) : nullptr;
  return old && areSame(*place, *old, context) && !mentions(*value, *copy->getSingleDecl());
}

} // namespace qdadvise
