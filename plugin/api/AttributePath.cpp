// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/api/AttributePath.h"

#include "plugin/ast/CallArguments.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace qdadvise {
namespace {

using Path = std::optional<AddressPath>;

std::uint64_t bytes(CharUnits units) { return static_cast<std::uint64_t>(units.getQuantity()); }

class PathFinder {
public:
  explicit PathFinder(const FunctionDecl &function)
      : context(function.getASTContext()), isMember(isInstanceMember(function)) {}

  /// The lock that an attribute's argument names: an object, or a pointer to one.
  Path lock(const Expr &expression) const {
    const Expr &inner = *expression.IgnoreParens();
    return inner.getType()->isPointerType() ? value(inner) : address(inner);
  }

private:
  /// The way to where a glvalue lies.
  Path address(const Expr &expression) const {
    const Expr &inner = *expression.IgnoreParens();
    if (const auto *cast = dyn_cast<CastExpr>(&inner))
      return throughCast(*cast, address(*cast->getSubExpr()));
    if (const auto *reference = dyn_cast<DeclRefExpr>(&inner))
      return variable(*reference->getDecl());
    if (const auto *member = dyn_cast<MemberExpr>(&inner))
      return field(*member);
    if (const auto *unary = dyn_cast<UnaryOperator>(&inner);
        unary && unary->getOpcode() == UO_Deref)
      return value(*unary->getSubExpr());
    if (const auto *element = dyn_cast<ArraySubscriptExpr>(&inner))
      return subscript(*element);
    return std::nullopt;
  }

  /// The way to what a pointer points to.
  Path value(const Expr &expression) const {
    const Expr &inner = *expression.IgnoreParens();
    if (isa<CXXThisExpr>(inner))
      return isMember ? Path(AddressPath{0, {}, 0}) : std::nullopt;
    if (const auto *unary = dyn_cast<UnaryOperator>(&inner);
        unary && unary->getOpcode() == UO_AddrOf)
      return address(*unary->getSubExpr());
    if (const auto *cast = dyn_cast<CastExpr>(&inner)) {
      if (cast->getCastKind() == CK_ArrayToPointerDecay)
        return address(*cast->getSubExpr());
      return throughCast(*cast, value(*cast->getSubExpr()));
    }
    if (const auto *reference = dyn_cast<DeclRefExpr>(&inner))
      if (const auto *parameter = dyn_cast<ParmVarDecl>(reference->getDecl());
          parameter && !parameter->getType()->isReferenceType())
        return argument(*parameter);
    return loaded(address(inner));
  }

  Path argument(const ParmVarDecl &parameter) const {
    return AddressPath{parameter.getFunctionScopeIndex() + (isMember ? 1U : 0U), {}, 0};
  }

  static Path loaded(Path path) {
    if (!path)
      return path;
    path->loads.push_back(path->plus);
    path->plus = 0;
    return path;
  }

  static Path plus(Path path, std::uint64_t offset) {
    if (path)
      path->plus += offset;
    return path;
  }

  Path variable(const ValueDecl &declaration) const {
    if (const auto *parameter = dyn_cast<ParmVarDecl>(&declaration))
      return parameter->getType()->isReferenceType() ? argument(*parameter) : std::nullopt;
    const auto *global = dyn_cast<VarDecl>(&declaration);
    if (!global || !global->hasGlobalStorage() || global->getTLSKind() != VarDecl::TLS_None)
      return std::nullopt;
    AddressPath path;
    path.global = ASTNameGenerator(context).getName(global);
    return global->getType()->isReferenceType() ? loaded(path) : Path(path);
  }

  Path field(const MemberExpr &member) const {
    if (const auto *variableMember = dyn_cast<VarDecl>(member.getMemberDecl()))
      return variable(*variableMember);
    const auto *declaration = dyn_cast<FieldDecl>(member.getMemberDecl());
    if (!declaration || declaration->isBitField() || declaration->getParent()->isDependentContext())
      return std::nullopt;
    const Path base = member.isArrow() ? value(*member.getBase()) : address(*member.getBase());
    const CharUnits offset =
        context.toCharUnitsFromBits(static_cast<std::int64_t>(context.getFieldOffset(declaration)));
    const Path path = plus(base, bytes(offset));
    return declaration->getType()->isReferenceType() ? loaded(path) : path;
  }

  Path subscript(const ArraySubscriptExpr &element) const {
    Expr::EvalResult index;
    if (element.getIdx()->isValueDependent() || !element.getIdx()->EvaluateAsInt(index, context) ||
        index.Val.getInt().isNegative())
      return std::nullopt;
    const CharUnits size = context.getTypeSizeInChars(element.getType());
    return plus(value(*element.getBase()), index.Val.getInt().getZExtValue() * bytes(size));
  }

  Path throughCast(const CastExpr &cast, Path path) const {
    switch (cast.getCastKind()) {
    case CK_NoOp:
    case CK_LValueToRValue: // `value` and `address` know what they are asked for
      return path;
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
      return toBase(cast, path);
    default:
      return std::nullopt;
    }
  }

  Path toBase(const CastExpr &cast, Path path) const {
    QualType type = cast.getSubExpr()->getType();
    if (type->isPointerType())
      type = type->getPointeeType();
    const CXXRecordDecl *record = type->getAsCXXRecordDecl();
    for (const CXXBaseSpecifier *step : cast.path()) {
      const CXXRecordDecl *base = step->getType()->getAsCXXRecordDecl();
      if (!record || !base || step->isVirtual() || !record->hasDefinition())
        return std::nullopt;
      path = plus(path, bytes(context.getASTRecordLayout(record).getBaseClassOffset(base)));
      record = base;
    }
    return path;
  }

  ASTContext &context;
  bool isMember;
};

/// Loads go only through what is certain to be there: the object itself and globals.
bool isSafe(const AddressPath &path, const FunctionDecl &function) {
  if (path.loads.empty())
    return true;
  if (path.loads.size() > 1)
    return false;
  return !path.global.empty() ||
         (path.argument == 0 && isInstanceMember(function) && !isa<CXXConstructorDecl>(function));
}

} // namespace

std::optional<AddressPath> attributePath(const Expr &argument, const FunctionDecl &function) {
  const Path path = PathFinder(function).lock(argument);
  return path && isSafe(*path, function) ? path : std::nullopt;
}

} // namespace qdadvise
