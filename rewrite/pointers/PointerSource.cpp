// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/pointers/PointerSource.h"

#include "plugin/ast/DeclNames.h"
#include "rewrite/pointers/PointerNames.h"
#include "rewrite/uses/Locations.h"
#include "rewrite/uses/LockTypes.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace qdadvise {
namespace {

/// Functions that return memory in which nothing is constructed.
constexpr llvm::StringRef allocators[] = {"malloc", "calloc", "aligned_alloc"};

class Finder {
public:
  explicit Finder(ASTContext &astContext) : context(astContext) {}

  PointerSource find(const Expr &pointer) {
    addSource(pointer);
    return std::move(source);
  }

private:
  void addSource(const Expr &pointer);
  // What a pointer may come from; false where it is something else.
  bool addCast(const Expr &pointer);
  bool addOperand(const Expr &pointer);
  bool addNew(const Expr &pointer);
  bool addResult(const Expr &pointer);
  void addAllocation(const CallExpr &call);

  ASTContext &context;
  PointerSource source;
};

void Finder::addSource(const Expr &pointer) {
  const Expr &inner = *pointer.IgnoreParens();
  const auto isNull =
      inner.isNullPointerConstant(context, Expr::NPC_ValueDependentIsNotNull) != Expr::NPCK_NotNull;
  if (isNull || isa<ImplicitValueInitExpr>(inner))
    return;
  if (const std::string key = keyOfPointerNamed(inner, context); !key.empty()) {
    source.understood.push_back(&inner);
    source.nodes.insert(key);
    return;
  }
  if (const auto *cleanups = dyn_cast<ExprWithCleanups>(&inner))
    return addSource(*cleanups->getSubExpr());
  if (const auto *list = dyn_cast<InitListExpr>(&inner); list && list->getNumInits() <= 1)
    return list->getNumInits() == 0 ? void() : addSource(*list->getInit(0));
  if (const auto *choice = dyn_cast<ConditionalOperator>(&inner)) {
    addSource(*choice->getTrueExpr());
    return addSource(*choice->getFalseExpr());
  }
  if (const auto *operation = dyn_cast<BinaryOperator>(&inner);
      operation && (operation->isAdditiveOp() || operation->getOpcode() == BO_Assign)) {
    const bool isLeft = operation->getLHS()->getType()->isPointerType();
    return addSource(isLeft ? *operation->getLHS() : *operation->getRHS());
  }
  const bool isUnderstood =
      addCast(inner) || addOperand(inner) || addNew(inner) || addResult(inner);
  if (!isUnderstood)
    source.unknown = &inner;
}

/// From `T *` to `void *` and back.
bool Finder::addCast(const Expr &pointer) {
  const auto *cast = dyn_cast<CastExpr>(&pointer);
  if (!cast || !pointedTo(cast->getType(), context))
    return false;
  const CastKind kind = cast->getCastKind();
  if (kind != CK_BitCast && kind != CK_NoOp && kind != CK_LValueToRValue)
    return false;
  const auto *written = dyn_cast<ExplicitCastExpr>(cast);
  if (written && !written->getTypeAsWritten()->getPointeeType()->isVoidType()) {
    const TypeLoc type = written->getTypeInfoAsWritten()->getTypeLoc().getUnqualifiedLoc();
    const auto star = type.getAs<PointerTypeLoc>();
    if (!star)
      return false;
    source.edits.push_back(typeTextUse(star.getPointeeLoc(), context));
  }
  addSource(*cast->getSubExpr());
  return true;
}

/// `&pointer[i]`, `&*pointer`, `++pointer`.
bool Finder::addOperand(const Expr &pointer) {
  const auto *operation = dyn_cast<UnaryOperator>(&pointer);
  if (!operation)
    return false;
  const Expr *operand = operation->getSubExpr()->IgnoreParens();
  if (operation->isIncrementDecrementOp()) {
    addSource(*operand);
    return true;
  }
  const auto *element = dyn_cast<ArraySubscriptExpr>(operand);
  const auto *pointed = dyn_cast<UnaryOperator>(operand);
  if (operation->getOpcode() != UO_AddrOf ||
      !(element || (pointed && pointed->getOpcode() == UO_Deref)))
    return false;
  source.understood.push_back(operand);
  addSource(element ? *element->getBase() : *pointed->getSubExpr());
  return true;
}

bool Finder::addNew(const Expr &pointer) {
  const auto *made = dyn_cast<CXXNewExpr>(&pointer);
  if (!made || !pointedTo(made->getType(), context) || made->getNumPlacementArgs() > 0)
    return false;
  const Expr *initialiser = made->getInitializer();
  const auto *construct = dyn_cast_or_null<CXXConstructExpr>(initialiser);
  const auto *list = dyn_cast_or_null<ParenListExpr>(initialiser);
  const bool isPlain = !initialiser || isa<ImplicitValueInitExpr>(initialiser) ||
                       (list && list->getNumExprs() == 0) ||
                       (construct && construct->getNumArgs() == 0);
  if (!isPlain)
    return false;
  source.isNewed = true;
  source.edits.push_back(typeTextUse(made->getAllocatedTypeSourceInfo()->getTypeLoc(), context));
  return true;
}

bool Finder::addResult(const Expr &pointer) {
  const auto *call = dyn_cast<CallExpr>(&pointer);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee)
    return false;
  if (llvm::is_contained(allocators, nameOf(*callee))) {
    addAllocation(*call);
    return true;
  }
  if (!isFollowed(callee, context) || !pointedTo(callee->getReturnType(), context))
    return false;
  const std::string key = keyOfResult(*callee);
  source.results.insert(key);
  source.nodes.insert(key);
  return true;
}

