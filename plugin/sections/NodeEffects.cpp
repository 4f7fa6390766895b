// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sections/NodeEffects.h"

#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/CallArguments.h"
#include "plugin/ast/DeclNames.h"
#include "plugin/sections/KnownFunctions.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace qdadvise {
namespace {

bool isCertainlyNothrow(const FunctionDecl &function) {
  const auto *type = function.getType()->getAs<FunctionProtoType>();
  if (!type || function.hasAttr<NoThrowAttr>())
    return function.hasAttr<NoThrowAttr>();
  if (isUnresolvedExceptionSpec(type->getExceptionSpecType()))
    return isa<CXXDestructorDecl>(function);
  return type->isNothrow();
}

/// A virtual call whose target the type at hand does not settle.
bool isDispatched(const CallExpr &call, const FunctionDecl &callee) {
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  if (!method || !method->isVirtual() || method->hasAttr<FinalAttr>() ||
      method->getParent()->hasAttr<FinalAttr>())
    return false;
  const auto *access = dyn_cast<MemberExpr>(call.getCallee()->IgnoreParens());
  if (access && access->hasQualifier())
    return false;
  const auto *member = dyn_cast<CXXMemberCallExpr>(&call);
  const Expr *object = member ? member->getImplicitObjectArgument() : nullptr;
  // An object that is named, and not through a reference, is of the type it is declared with.
  const auto *named = object ? dyn_cast<DeclRefExpr>(object->IgnoreParenCasts()) : nullptr;
  return !(named && !access->isArrow() && !named->getDecl()->getType()->isReferenceType());
}

/// `out << a << b`: out.
const Expr &leftmostStream(const Expr &expression) {
  const Expr *current = expression.IgnoreParenImpCasts();
  while (const auto *call = dyn_cast<CXXOperatorCallExpr>(current)) {
    if (call->getNumArgs() != 2)
      break;
    current = call->getArg(0)->IgnoreParenImpCasts();
  }
  return *current;
}

/// Reading or writing through a stream: `<<`, `>>`, or a member of its class.
bool isStreamAccess(const CallExpr &call) {
  if (const auto *shift = dyn_cast<CXXOperatorCallExpr>(&call))
    return (shift->getOperator() == OO_LessLess || shift->getOperator() == OO_GreaterGreater) &&
           shift->getNumArgs() == 2 && isDeviceStream(leftmostStream(*shift).getType());
  const auto *member = dyn_cast<CXXMemberCallExpr>(&call);
  const Expr *object = member ? member->getImplicitObjectArgument() : nullptr;
  if (!object)
    return false;
  QualType type = object->IgnoreParenImpCasts()->getType();
  if (type->isPointerType())
    type = type->getPointeeType();
  return isDeviceStream(type);
}

/// The function that runs when a lambda or another object is called, or null.
const FunctionDecl *callOperatorOf(QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || isInStandardLibrary(*record))
    return nullptr;
  for (const CXXMethodDecl *method : record->getDefinition()->methods())
    if (method->getOverloadedOperator() == OO_Call)
      return method;
  if (!record->isLambda())
    return nullptr;
  // A generic lambda: any instance shows what its body does.
  const CXXMethodDecl *pattern = record->getLambdaCallOperator();
  if (const FunctionTemplateDecl *source =
          pattern ? pattern->getDescribedFunctionTemplate() : nullptr)
    for (const FunctionDecl *instance : source->specializations())
      if (definitionOf(*instance))
        return instance;
  return pattern;
}

bool isThreadLocal(const Stmt &node) {
  const ValueDecl *declaration = nullptr;
  if (const auto *reference = dyn_cast<DeclRefExpr>(&node))
    declaration = reference->getDecl();
  else if (const auto *member = dyn_cast<MemberExpr>(&node))
    declaration = member->getMemberDecl();
  const auto *variable = dyn_cast_or_null<VarDecl>(declaration);
  return variable && variable->getTLSKind() != VarDecl::TLS_None;
}

} // namespace

