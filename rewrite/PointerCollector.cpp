// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/PointerCollector.h"

#include "plugin/ast/DeclNames.h"
#include "plugin/locksets/LockNames.h"
#include "rewrite/pointers/PointerNames.h"
#include "rewrite/uses/Locations.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace qdadvise {
namespace {

bool isComparison(const BinaryOperator &operation) {
  return operation.isComparisonOp() || operation.isLogicalOp();
}

} // namespace

void PointerCollector::run() {
  TraverseDecl(context.getTranslationUnitDecl());
  gateTogether([&](const std::string &key, LockUse use) { add(key, std::move(use)); });
  for (const Lvalue &found : lvalues)
    if (!understood.contains(found.lock)) {
      current = found.in;
      useLvalue(*found.lock, *found.pointer);
    }
  for (const auto &[name, key] : names)
    if (!understood.contains(name))
      add(key, gatedHere(name->getBeginLoc(), Gate::pointerEscapes, "it is named here"));
  for (const DeclRefExpr *name : functions) {
    if (understood.contains(name))
      continue;
    const auto &function = *cast<FunctionDecl>(name->getDecl());
    const LockUse taken = gatedHere(name->getBeginLoc(), Gate::pointerEscapes,
                                    "'" + functionName(function) + "' is called by a pointer");
    for (const ParmVarDecl *parameter : function.parameters())
      if (pointedTo(parameter->getType(), context))
        add(keyOfPointer(*parameter), taken);
    if (pointedTo(function.getReturnType(), context))
      add(keyOfResult(function), taken);
  }
}

bool PointerCollector::isOfTemplate(const Decl &decl) {
  const auto *function = dyn_cast<FunctionDecl>(&decl);
  return function && (function->isTemplateInstantiation() || function->isDependentContext());
}

PointerNode &PointerCollector::nodeOf(const std::string &key) {
  PointerNode &node = program.pointerFlow.nodes[key];
  const LangOptions &language = context.getLangOpts();
  (language.CPlusPlus ? node.inCxx : node.inC) = true;
  node.isBefore17 |= language.CPlusPlus && !language.CPlusPlus17;
  return node;
}

void PointerCollector::add(const std::string &key, LockUse use) {
  nodeOf(key).uses.insert(inTemplate ? gatedHere(SourceLocation(), Gate::templateCode, "")
                                     : std::move(use));
}

void PointerCollector::describe(PointerNode &node, const ValueDecl &named, const LockType &type) {
  using enum PointerNode::Kind;
  node.kind = isa<FieldDecl>(named)      ? member
              : isa<FunctionDecl>(named) ? result
              : isa<ParmVarDecl>(named)  ? parameter
                                         : local;
  const auto *variable = dyn_cast<VarDecl>(&named);
  if (node.kind == local && variable->hasGlobalStorage())
    node.kind = global;
  if (node.name.empty()) {
    node.name = isa<FunctionDecl>(named) ? functionName(cast<FunctionDecl>(named))
                                         : declarationName(*cast<DeclaratorDecl>(&named));
    node.place = placeOfUse(named.getLocation(), context);
  }
  node.type = type.name;
  node.family = type.family;
  if (const auto *field = dyn_cast<FieldDecl>(&named))
    node.record = placeOf(*field->getParent());
  PointerName name;
  name.name = named.getNameAsString();
  if (const auto *function = dyn_cast<FunctionDecl>(named.getDeclContext()))
    if (const auto scope = textOf(function->getSourceRange(), context))
      name.scope = *scope;
  node.names.insert(std::move(name));
}

/// The text of the lock's type where a pointer is declared.
void PointerCollector::addDeclaration(PointerNode &node, const DeclaratorDecl &declarator,
                                      TypeLoc pointer) {
  pointer = pointer.getUnqualifiedLoc();
  if (node.type.empty() || pointer.getAs<AutoTypeLoc>())
    return;
  const auto written = pointer.getAs<PointerTypeLoc>();
  if (written && written.getPointeeLoc().getUnqualifiedLoc().getAs<AutoTypeLoc>())
    return;
  node.uses.insert(
      written ? typeTextUse(written.getPointeeLoc(), context)
              : gatedHere(declarator.getLocation(), Gate::declaration, "its type is not written"));
}

/// Notes where a method's text is, and of which class it is.
void PointerCollector::addMethod(const CXXMethodDecl &method) {
  const auto text = textOf(method.getSourceRange(), context);
  if (method.doesThisDeclarationHaveABody() && text)
    program.methods[{text->file, text->offset}] = {text->end(), placeOf(*method.getParent())};
}