/// Memory that is as large as so many locks: `calloc(n, sizeof(pthread_mutex_t))`.
void Finder::addAllocation(const CallExpr &call) {
  const UnaryExprOrTypeTraitExpr *size = nullptr;
  for (const Expr *argument : call.arguments()) {
    const Expr *given = argument->IgnoreParenImpCasts();
    if (const auto *product = dyn_cast<BinaryOperator>(given);
        product && product->getOpcode() == BO_Mul) {
      const Expr *left = product->getLHS()->IgnoreParenImpCasts();
      given = isa<UnaryExprOrTypeTraitExpr>(left) ? left : product->getRHS()->IgnoreParenImpCasts();
    }
    if (const auto *found = dyn_cast<UnaryExprOrTypeTraitExpr>(given);
        found && found->getKind() == UETT_SizeOf)
      size = found;
  }
  if (!size || lockTypeOf(size->getTypeOfArgument(), context).family == LockFamily::other) {
    source.unknown = &call;
    return;
  }
  source.isMalloced = true;
  if (size->isArgumentType()) {
    source.edits.push_back(typeTextUse(size->getArgumentTypeInfo()->getTypeLoc(), context));
    return;
  }
  const Expr *lock = size->getArgumentExpr()->IgnoreParens();
  const auto *pointed = dyn_cast<UnaryOperator>(lock);
  if (pointed && pointed->getOpcode() == UO_Deref) {
    source.understood.push_back(lock);
    addSource(*pointed->getSubExpr());
  } else {
    source.unknown = &call;
  }
}

} // namespace

PointerSource sourceOf(const Expr &pointer, ASTContext &context) {
  return Finder(context).find(pointer);
}

LockUse typeTextUse(TypeLoc type, const ASTContext &context) {
  type = type.getUnqualifiedLoc();
  if (type.getAs<AutoTypeLoc>() || type.getAs<DecltypeTypeLoc>() || type.getAs<TypeOfTypeLoc>() ||
      type.getAs<TypeOfExprTypeLoc>())
    return gatedAt(type.getBeginLoc(), Gate::declaration, "its type is not written", context);
  const auto text = textOf(inFile(type.getSourceRange(), context), context);
  if (!text)
    return gatedAt(type.getBeginLoc(), Gate::macro, "its type", context);
  LockUse use;
  use.kind = LockUse::Kind::declaration;
  use.text = *text;
  return use;
}

} // namespace qdadvise
