// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/sections/SingleAccess.h"

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

constexpr BinaryOperatorKind updates[] = {BO_AddAssign, BO_SubAssign, BO_AndAssign, BO_OrAssign,
                                          BO_XorAssign};

constexpr Stmt::StmtClass leaving[] = {Stmt::ReturnStmtClass, Stmt::BreakStmtClass,
                                       Stmt::ContinueStmtClass};

/// The first node above that is no pair of parentheses.
const Stmt *userOf(const Expr &expression, ASTContext &context) {
  const Stmt *user = parentOf(expression, context);
  while (isa_and_nonnull<ParenExpr>(user))
    user = parentOf(*user, context);
  return user;
}

bool isRead(const Stmt *user) {
  const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(user);
  return cast && cast->getCastKind() == CK_LValueToRValue;
}

/// Does nobody refer to the variable by what the operation returns? That of an atomic returns a
/// value.
bool isValueOnly(const Expr &operation, ASTContext &context) {
  if (!operation.isLValue())
    return true;
  const Stmt *user = userOf(operation, context);
  const auto *cast = dyn_cast_or_null<CStyleCastExpr>(user);
  return isRead(user) || (cast && cast->getCastKind() == CK_ToVoid) ||
         (user && (!isa<Expr>(user) || isa<ExprWithCleanups>(user)));
}

class AccessWalk : public RecursiveASTVisitor<AccessWalk> {
public:
  AccessWalk(const std::set<const Stmt *> &without, bool mayBeLeft,
             const FunctionDecl &sectionFunction, ASTContext &astContext)
      : skipped(without), mayLeave(mayBeLeft), function(sectionFunction), context(astContext) {}

  SingleAccess found;

  bool TraverseStmt(Stmt *statement) {
    if (!statement || skipped.contains(statement))
      return true;
    const Stmt::StmtClass kind = statement->getStmtClass();
    if (!isPlain(*statement) && kind != Stmt::CXXThisExprClass &&
        !(mayLeave && llvm::is_contained(leaving, kind))) {
      forbid(statement->getBeginLoc(), "it does something else here");
      return true;
    }
    return RecursiveASTVisitor::TraverseStmt(statement);
  }
  bool VisitUnaryOperator(UnaryOperator *operation) {
    if (operation->getOpcode() == UO_Deref || operation->getOpcode() == UO_AddrOf)
      forbid(operation->getBeginLoc(), "it follows a pointer, or makes one");
    return true;
  }
  bool VisitVarDecl(VarDecl *variable) {
    if (!variable->hasLocalStorage() || !variable->getType()->isScalarType())
      forbid(variable->getLocation(), "'" + variable->getNameAsString() + "'");
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) {
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
      use(*name, *variable);
    else if (!isa<EnumConstantDecl>(name->getDecl()))
      forbid(name->getBeginLoc(), "'" + name->getDecl()->getNameAsString() + "'");
    return true;
  }
  // What leads to the member is looked at here: of an object it is nothing that is read.
  bool TraverseMemberExpr(MemberExpr *member) {
    if (isPlace(*member->getBase(), member->isArrow()))
      use(*member, *member->getMemberDecl());
    else
      forbid(member->getBeginLoc(), "'" + member->getMemberDecl()->getNameAsString() +
                                        "' is reached by way of another variable");
    return true;
  }

  SingleAccess result(SourceLocation at) {
    if (found.integer.empty())
      forbid(at, "it has none");
    return std::move(found);
  }

private:
  void forbid(SourceLocation at, std::string detail) {
    if (found.gate)
      return;
    found.gate = Gate::oneAccess;
    found.place = placeOfUse(at, context);
    found.detail = std::move(detail);
  }