bool PointerCollector::VisitDeclaratorDecl(DeclaratorDecl *declarator) {
  const auto *function = dyn_cast<FunctionDecl>(declarator);
  const auto *parameter = dyn_cast<ParmVarDecl>(declarator);
  if (!isa<VarDecl, FieldDecl, FunctionDecl>(declarator) || (parameter && !functionOf(*parameter)))
    return true;
  if (!function && !parameter)
    noteType(*declarator);
  if (const auto *method = dyn_cast<CXXMethodDecl>(declarator))
    addMethod(*method);
  const auto type =
      pointedTo(function ? function->getReturnType() : declarator->getType(), context);
  if (!type || !declarator->getTypeSourceInfo())
    return true;
  const std::string key = function ? keyOfResult(*function) : keyOfPointer(*declarator);
  PointerNode &node = nodeOf(key);
  describe(node, *declarator, *type);
  const FunctionDecl *owner = function ? function : parameter ? functionOf(*parameter) : nullptr;
  node.isDefined |= owner && owner->doesThisDeclarationHaveABody();
  if (owner && isVirtual(*owner))
    add(key, gatedHere(declarator->getLocation(), Gate::pointerEscapes, "a virtual function"));
  if (type->gate)
    add(key, gatedHere(declarator->getLocation(), *type->gate, type->name));
  const auto *field = dyn_cast<FieldDecl>(declarator);
  if (field && field->getParent()->isUnion())
    add(key, gatedHere(declarator->getLocation(), Gate::declaration, "it is in a union"));
  if (inTemplate)
    add(key, gatedHere(declarator->getLocation(), Gate::templateCode, ""));
  const TypeLoc whole = declarator->getTypeSourceInfo()->getTypeLoc();
  const FunctionTypeLoc signature = function ? function->getFunctionTypeLoc() : FunctionTypeLoc();
  if (function && !signature)
    return true;
  if (!function && !parameter && !type->name.empty())
    noteType(*declarator, key);
  addDeclaration(node, *declarator, function ? signature.getReturnLoc() : whole);
  if (const auto *variable = dyn_cast<VarDecl>(declarator);
      variable && !parameter && variable->hasInit())
    flow(key, *variable->getInit());
  if (field && field->hasInClassInitializer() && field->getInClassInitializer())
    flow(key, *field->getInClassInitializer());
  return true;
}

bool PointerCollector::VisitCXXConstructorDecl(CXXConstructorDecl *constructor) {
  for (const CXXCtorInitializer *initialiser : constructor->inits())
    if (const FieldDecl *field = initialiser->getMember(); field && initialiser->isWritten() &&
                                                           initialiser->getInit() &&
                                                           pointedTo(field->getType(), context))
      flow(keyOfPointer(*field), *initialiser->getInit());
  return true;
}

bool PointerCollector::VisitDeclRefExpr(DeclRefExpr *name) {
  if (const std::string key = keyOfPointerNamed(*name, context); !key.empty())
    names.emplace_back(name, key);
  if (const auto *function = dyn_cast<FunctionDecl>(name->getDecl());
      function && !sources.isInSystemHeader(function->getLocation()))
    functions.push_back(name);
  return true;
}

bool PointerCollector::VisitMemberExpr(MemberExpr *name) {
  if (const std::string key = keyOfPointerNamed(*name, context); !key.empty())
    names.emplace_back(name, key);
  return true;
}

PointerSource PointerCollector::follow(const Expr &pointer) {
  PointerSource source = sourceOf(pointer, context);
  understood.insert(source.understood.begin(), source.understood.end());
  for (const std::string &result : source.results)
    nodeOf(result).kind = PointerNode::Kind::result;
  return source;
}

void PointerCollector::connect(const PointerSource &source, const std::string &key) {
  for (const std::string &node : source.nodes)
    program.pointerFlow.edges.emplace(node, key);
  for (const LockUse &edit : source.edits)
    add(key, edit);
  PointerNode &node = nodeOf(key);
  node.isNewed |= source.isNewed;
  node.isMalloced |= source.isMalloced;
  if (source.unknown)
    add(key, gatedHere(source.unknown->getBeginLoc(), Gate::pointerOrigin, "from here"));
}

void PointerCollector::flow(const std::string &target, const Expr &pointer) {
  connect(follow(pointer), target);
}

void PointerCollector::look(const Expr &pointer) {
  if (!pointedTo(pointer.IgnoreParenImpCasts()->getType(), context))
    return;
  PointerSource source = follow(pointer);
  source.unknown = nullptr; // that goes nowhere either
  if (!source.nodes.empty())
    connect(source, *source.nodes.begin());
}

/// A call that does something with the lock.
void PointerCollector::use(const CallExpr &call, const Expr &pointer) {
  const PointerSource source = follow(pointer);
  if (source.nodes.empty())
    return;
  const std::string &key = *source.nodes.begin();
  connect(source, key);
  const auto *member = dyn_cast<CXXMemberCallExpr>(&call);
  const auto type = pointedTo(pointer.getType(), context);
  if (member)
    add(key, uses.ofArrow(*member));
  else if (type)
    add(key, uses.ofPointer(call, pointer, *type));
  addSite(placeOfUse(call.getBeginLoc(), context), key);
}

/// A place that takes the lock or gives it up.
void PointerCollector::addSite(const TextRange &at, const std::string &key) {
  program.pointerFlow.sites[{at.file, at.offset}].insert(key);
  if (current)
    program.pointerFlow.usedIn[keyOf(*current->getCanonicalDecl())].insert(key);
}

