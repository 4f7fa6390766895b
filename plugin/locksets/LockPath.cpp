// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/LockPath.h"

#include "plugin/ast/Expressions.h"
#include "plugin/locksets/WrapperNames.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace qdadvise {
namespace {

using Kind = LockPath::Step::Kind;

LockPath unknown(const Expr &expression, const ASTContext &context) {
  LockPath path;
  path.number = expressionHash(expression, context);
  return path;
}

LockPath with(LockPath path, Kind kind, const FieldDecl *field = nullptr, std::uint64_t index = 0) {
  path.steps.push_back({kind, field, index});
  return path;
}

/// The path of a variable, or, with `asPointer`, of what its value points to.
LockPath ofVariable(const VarDecl &variable, bool asPointer, const ASTContext &context) {
  LockPath path;
  const QualType type = variable.getType();
  const bool isReference = type->isReferenceType();
  if (const auto *parameter = dyn_cast<ParmVarDecl>(&variable);
      parameter && (asPointer != isReference || !type->isRecordType())) {
    path.base = LockPath::Base::parameter;
    path.number = parameter->getFunctionScopeIndex();
    return asPointer && isReference ? with(path, Kind::pointee) : path;
  }
  if (isReference && variable.hasLocalStorage() && variable.getInit()) {
    const LockPath referred = lockPath(*variable.getInit(), context);
    return asPointer ? with(referred, Kind::pointee) : referred;
  }
  path.base = LockPath::Base::variable;
  path.variable = variable.getCanonicalDecl();
  return asPointer ? with(path, Kind::pointee) : path;
}

LockPath objectPath(const Expr &expression, const ASTContext &context) {
  const Expr &object = stripped(expression);
  if (const auto *reference = dyn_cast<DeclRefExpr>(&object))
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
      return ofVariable(*variable, /*asPointer=*/false, context);
  if (const auto *member = dyn_cast<MemberExpr>(&object)) {
    if (const auto *variable = dyn_cast<VarDecl>(member->getMemberDecl()))
      return ofVariable(*variable, /*asPointer=*/false, context);
    if (const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl()))
      return with(member->isArrow() ? pointeePath(*member->getBase(), context)
                                    : objectPath(*member->getBase(), context),
                  Kind::field, field);
  }
  if (const auto *unary = dyn_cast<UnaryOperator>(&object); unary && unary->getOpcode() == UO_Deref)
    return pointeePath(*unary->getSubExpr(), context);
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(&object))
    return with(pointeePath(*subscript->getBase(), context), Kind::element, nullptr,
                expressionHash(*subscript->getIdx(), context));
  if (const auto *call = dyn_cast<CallExpr>(&object);
      call && call->getNumArgs() == 1 && call->isCallToStdMove())
    return objectPath(*call->getArg(0), context);
  return unknown(object, context);
}

} // namespace

LockPath pointeePath(const Expr &pointer, const ASTContext &context) {
  const Expr &value = stripped(pointer);
  if (isa<CXXThisExpr>(value)) {
    LockPath path;
    path.base = LockPath::Base::object;
    return path;
  }
  if (const auto *unary = dyn_cast<UnaryOperator>(&value); unary && unary->getOpcode() == UO_AddrOf)
    return objectPath(*unary->getSubExpr(), context);
  if (const auto *binary = dyn_cast<BinaryOperator>(&value);
      binary && binary->isAdditiveOp() && binary->getLHS()->getType()->isPointerType())
    return with(pointeePath(*binary->getLHS(), context), Kind::element, nullptr,
                expressionHash(*binary->getRHS(), context));
  if (value.getType()->isArrayType())
    return objectPath(value, context);
  if (const auto *reference = dyn_cast<DeclRefExpr>(&value))
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
      return ofVariable(*variable, /*asPointer=*/true, context);
  if (isa<MemberExpr, ArraySubscriptExpr>(value))
    return with(objectPath(value, context), Kind::pointee);
  return unknown(value, context);
}

LockPath lockPath(const Expr &expression, const ASTContext &context) {
  // A class is the object whatever it converts to; what is a pointer points to it.
  const QualType type = expression.getType();
  if (type->isPointerType() || type->isArrayType())
    return pointeePath(expression, context);
  return objectPath(expression, context);
}

bool LockPath::startsWith(const LockPath &other) const {
  return base == other.base && number == other.number && variable == other.variable &&
         steps.size() >= other.steps.size() &&
         std::equal(other.steps.begin(), other.steps.end(), steps.begin());
}

bool LockPath::isLocal() const {
  if (base != Base::variable || !variable->hasLocalStorage())
    return false;
  for (const Step &step : steps)
    if (step.kind == Kind::pointee)
      return false;
  return true;
}

const ValueDecl *LockPath::declaration() const {
  for (std::size_t i = steps.size(); i-- > 0;)
    if (steps[i].kind == Kind::field)
      return steps[i].field;
    else if (steps[i].kind == Kind::pointee)
      return nullptr;
  return base == Base::variable ? variable : nullptr;
}

LockPath LockPath::asCallersKnowIt() const {
  LockPath known = *this;
  const auto *const inside = llvm::find_if(known.steps, [](const Step &step) {
    return step.kind == Kind::field && isNamedAsLock(step.field->getParent()->getName());
  });
  known.steps.erase(inside, known.steps.end());
  return known;
}

std::uint64_t LockPath::offset(const ASTContext &context) const {
  std::uint64_t bytes = 0;
  for (const Step &step : steps) {
    if (step.kind != Kind::field || step.field->getParent()->isInvalidDecl())
      break;
    const ASTRecordLayout &layout = context.getASTRecordLayout(step.field->getParent());
    bytes += layout.getFieldOffset(step.field->getFieldIndex()) / 8;
  }
  return bytes;
}

std::string LockPath::suffix(bool baseIsPointer) const {
  std::string text;
  bool isPointer = baseIsPointer;
  for (const Step &step : steps) {
    switch (step.kind) {
    case Kind::field:
      if (step.field->getDeclName())
        text += (isPointer ? "->" : ".") + step.field->getNameAsString();
      isPointer = false;
      break;
    case Kind::pointee:
      isPointer = true;
      break;
    case Kind::element:
      text += "[...]";
      isPointer = false;
      break;
    }
  }
  return text;
}

} // namespace qdadvise