const FunctionDecl *definitionOf(const FunctionDecl &function) {
  const FunctionDecl *definition = nullptr;
  return function.isDefined(definition) && definition->hasBody() ? definition : nullptr;
}

void forEachRunChild(const Stmt &node, llvm::function_ref<void(const Stmt &)> callback) {
  if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr, RequiresExpr, ConstantExpr>(
          node))
    return;
  const auto visit = [&](const Stmt *child) {
    if (child)
      callback(*child);
  };
  if (const auto *lambda = dyn_cast<LambdaExpr>(&node)) {
    for (const Expr *capture : lambda->capture_inits())
      visit(capture);
  } else if (const auto *argument = dyn_cast<CXXDefaultArgExpr>(&node)) {
    visit(argument->getExpr());
  } else if (const auto *initialiser = dyn_cast<CXXDefaultInitExpr>(&node)) {
    visit(initialiser->getExpr());
  } else {
    for (const Stmt *child : node.children())
      visit(child);
  }
}

SectionFactBits NodeEffectFinder::throwing() const {
  return context.getLangOpts().CXXExceptions ? factThrows : 0;
}

bool NodeEffectFinder::mayThrow(const FunctionDecl &function) const {
  return throwing() && !isCertainlyNothrow(function);
}

/// Adds what the body of `callee` does, or what its name says, or that nobody knows.
void NodeEffectFinder::addFunction(NodeEffects &effects, const FunctionDecl &callee) const {
  effects.comesBack = effects.comesBack && !callee.isNoReturn();
  const std::optional<SectionFactBits> byName = knownFunction(callee);
  const FunctionDecl *definition = definitionOf(callee);
  const bool isOurs =
      definition && !context.getSourceManager().isInSystemHeader(definition->getLocation());
  if (byName && !isOurs)
    effects.facts |= *byName;
  else if (isInStandardLibrary(callee))
    effects.facts |= standardFunctionFacts(callee) | (mayThrow(callee) ? factThrows : 0);
  else if (callee.isTrivial() || callee.isReservedGlobalPlacementOperator() ||
           callee.isReplaceableGlobalAllocationFunction())
    effects.facts |= callee.isTrivial() || !mayThrow(callee) ? 0 : factThrows;
  else if (definition)
    effects.calls.push_back(definition);
  else if (!callee.isDefaulted()) {
    effects.facts |= factCallsUnknown | (mayThrow(callee) ? factThrows : 0);
    effects.unseen.functions.insert(&callee);
  }
}

void NodeEffectFinder::addCall(NodeEffects &effects, const FunctionDecl &callee) const {
  if (const LockOperation *operation = operationOf(callee)) {
    switch (operation->role) {
    case SiteRole::acquire:
      effects.facts |= factTakesLock;
      break;
    case SiteRole::wrapper:
      effects.facts |= operation->waits ? factWaits : factTakesLock;
      break;
    case SiteRole::wait:
    case SiteRole::block:
      effects.facts |= factWaits;
      break;
    case SiteRole::release:
    case SiteRole::threadStart:
    case SiteRole::lifetime:
    case SiteRole::spawn:
      break;
    }
    return;
  }
  if (isPredicateWait(callee))
    effects.facts |= factWaits;
  addFunction(effects, callee);
}

/// A function of the library runs the callables that it is given.
void NodeEffectFinder::addCallables(NodeEffects &effects, const CallExpr &call) const {
  for (const Expr *argument : call.arguments()) {
    const Expr *given = argument->IgnoreParenImpCasts();
    const QualType type = given->getType();
    if (const FunctionDecl *run = callOperatorOf(type)) {
      addFunction(effects, *run);
    } else if (type->isFunctionType() || type->isFunctionPointerType()) {
      const auto *named = dyn_cast<DeclRefExpr>(given);
      const auto *function = named ? dyn_cast<FunctionDecl>(named->getDecl()) : nullptr;
      if (function)
        addFunction(effects, *function);
      else
        effects.facts |= factCallsPointer | throwing();
    }
  }
}