/// The lock itself, `*pointer` or `pointer[i]`.
void PointerCollector::useLvalue(const Expr &lock, const Expr &pointer) {
  const PointerSource source = follow(pointer);
  const auto type = pointedTo(pointer.getType(), context);
  if (source.nodes.empty() || !type)
    return;
  const std::string &key = *source.nodes.begin();
  connect(source, key);
  UseInContext found = uses.ofLock(lock, *type);
  if (found.use.kind == LockUse::Kind::plain)
    found.use.text = placeOfUse(lock.getExprLoc(), context);
  found.use.section.reset(); // an operation is one of a lock with a name
  found.use.rest.reset();
  addSite(found.guard ? placeOfUse(found.guard->getBeginLoc(), context) : found.use.text, key);
  add(key, std::move(found.use));
}

bool PointerCollector::VisitUnaryOperator(UnaryOperator *operation) {
  if (operation->getOpcode() == UO_LNot)
    look(*operation->getSubExpr());
  if (const auto type = pointedTo(operation->getSubExpr()->getType(), context);
      type && operation->getOpcode() == UO_Deref && type->family != LockFamily::other)
    lvalues.push_back({operation, operation->getSubExpr(), current});
  return true;
}

bool PointerCollector::VisitArraySubscriptExpr(ArraySubscriptExpr *element) {
  if (const auto type = pointedTo(element->getBase()->getType(), context);
      type && type->family != LockFamily::other)
    lvalues.push_back({element, element->getBase(), current});
  return true;
}

bool PointerCollector::VisitBinaryOperator(BinaryOperator *operation) {
  if (isComparison(*operation)) {
    look(*operation->getLHS());
    look(*operation->getRHS());
  }
  if (operation->getOpcode() != BO_Assign)
    return true;
  const Expr *target = operation->getLHS()->IgnoreParens();
  if (const std::string key = keyOfPointerNamed(*target, context); !key.empty()) {
    understood.insert(target);
    flow(key, *operation->getRHS());
  }
  return true;
}

bool PointerCollector::VisitImplicitCastExpr(ImplicitCastExpr *cast) {
  if (cast->getCastKind() == CK_PointerToBoolean)
    look(*cast->getSubExpr());
  return true;
}

bool PointerCollector::VisitIfStmt(IfStmt *branch) {
  look(*branch->getCond());
  return true;
}

bool PointerCollector::VisitWhileStmt(WhileStmt *loop) {
  look(*loop->getCond());
  return true;
}

void PointerCollector::passArguments(const FunctionDecl &callee,
                                     llvm::ArrayRef<const Expr *> arguments) {
  for (std::size_t i = 0; i < arguments.size() && i < callee.getNumParams(); ++i) {
    const ParmVarDecl &parameter = *callee.getParamDecl(static_cast<unsigned>(i));
    if (!pointedTo(parameter.getType(), context) || isa<CXXDefaultArgExpr>(arguments[i]))
      continue;
    const std::string key = keyOfPointer(parameter);
    nodeOf(key).kind = PointerNode::Kind::parameter;
    flow(key, *arguments[i]);
  }
}

bool PointerCollector::VisitCallExpr(CallExpr *call) {
  understood.insert(call->getCallee()->IgnoreParenImpCasts());
  const auto *member = dyn_cast<CXXMemberCallExpr>(call);
  if (const Expr *object = member ? member->getImplicitObjectArgument() : nullptr;
      object && pointedTo(object->getType(), context)) {
    use(*call, *object);
    return true;
  }
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee)
    return true;
  const llvm::StringRef name = nameOf(*callee);
  if (isFollowed(callee, context)) {
    const TextRange at = placeOfUse(call->getBeginLoc(), context);
    program.pointerFlow.calls[{at.file, at.offset}] = keyOf(*callee->getCanonicalDecl());
    // The object of an operator is its first argument.
    const bool hasObject = isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(callee);
    passArguments(
        *callee, llvm::ArrayRef(call->getArgs(), call->getNumArgs()).drop_front(hasObject ? 1 : 0));
    return true;
  }
  for (const Expr *argument : call->arguments()) {
    const Expr *given = argument->IgnoreParenImpCasts();
    if (!pointedTo(given->getType(), context))
      continue;
    const auto *address = dyn_cast<UnaryOperator>(given);
    if (name == "free")
      look(*argument);
    else if (name.starts_with("pthread_") && !(address && address->getOpcode() == UO_AddrOf))
      use(*call, *argument);
  }
  return true;
}

bool PointerCollector::VisitCXXConstructExpr(CXXConstructExpr *construct) {
  if (isFollowed(construct->getConstructor(), context))
    passArguments(*construct->getConstructor(),
                  llvm::ArrayRef(construct->getArgs(), construct->getNumArgs()));
  return true;
}

bool PointerCollector::VisitCXXDeleteExpr(CXXDeleteExpr *expression) {
  look(*expression->getArgument());
  return true;
}

bool PointerCollector::VisitReturnStmt(ReturnStmt *statement) {
  if (statement->getRetValue() && current && pointedTo(current->getReturnType(), context))
    flow(keyOfResult(*current), *statement->getRetValue());
  return true;
}

} // namespace qdadvise
