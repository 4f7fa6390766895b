// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/PointerCollector.h"

#include "plugin/ast/DeclNames.h"
#include "plugin/locksets/LockNames.h"
#include "rewrite/uses/Locations.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace qdadvise {
namespace {

/// Functions that return memory in which nothing is constructed.
constexpr llvm::StringRef allocators[] = {"malloc", "calloc", "aligned_alloc"};

bool isComparison(const BinaryOperator &operation) {
  return operation.isComparisonOp() || operation.isLogicalOp();
}

const FunctionDecl *functionOf(const ParmVarDecl &parameter) {
  return dyn_cast<FunctionDecl>(parameter.getDeclContext());
}

bool isVirtual(const FunctionDecl &function) {
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  return method && method->isVirtual();
}

} // namespace

PointerCollector::PointerCollector(ASTContext &astContext, const LockApi &lockApi,
                                   ProgramUses &lockProgram)
    : context(astContext), sources(astContext.getSourceManager()), uses(astContext, lockApi),
      program(lockProgram) {}

void PointerCollector::run() {
  TraverseDecl(context.getTranslationUnitDecl());
  for (const Lvalue &found : lvalues)
    if (!understood.contains(found.lock)) {
      current = found.in;
      useLvalue(*found.lock, *found.pointer);
    }
  for (const auto &[name, key] : names)
    if (!understood.contains(name))
      add(key, gatedAt(name->getBeginLoc(), Gate::pointerEscapes, "it is named here"));
  for (const DeclRefExpr *name : functions) {
    if (understood.contains(name))
      continue;
    const auto &function = *cast<FunctionDecl>(name->getDecl());
    const LockUse taken = gatedAt(name->getBeginLoc(), Gate::pointerEscapes,
                                  "'" + functionName(function) + "' is called by a pointer");
    for (const ParmVarDecl *parameter : function.parameters())
      if (pointedTo(parameter->getType()))
        add(keyOfName(*parameter), taken);
    if (pointedTo(function.getReturnType()))
      add(keyOfResult(function), taken);
  }
}

bool PointerCollector::TraverseDecl(Decl *decl) {
  if (!decl || (decl->getLocation().isValid() && sources.isInSystemHeader(decl->getLocation())))
    return true;
  const bool outerInstance = inInstance;
  const FunctionDecl *outer = current;
  if (const auto *function = dyn_cast<FunctionDecl>(decl)) {
    current = function;
    inInstance |= function->isTemplateInstantiation() || function->isDependentContext();
  }
  const bool goOn = Base::TraverseDecl(decl);
  inInstance = outerInstance;
  current = outer;
  return goOn;
}

LockUse PointerCollector::gatedAt(SourceLocation at, Gate gate, std::string detail) const {
  LockUse gated;
  gated.kind = LockUse::Kind::gated;
  gated.text = placeOfUse(at, context);
  gated.gate = gate;
  gated.detail = std::move(detail);
  return gated;
}

PointerNode &PointerCollector::nodeOf(const std::string &key) {
  PointerNode &node = program.pointerFlow.nodes[key];
  const LangOptions &language = context.getLangOpts();
  (language.CPlusPlus ? node.inCxx : node.inC) = true;
  node.isBefore17 |= language.CPlusPlus && !language.CPlusPlus17;
  return node;
}

void PointerCollector::add(const std::string &key, LockUse use) {
  nodeOf(key).uses.insert(inInstance ? gatedAt(SourceLocation(), Gate::templateCode, "")
                                     : std::move(use));
}

/// What a pointer of that type may lead to: a lock, of family `other` if it says nothing. None
/// where it leads elsewhere.
std::optional<LockType> PointerCollector::pointedTo(QualType type) const {
  const QualType pointee = type.getNonReferenceType()->getPointeeType();
  if (!type->isPointerType() || pointee.hasQualifiers())
    return std::nullopt;
  if (pointee->isVoidType())
    return LockType();
  if (pointee->isArrayType())
    return std::nullopt;
  LockType lock = lockTypeOf(pointee, context);
  return lock.family == LockFamily::other ? std::nullopt : std::optional(std::move(lock));
}

std::string PointerCollector::keyOfName(const ValueDecl &named) {
  const auto *parameter = dyn_cast<ParmVarDecl>(&named);
  const FunctionDecl *function = parameter ? functionOf(*parameter) : nullptr;
  return function ? keyOf(*function->getCanonicalDecl()) + "#" +
                        std::to_string(parameter->getFunctionScopeIndex())
                  : keyOf(named);
}

std::string PointerCollector::keyOfResult(const FunctionDecl &function) {
  return keyOf(*function.getCanonicalDecl()) + "#result";
}