void NodeEffectFinder::addDestructor(NodeEffects &effects, QualType type) const {
  const CXXRecordDecl *record = context.getBaseElementType(type)->getAsCXXRecordDecl();
  if (type->isReferenceType() || !record || !record->hasDefinition() ||
      record->hasTrivialDestructor())
    return;
  if (const CXXDestructorDecl *destructor = record->getDestructor())
    addCall(effects, *destructor);
}

void NodeEffectFinder::addCallExpression(NodeEffects &effects, const CallExpr &call) const {
  const FunctionDecl *callee = calledFunction(call);
  if (isa<CXXPseudoDestructorExpr>(call.getCallee()->IgnoreParens()))
    return;
  if (!callee) {
    effects.facts |= factCallsPointer | throwing();
  } else if (isDispatched(call, *callee) && !operationOf(*callee)) {
    effects.facts |= factCallsPointer | (mayThrow(*callee) ? factThrows : 0);
  } else {
    addCall(effects, *callee);
    if (isInStandardLibrary(*callee)) {
      addCallables(effects, call);
      if (isStreamAccess(call))
        effects.facts |= factDoesIo;
    }
  }
}

void NodeEffectFinder::addDeletion(NodeEffects &effects, const CXXDeleteExpr &deletion) const {
  const CXXRecordDecl *record = deletion.getDestroyedType()->getAsCXXRecordDecl();
  const CXXDestructorDecl *destructor =
      record && record->hasDefinition() ? record->getDestructor() : nullptr;
  if (destructor && destructor->isVirtual() && !record->hasAttr<FinalAttr>())
    effects.facts |= factCallsPointer;
  else if (!deletion.getDestroyedType().isNull())
    addDestructor(effects, deletion.getDestroyedType());
}

NodeEffects NodeEffectFinder::at(const Stmt &node) const {
  NodeEffects effects;
  if (isThreadLocal(node))
    effects.facts |= factThreadLocal;
  if (const auto *call = dyn_cast<CallExpr>(&node)) {
    addCallExpression(effects, *call);
  } else if (const auto *construct = dyn_cast<CXXConstructExpr>(&node)) {
    addCall(effects, *construct->getConstructor());
  } else if (const auto *inherited = dyn_cast<CXXInheritedCtorInitExpr>(&node)) {
    addCall(effects, *inherited->getConstructor());
  } else if (const auto *allocation = dyn_cast<CXXNewExpr>(&node)) {
    if (const FunctionDecl *function = allocation->getOperatorNew())
      addFunction(effects, *function);
  } else if (const auto *deletion = dyn_cast<CXXDeleteExpr>(&node)) {
    addDeletion(effects, *deletion);
  } else if (isa<CXXThrowExpr>(node)) {
    effects.facts |= throwing();
    effects.comesBack = false;
  } else if (const auto *declaration = dyn_cast<DeclStmt>(&node)) {
    for (const Decl *declared : declaration->decls())
      if (const auto *variable = dyn_cast<VarDecl>(declared);
          variable && variable->hasLocalStorage())
        addDestructor(effects, variable->getType());
  } else if (const auto *temporary = dyn_cast<CXXBindTemporaryExpr>(&node)) {
    addDestructor(effects, temporary->getType());
  } else if (isa<CoroutineSuspendExpr>(node)) {
    effects.facts |= factWaits;
  } else if (const auto *assembly = dyn_cast<GCCAsmStmt>(&node)) {
    // An empty one is a barrier for the compiler.
    if (!assembly->generateAsmString(context).empty()) {
      effects.facts |= factCallsUnknown;
      effects.unseen.isMore = true;
    }
  }
  if (effects.facts & factTakesLock)
    effects.inner.takes.insert(&node);
  return effects;
}

} // namespace qdadvise