  void use(const Expr &name, const ValueDecl &named) {
    const QualType type = named.getType();
    const auto *variable = dyn_cast<VarDecl>(&named);
    if (variable && variable->hasLocalStorage() ? isPrivate(name, *variable)
                                                : type.isConstQualified() && type->isScalarType())
      return;
    const bool isShared = isa<FieldDecl>(named) || (variable && variable->hasGlobalStorage() &&
                                                    variable->getTLSKind() == VarDecl::TLS_None);
    if (!isShared || !isAtomicInteger(type, context) ||
        integerAccess(name, context) == IntegerAccess::other)
      forbid(name.getBeginLoc(), "'" + named.getNameAsString() + "'");
    else if (!found.integer.empty())
      forbid(name.getBeginLoc(), "'" + named.getNameAsString() + "' is one more");
    else
      found.integer = keyOf(named);
  }

  /// Does no other thread know the variable?
  bool isPrivate(const Expr &name, const VarDecl &variable) {
    const auto *reference = dyn_cast<DeclRefExpr>(&name);
    if (!reference || reference->refersToEnclosingVariableOrCapture() ||
        !variable.getType()->isScalarType() || variable.getType()->isReferenceType())
      return false;
    const SectionNames names = namesIn({function.getBody()});
    const auto uses = names.uses.find(&variable);
    return uses == names.uses.end() || llvm::all_of(uses->second, [&](const DeclRefExpr *one) {
             return !one->refersToEnclosingVariableOrCapture() &&
                    integerAccess(*one, context) != IntegerAccess::other;
           });
  }

  /// Is it known which object that is, without a look at memory that others have?
  bool isPlace(const Expr &base, bool isArrow) {
    const Expr &place = *base.IgnoreParenImpCasts();
    if (isa<CXXThisExpr>(place))
      return true;
    if (const auto *name = dyn_cast<DeclRefExpr>(&place)) {
      const auto *variable = dyn_cast<VarDecl>(name->getDecl());
      if (!variable)
        return false;
      return isArrow ? variable->getType().isConstQualified() ||
                           (variable->hasLocalStorage() && isPrivate(*name, *variable))
                     : !name->refersToEnclosingVariableOrCapture();
    }
    const auto *member = dyn_cast<MemberExpr>(&place);
    return member && !isArrow && isPlace(*member->getBase(), member->isArrow());
  }

  const std::set<const Stmt *> &skipped;
  bool mayLeave;
  const FunctionDecl &function;
  ASTContext &context;
};

} // namespace

bool isAtomicInteger(QualType type, const ASTContext &context) {
  constexpr std::uint64_t widest = 64; // bits
  return type->isIntegerType() && !type->isEnumeralType() && !type->isBitIntType() &&
         !type.isConstQualified() && context.getTypeSize(type) <= widest;
}

IntegerAccess integerAccess(const Expr &name, ASTContext &context) {
  const Stmt *user = userOf(name, context);
  if (isRead(user))
    return IntegerAccess::read;
  if (const auto *step = dyn_cast_or_null<UnaryOperator>(user))
    return step->isIncrementDecrementOp() && isValueOnly(*step, context) ? IntegerAccess::update
                                                                         : IntegerAccess::other;
  const auto *operation = dyn_cast_or_null<BinaryOperator>(user);
  if (!operation || operation->getLHS()->IgnoreParens() != &name ||
      !isValueOnly(*operation, context))
    return IntegerAccess::other;
  if (operation->getOpcode() == BO_Assign)
    return IntegerAccess::write;
  const bool isUpdate = llvm::is_contained(updates, operation->getOpcode()) &&
                        operation->getRHS()->getType()->isIntegralOrEnumerationType();
  return isUpdate ? IntegerAccess::update : IntegerAccess::other;
}

SingleAccess singleAccess(llvm::ArrayRef<const Stmt *> section,
                          const std::set<const Stmt *> &without, bool mayLeave,
                          const FunctionDecl &function, ASTContext &context) {
  AccessWalk walk(without, mayLeave, function, context);
  for (const Stmt *one : section)
    walk.TraverseStmt(const_cast<Stmt *>(one));
  return walk.result(section.empty() ? function.getLocation() : section.front()->getBeginLoc());
}

} // namespace qdadvise