/// The key of the pointer that a name is of; "" where it is none.
std::string PointerCollector::nodeFor(const Expr &name) {
  const ValueDecl *named = nullptr;
  if (const auto *reference = dyn_cast<DeclRefExpr>(&name))
    named = reference->getDecl();
  else if (const auto *member = dyn_cast<MemberExpr>(&name))
    named = member->getMemberDecl();
  if (!named || !isa<VarDecl, FieldDecl>(named) || !pointedTo(named->getType()) ||
      sources.isInSystemHeader(named->getLocation()))
    return "";
  return keyOfName(*named);
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
  if (const auto *field = dyn_cast<FieldDecl>(&named)) {
    const TextRange at = placeOfUse(field->getParent()->getLocation(), context);
    node.record = at.file + ":" + std::to_string(at.offset);
  }
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
  LockUse use = gatedAt(declarator.getLocation(), Gate::declaration, "its type is not written");
  const auto written = pointer.getAs<PointerTypeLoc>();
  if (written && written.getPointeeLoc().getUnqualifiedLoc().getAs<AutoTypeLoc>())
    return;
  if (written) {
    Source source;
    addTypeText(written.getPointeeLoc(), source);
    use = source.edits.front();
  }
  node.uses.insert(std::move(use));
}

void PointerCollector::addTypeText(TypeLoc type, Source &source) const {
  type = type.getUnqualifiedLoc();
  LockUse use = gatedAt(type.getBeginLoc(), Gate::declaration, "its type is not written");
  if (!type.getAs<AutoTypeLoc>() && !type.getAs<DecltypeTypeLoc>() &&
      !type.getAs<TypeOfTypeLoc>() && !type.getAs<TypeOfExprTypeLoc>()) {
    const auto text = textOf(inFile(type.getSourceRange(), context), context);
    use.kind = text ? LockUse::Kind::declaration : LockUse::Kind::gated;
    use.gate = Gate::macro;
    use.detail = "its type";
    if (text)
      use.text = *text;
  }
  source.edits.push_back(std::move(use));
}

bool PointerCollector::VisitDeclaratorDecl(DeclaratorDecl *declarator) {
  const auto *function = dyn_cast<FunctionDecl>(declarator);
  const auto *parameter = dyn_cast<ParmVarDecl>(declarator);
  if (!isa<VarDecl, FieldDecl, FunctionDecl>(declarator) || (parameter && !functionOf(*parameter)))
    return true;
  const auto *method = dyn_cast<CXXMethodDecl>(declarator);
  if (method && method->doesThisDeclarationHaveABody())
    if (const auto body = textOf(method->getSourceRange(), context)) {
      const TextRange record = placeOfUse(method->getParent()->getLocation(), context);
      program.methods[{body->file, body->offset}] = {
          body->end(), record.file + ":" + std::to_string(record.offset)};
    }
  const auto type = pointedTo(function ? function->getReturnType() : declarator->getType());
  if (!type || !declarator->getTypeSourceInfo())
    return true;
  const std::string key = function ? keyOfResult(*function) : keyOfName(*declarator);
  PointerNode &node = nodeOf(key);
  describe(node, *declarator, *type);
  const FunctionDecl *owner = function ? function : parameter ? functionOf(*parameter) : nullptr;
  node.isDefined |= owner && owner->doesThisDeclarationHaveABody();
  if (owner && isVirtual(*owner))
    add(key, gatedAt(declarator->getLocation(), Gate::pointerEscapes, "a virtual function"));
  if (type->gate)
    add(key, gatedAt(declarator->getLocation(), *type->gate, type->name));
  const auto *field = dyn_cast<FieldDecl>(declarator);
  if (field && field->getParent()->isUnion())
    add(key, gatedAt(declarator->getLocation(), Gate::declaration, "it is in a union"));
  if (inInstance)
    add(key, gatedAt(declarator->getLocation(), Gate::templateCode, ""));
  const TypeLoc whole = declarator->getTypeSourceInfo()->getTypeLoc();
  const FunctionTypeLoc signature = function ? function->getFunctionTypeLoc() : FunctionTypeLoc();
  if (function && !signature)
    return true;
  if (!function && !parameter && !type->name.empty()) {
    auto &group = declaredAt[declarator->getTypeSpecStartLoc().getRawEncoding()];
    group.insert(declarator->getLocation().getRawEncoding());
    if (group.size() > 1)
      add(key, gatedAt(declarator->getLocation(), Gate::declaration,
                       "several names in one declaration"));
  }
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
    if (const FieldDecl *field = initialiser->getMember();
        field && initialiser->isWritten() && initialiser->getInit() && pointedTo(field->getType()))
      flow(keyOfName(*field), *initialiser->getInit());
  return true;
}

bool PointerCollector::VisitDeclRefExpr(DeclRefExpr *name) {
  if (const std::string key = nodeFor(*name); !key.empty())
    names.emplace_back(name, key);
  if (const auto *function = dyn_cast<FunctionDecl>(name->getDecl());
      function && !sources.isInSystemHeader(function->getLocation()))
    functions.push_back(name);
  return true;
}

bool PointerCollector::VisitMemberExpr(MemberExpr *name) {
  if (const std::string key = nodeFor(*name); !key.empty())
    names.emplace_back(name, key);
  return true;
}

PointerCollector::Source PointerCollector::sourceOf(const Expr &pointer) {
  Source source;
  addSource(pointer, source);
  return source;
}

void PointerCollector::addSource(const Expr &pointer, Source &source) {
  const Expr &inner = *pointer.IgnoreParens();
  const auto isNull =
      inner.isNullPointerConstant(context, Expr::NPC_ValueDependentIsNotNull) != Expr::NPCK_NotNull;
  if (isNull || isa<ImplicitValueInitExpr>(inner))
    return;
  if (const std::string key = nodeFor(inner); !key.empty()) {
    understood.insert(&inner);
    source.nodes.insert(key);
    return;
  }
  if (const auto *cleanups = dyn_cast<ExprWithCleanups>(&inner))
    return addSource(*cleanups->getSubExpr(), source);
  if (const auto *list = dyn_cast<InitListExpr>(&inner); list && list->getNumInits() <= 1)
    return list->getNumInits() == 0 ? void() : addSource(*list->getInit(0), source);
  if (const auto *choice = dyn_cast<ConditionalOperator>(&inner)) {
    addSource(*choice->getTrueExpr(), source);
    return addSource(*choice->getFalseExpr(), source);
  }
  if (const auto *operation = dyn_cast<BinaryOperator>(&inner);
      operation && (operation->isAdditiveOp() || operation->getOpcode() == BO_Assign)) {
    const bool isLeft = operation->getLHS()->getType()->isPointerType();
    return addSource(isLeft ? *operation->getLHS() : *operation->getRHS(), source);
  }
  const bool isUnderstood = addCast(inner, source) || addOperand(inner, source) ||
                            addNew(inner, source) || addResult(inner, source);
  if (!isUnderstood)
    source.unknown = &inner;
}

/// From `T *` to `void *` and back.
bool PointerCollector::addCast(const Expr &pointer, Source &source) {
  const auto *cast = dyn_cast<CastExpr>(&pointer);
  if (!cast || !pointedTo(cast->getType()))
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
    addTypeText(star.getPointeeLoc(), source);
  }
  addSource(*cast->getSubExpr(), source);
  return true;
}

/// `&pointer[i]`, `&*pointer`, `++pointer`.
bool PointerCollector::addOperand(const Expr &pointer, Source &source) {
  const auto *operation = dyn_cast<UnaryOperator>(&pointer);
  if (!operation)
    return false;
  const Expr *operand = operation->getSubExpr()->IgnoreParens();
  if (operation->isIncrementDecrementOp()) {
    addSource(*operand, source);
    return true;
  }
  const auto *element = dyn_cast<ArraySubscriptExpr>(operand);
  const auto *pointed = dyn_cast<UnaryOperator>(operand);
  if (operation->getOpcode() != UO_AddrOf ||
      !(element || (pointed && pointed->getOpcode() == UO_Deref)))
    return false;
  understood.insert(operand);
  addSource(element ? *element->getBase() : *pointed->getSubExpr(), source);
  return true;
}

bool PointerCollector::addNew(const Expr &pointer, Source &source) {
  const auto *made = dyn_cast<CXXNewExpr>(&pointer);
  if (!made || !pointedTo(made->getType()) || made->getNumPlacementArgs() > 0)
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
  addTypeText(made->getAllocatedTypeSourceInfo()->getTypeLoc(), source);
  return true;
}

bool PointerCollector::addResult(const Expr &pointer, Source &source) {
  const auto *call = dyn_cast<CallExpr>(&pointer);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee)
    return false;
  if (llvm::is_contained(allocators, nameOf(*callee))) {
    addAllocation(*call, source);
    return true;
  }
  if (!isFollowed(callee) || !pointedTo(callee->getReturnType()))
    return false;
  const std::string key = keyOfResult(*callee);
  nodeOf(key).kind = PointerNode::Kind::result;
  source.nodes.insert(key);
  return true;
}

/// Memory that is as large as so many locks: `calloc(n, sizeof(pthread_mutex_t))`.
void PointerCollector::addAllocation(const CallExpr &call, Source &source) {
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
    addTypeText(size->getArgumentTypeInfo()->getTypeLoc(), source);
    return;
  }
  const Expr *lock = size->getArgumentExpr()->IgnoreParens();
  const auto *pointed = dyn_cast<UnaryOperator>(lock);
  if (pointed && pointed->getOpcode() == UO_Deref) {
    understood.insert(lock);
    addSource(*pointed->getSubExpr(), source);
  } else {
    source.unknown = &call;
  }
}

void PointerCollector::flow(const std::string &target, const Expr &pointer) {
  Source source = sourceOf(pointer);
  for (const std::string &node : source.nodes)
    program.pointerFlow.edges.emplace(node, target);
  for (LockUse &edit : source.edits)
    add(target, std::move(edit));
  PointerNode &node = nodeOf(target);
  node.isNewed |= source.isNewed;
  node.isMalloced |= source.isMalloced;
  if (source.unknown)
    add(target, gatedAt(source.unknown->getBeginLoc(), Gate::pointerOrigin, "from here"));
}

void PointerCollector::look(const Expr &pointer) {
  if (!pointedTo(pointer.IgnoreParenImpCasts()->getType()))
    return;
  Source source = sourceOf(pointer);
  for (const std::string &node : source.nodes) {
    program.pointerFlow.edges.emplace(node, *source.nodes.begin());
    for (const LockUse &edit : source.edits)
      add(node, edit);
  }
}

/// A call that does something with the lock.
void PointerCollector::use(const CallExpr &call, const Expr &pointer) {
  Source source = sourceOf(pointer);
  if (source.nodes.empty())
    return;
  const std::string &key = *source.nodes.begin();
  for (const std::string &node : source.nodes)
    program.pointerFlow.edges.emplace(node, key);
  for (LockUse &edit : source.edits)
    add(key, std::move(edit));
  if (source.unknown)
    add(key, gatedAt(source.unknown->getBeginLoc(), Gate::pointerOrigin, "from here"));
  const auto *member = dyn_cast<CXXMemberCallExpr>(&call);
  const auto type = pointedTo(pointer.getType());
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
  const Source source = sourceOf(pointer);
  const auto type = pointedTo(pointer.getType());
  if (source.nodes.empty() || !type)
    return;
  const std::string &key = *source.nodes.begin();
  for (const std::string &node : source.nodes)
    program.pointerFlow.edges.emplace(node, key);
  for (const LockUse &edit : source.edits)
    add(key, edit);
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
  if (const auto type = pointedTo(operation->getSubExpr()->getType());
      type && operation->getOpcode() == UO_Deref && type->family != LockFamily::other)
    lvalues.push_back({operation, operation->getSubExpr(), current});
  return true;
}

bool PointerCollector::VisitArraySubscriptExpr(ArraySubscriptExpr *element) {
  if (const auto type = pointedTo(element->getBase()->getType());
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
  if (const std::string key = nodeFor(*target); !key.empty()) {
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

/// Is it a function of the program's own, that is called by its name?
bool PointerCollector::isFollowed(const FunctionDecl *callee) const {
  return callee && !isVirtual(*callee) && !callee->getBuiltinID() &&
         !sources.isInSystemHeader(callee->getLocation());
}

void PointerCollector::passArguments(const FunctionDecl &callee,
                                     llvm::ArrayRef<const Expr *> arguments) {
  for (std::size_t i = 0; i < arguments.size() && i < callee.getNumParams(); ++i) {
    const ParmVarDecl &parameter = *callee.getParamDecl(static_cast<unsigned>(i));
    if (!pointedTo(parameter.getType()) || isa<CXXDefaultArgExpr>(arguments[i]))
      continue;
    const std::string key = keyOfName(parameter);
    nodeOf(key).kind = PointerNode::Kind::parameter;
    flow(key, *arguments[i]);
  }
}

bool PointerCollector::VisitCallExpr(CallExpr *call) {
  understood.insert(call->getCallee()->IgnoreParenImpCasts());
  const auto *member = dyn_cast<CXXMemberCallExpr>(call);
  if (const Expr *object = member ? member->getImplicitObjectArgument() : nullptr;
      object && pointedTo(object->getType())) {
    use(*call, *object);
    return true;
  }
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee)
    return true;
  const llvm::StringRef name = nameOf(*callee);
  if (isFollowed(callee)) {
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
    if (!pointedTo(given->getType()))
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
  if (isFollowed(construct->getConstructor()))
    passArguments(*construct->getConstructor(),
                  llvm::ArrayRef(construct->getArgs(), construct->getNumArgs()));
  return true;
}

bool PointerCollector::VisitCXXDeleteExpr(CXXDeleteExpr *expression) {
  look(*expression->getArgument());
  return true;
}

bool PointerCollector::VisitReturnStmt(ReturnStmt *statement) {
  if (statement->getRetValue() && current && pointedTo(current->getReturnType()))
    flow(keyOfResult(*current), *statement->getRetValue());
  return true;
}

} // namespace qdadvise
