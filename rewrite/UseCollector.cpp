// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/UseCollector.h"

#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/DeclNames.h"
#include "plugin/locksets/LockNames.h"
#include "rewrite/sections/GuardedRest.h"
#include "rewrite/uses/Locations.h"
#include "rewrite/uses/LockTypes.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace clang;

namespace qdadvise {
namespace {

/// Functions of the C library that write bytes over an object, or read them.
constexpr llvm::StringRef byteFunctions[] = {
    "memcpy", "memmove", "mempcpy", "memccpy", "memset", "bcopy", "bzero",       "realloc",
    "read",   "write",   "fread",   "fwrite",  "send",   "recv",  "reallocarray"};

} // namespace

void UseCollector::run() {
  TraverseDecl(context.getTranslationUnitDecl());
  for (const auto &[guard, use] : guardUses)
    if (const auto found = locksOfGuards.find(guard); found != locksOfGuards.end()) {
      const TextRange at = placeOfUse(guard->getBeginLoc(), context);
      program.usedGuards.emplace(std::pair(at.file, at.offset), use.text);
      for (const std::string &key : found->second)
        program.add(key, use);
    }
  // What the pattern of a template says of a place holds for its instances, too.
  for (const auto &[key, found] : inInstances)
    for (const LockUse &use : found)
      if (const std::vector<LockUse> &known = program.locks[key].uses;
          !std::binary_search(known.begin(), known.end(), use))
        program.add(key, gatedHere(SourceLocation(), Gate::templateCode, ""));
  gateTogether([&](const std::string &key, const LockUse &use) { program.add(key, use); });
}

bool UseCollector::isOfTemplate(const Decl &decl) {
  if (const auto *function = dyn_cast<FunctionDecl>(&decl))
    return function->isTemplateInstantiation();
  if (const auto *variable = dyn_cast<VarDecl>(&decl))
    return isTemplateInstantiation(variable->getTemplateSpecializationKind());
  const auto *record = dyn_cast<ClassTemplateSpecializationDecl>(&decl);
  return record && isTemplateInstantiation(record->getSpecializationKind());
}

bool UseCollector::TraverseAttr(Attr *attribute) {
  const bool outer = inAttribute;
  inAttribute = true;
  const bool goOn = Base::TraverseAttr(attribute);
  inAttribute = outer;
  return goOn;
}

void UseCollector::addUse(const std::string &key, LockUse use) {
  if (inAttribute)
    use = gatedHere(SourceLocation(), Gate::attribute, "");
  if (inTemplate)
    inInstances[key].insert(std::move(use));
  else
    program.add(key, use);
}

bool UseCollector::VisitDeclaratorDecl(DeclaratorDecl *declarator) {
  if (isa<VarDecl, FieldDecl>(declarator) && declarator->getIdentifier()) {
    QualType type = declarator->getType().getNonReferenceType();
    while (!type->getPointeeType().isNull())
      type = type->getPointeeType();
    const Type *element = type->getBaseElementTypeUnsafe();
    if (const RecordDecl *record = element->getAsRecordDecl())
      program.recordsOf[declarator->getName().str()].insert(placeOf(*record));
  }
  if (declarator->isImplicit() || isa<ParmVarDecl>(declarator) ||
      !isa<VarDecl, FieldDecl>(declarator))
    return true;
  noteType(*declarator);
  if (const QualType pointed = declarator->getType()->getPointeeType();
      !pointed.isNull() && pointed->isRecordType())
    program.pointers.insert(declarationName(*declarator));
  const LockType type = lockTypeOf(declarator->getType(), context);
  if (type.family == LockFamily::other)
    return true;
  const std::string key = addDeclaration(*declarator, type);
  noteType(*declarator, key);
  if (const auto *variable = dyn_cast<VarDecl>(declarator)) {
    if (variable->hasInit() && variable->getInitializingDeclaration() == variable)
      addInitialiser(key, *variable->getInit(), /*isAlone=*/true);
  } else if (const auto *field = cast<FieldDecl>(declarator); field->hasInClassInitializer()) {
    if (const Expr *initialiser = field->getInClassInitializer())
      addInitialiser(key, *initialiser, /*isAlone=*/true);
  }
  return true;
}

std::string UseCollector::addDeclaration(const DeclaratorDecl &declarator, const LockType &type) {
  std::string key = keyOf(declarator);
  ProgramLock &lock = program.locks[key];
  if (lock.name.empty()) {
    lock.name = declarationName(declarator);
    lock.type = type.name;
    lock.family = type.family;
    lock.place = placeOfUse(declarator.getLocation(), context);
  }
  if (const auto *field = dyn_cast<FieldDecl>(&declarator))
    lock.record = placeOf(*field->getParent());
  const LangOptions &language = context.getLangOpts();
  lock.isBefore17 |= language.CPlusPlus && !language.CPlusPlus17;
  if (const auto *variable = dyn_cast<VarDecl>(&declarator))
    lock.isStatic = variable->hasGlobalStorage() && variable->getTLSKind() == VarDecl::TLS_None;
  else if (const auto *field = dyn_cast<FieldDecl>(&declarator); field && !lock.destructor)
    if (const auto waiting = waitingDestructor(*field, context)) {
      lock.destructor = waiting->at;
      lock.destructorText = waiting->text;
    }
  if (const std::size_t scope = lock.name.rfind("::");
      isa<FieldDecl>(declarator) && scope != std::string::npos)
    program.innerLocks[lock.name.substr(0, scope)].insert(key);
  const TextRange here = placeOfUse(declarator.getLocation(), context);
  lock.places.emplace(here.file, here.line);
  (context.getLangOpts().CPlusPlus ? lock.inCxx : lock.inC) = true;
  if (lock.type != type.name)
    program.add(key, gatedHere(declarator.getLocation(), Gate::declaration, "it has two types"));
  if (type.gate)
    program.add(key, gatedHere(declarator.getLocation(), *type.gate, type.name));
  if (inTemplate || declarator.getDeclContext()->isDependentContext())
    program.add(key,
                gatedHere(declarator.getLocation(), Gate::templateCode, "it is declared there"));
  else
    program.add(key, declarationUse(declarator));
  return key;
}

LockUse UseCollector::declarationUse(const DeclaratorDecl &declarator) const {
  const auto *field = dyn_cast<FieldDecl>(&declarator);
  if (field && field->getParent()->isUnion())
    return gatedHere(declarator.getLocation(), Gate::declaration, "it is in a union");
  if (!declarator.getTypeSourceInfo())
    return gatedHere(declarator.getLocation(), Gate::declaration, "its type is not written");
  TypeLoc type = declarator.getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc();
  while (const auto array = type.getAs<ArrayTypeLoc>())
    type = array.getElementLoc().getUnqualifiedLoc();
  if (type.getAs<AutoTypeLoc>() || type.getAs<DecltypeTypeLoc>() || type.getAs<TypeOfTypeLoc>() ||
      type.getAs<TypeOfExprTypeLoc>() || type.getAs<ParenTypeLoc>())
    return gatedHere(declarator.getLocation(), Gate::declaration, "its type is not written");
  const auto text = textOf(type.getSourceRange(), context);
  if (!text)
    return gatedHere(declarator.getLocation(), Gate::macro, "its declaration");
  LockUse use;
  use.kind = LockUse::Kind::declaration;
  use.text = *text;
  const SourceRange range = declarator.getSourceRange();
  if (const auto whole = textOf({sources.getExpansionLoc(range.getBegin()),
                                 sources.getExpansionRange(range.getEnd()).getEnd()},
                                context))
    use.whole = *whole;
  return use;
}

/// The initialiser of a lock or of an array of locks.
void UseCollector::addInitialiser(const std::string &key, const Expr &initialiser, bool isAlone) {
  const Expr &value = *initialiser.IgnoreImplicit();
  if (isa<ImplicitValueInitExpr, CXXDefaultInitExpr, CXXScalarValueInitExpr>(value))
    return;
  if (const auto *construct = dyn_cast<CXXConstructExpr>(&value);
      construct && construct->getNumArgs() == 0)
    return;
  const SourceLocation at = value.getBeginLoc();
  if (const auto macro = macroAround(value.getSourceRange(), context)) {
    addUse(key, initialiserUse(*macro, at, isAlone));
    return;
  }
  const auto *list = dyn_cast<InitListExpr>(&value);
  if (list && list->getType()->isArrayType()) {
    for (const Expr *element : list->inits())
      addInitialiser(key, *element, /*isAlone=*/false);
    return;
  }
  addUse(key, gatedHere(at, Gate::initialiser, ""));
}

LockUse UseCollector::initialiserUse(const MacroUse &macro, SourceLocation in, bool isAlone) const {
  const llvm::StringRef name = macro.name;
  const bool isPlain = name == "PTHREAD_MUTEX_INITIALIZER" || name == "PTHREAD_RWLOCK_INITIALIZER";
  const bool isAdaptive = name == "PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP";
  const bool isOurs = name.starts_with("QDADVISE_") && name.ends_with("_INITIALIZER");
  if (name.contains("RECURSIVE"))
    return gatedHere(in, Gate::recursion, macro.name);
  if (!isPlain && !isAdaptive && !isOurs)
    return gatedHere(in, Gate::initialiser, "'" + macro.name + "'");
  LockUse use;
  use.kind = LockUse::Kind::element;
  use.text = use.whole = macro.text;
  use.isAdaptive = isAdaptive;
  if (!isAlone)
    return use;
  const llvm::StringRef file =
      sources.getBufferData(sources.getFileID(sources.getExpansionLoc(in)));
  const llvm::StringRef before = file.take_front(macro.text.offset).rtrim();
  if (!before.ends_with("="))
    return before.ends_with("{") ? use : gatedHere(in, Gate::initialiser, "'" + macro.name + "'");
  use.kind = LockUse::Kind::initialiser;
  use.whole.offset = static_cast<unsigned>(before.drop_back().rtrim().size());
  use.whole.length = macro.text.end() - use.whole.offset;
  return use;
}

bool UseCollector::VisitCXXConstructorDecl(CXXConstructorDecl *constructor) {
  for (const CXXCtorInitializer *initialiser : constructor->inits()) {
    const FieldDecl *field = initialiser->getMember();
    if (!field || !initialiser->isWritten() || !initialiser->getInit() ||
        lockTypeOf(field->getType(), context).family == LockFamily::other)
      continue;
    const Expr &value = *initialiser->getInit()->IgnoreImplicit();
    const auto *construct = dyn_cast<CXXConstructExpr>(&value);
    if (isa<ImplicitValueInitExpr, CXXDefaultInitExpr>(value) ||
        (construct && construct->getNumArgs() == 0))
      continue;
    addUse(keyOf(*field), gatedHere(initialiser->getSourceLocation(), Gate::initialiser, ""));
  }
  return true;
}

bool UseCollector::VisitInitListExpr(InitListExpr *list) {
  const RecordDecl *record = list->getType()->getAsRecordDecl();
  if (!list->isSemanticForm() || !record || record->isUnion())
    return true;
  unsigned number = 0;
  if (const auto *derived = dyn_cast<CXXRecordDecl>(record))
    number = derived->getNumBases();
  for (const FieldDecl *field : record->fields()) {
    if (field->isUnnamedBitField())
      continue;
    if (number >= list->getNumInits())
      break;
    const Expr *value = list->getInit(number++);
    if (value && lockTypeOf(field->getType(), context).family != LockFamily::other &&
        !sources.isInSystemHeader(field->getLocation()))
      addInitialiser(keyOf(*field), *value, /*isAlone=*/false);
  }
  return true;
}

void UseCollector::addName(const Expr &name, const ValueDecl &named) {
  if (isa<ParmVarDecl>(named) || sources.isInSystemHeader(named.getLocation()))
    return;
  const LockType type = lockTypeOf(named.getType(), context);
  if (type.family == LockFamily::other)
    return;
  UseInContext found = uses.ofLock(name, type);
  // Nobody but a constructor knows that its members are new. A variable always was constructed.
  found.use.inConstructor &= current && isa<CXXConstructorDecl>(current);
  found.use.inConstructor |= isa<VarDecl>(named);
  if (found.use.kind == LockUse::Kind::plain)
    found.use.text = placeOfUse(name.getExprLoc(), context);
  const std::string key = keyOf(named);
  (context.getLangOpts().CPlusPlus ? program.locks[key].inCxx : program.locks[key].inC) = true;
  if (found.guard)
    locksOfGuards[found.guard].insert(key);
  addUse(key, std::move(found.use));
}

/// A name in a macro: what it means is known where the macro is used.
void UseCollector::addResolved(SourceLocation name) {
  if (!name.isMacroID())
    return;
  const SourceLocation spelled = sources.getSpellingLoc(name);
  program.resolved.emplace(pathOf(sources.getFileID(spelled), sources),
                           sources.getFileOffset(spelled));
}

bool UseCollector::VisitDeclRefExpr(DeclRefExpr *name) {
  addResolved(name->getLocation());
  const ValueDecl *named = name->getDecl();
  if (isa<VarDecl, FieldDecl>(named))
    addName(*name, *named);
  if (const auto *variable = dyn_cast<VarDecl>(named))
    if (const CXXRecordDecl *record = variable->getType()->getAsCXXRecordDecl();
        record && isStandardGuard(*record))
      guardUses.emplace_back(variable, uses.ofGuard(*name));
  return true;
}

bool UseCollector::VisitMemberExpr(MemberExpr *name) {
  addResolved(name->getMemberLoc());
  addName(*name, *name->getMemberDecl());
  return true;
}

bool UseCollector::VisitOffsetOfExpr(OffsetOfExpr *offset) {
  for (unsigned i = 0; i < offset->getNumComponents(); ++i)
    if (const OffsetOfNode &node = offset->getComponent(i); node.getKind() == OffsetOfNode::Field)
      if (lockTypeOf(node.getField()->getType(), context).family != LockFamily::other)
        addUse(keyOf(*node.getField()),
               gatedHere(offset->getBeginLoc(), Gate::addressTaken, "offsetof"));
  return true;
}

bool UseCollector::VisitCXXDependentScopeMemberExpr(CXXDependentScopeMemberExpr *name) {
  Mention mention;
  mention.name = name->getMember().getAsString();
  mention.text = placeOfUse(name->getMemberLoc(), context);
  mention.gate = Gate::templateCode;
  program.mentions.insert(std::move(mention));
  return true;
}

/// The locks that an object has in itself, in the order of their keys.
const UseCollector::Locks &UseCollector::locksIn(const RecordDecl &given) {
  const RecordDecl *record = given.getDefinition();
  static const Locks none;
  if (!record || sources.isInSystemHeader(record->getLocation()))
    return none;
  if (const auto known = contained.find(record); known != contained.end())
    return known->second;
  contained[record]; // a class cannot hold itself, but may be broken
  Locks found;
  if (const auto *derived = dyn_cast<CXXRecordDecl>(record))
    for (const CXXBaseSpecifier &base : derived->bases())
      if (const CXXRecordDecl *inner = base.getType()->getAsCXXRecordDecl())
        found.insert(locksIn(*inner).begin(), locksIn(*inner).end());
  for (const FieldDecl *field : record->fields()) {
    if (lockTypeOf(field->getType(), context).family != LockFamily::other) {
      found.emplace(keyOf(*field), field);
      continue;
    }
    const Type *element = field->getType()->getBaseElementTypeUnsafe();
    if (const RecordDecl *inner = element->getAsRecordDecl())
      found.insert(locksIn(*inner).begin(), locksIn(*inner).end());
  }
  return contained[record] = std::move(found);
}

void UseCollector::addCopy(const Expr &at, const RecordDecl *record, const char *how) {
  if (record)
    for (const auto &[key, field] : locksIn(*record))
      addUse(key, gatedHere(at.getBeginLoc(), Gate::bytesCopied, how));
}

bool UseCollector::VisitCallExpr(CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee)
    return true;
  if (const auto *assignment = dyn_cast<CXXMethodDecl>(callee);
      assignment && assignment->isDefaulted() &&
      (assignment->isCopyAssignmentOperator() || assignment->isMoveAssignmentOperator()))
    addCopy(*call, assignment->getParent(), "it is assigned to");
  llvm::StringRef name = nameOf(*callee);
  name.consume_front("__builtin_");
  if (!llvm::is_contained(byteFunctions, name))
    return true;
  // All bytes zero is a free lock, of every type; in C++ a class is not written over.
  const bool isReset = name == "memset" && call->getNumArgs() == 3 &&
                       !context.getLangOpts().CPlusPlus &&
                       call->getArg(1)->isIntegerConstantExpr(context) &&
                       call->getArg(1)->EvaluateKnownConstInt(context).isZero();
  if (isReset)
    return true;
  for (const Expr *argument : call->arguments()) {
    const QualType type = argument->IgnoreParenCasts()->getType();
    if (type->isPointerType() || type->isArrayType())
      addCopy(*argument, type->getPointeeOrArrayElementType()->getAsRecordDecl(), "as bytes");
  }
  return true;
}

bool UseCollector::VisitImplicitCastExpr(ImplicitCastExpr *cast) {
  if (cast->getCastKind() == CK_LValueToRValue && cast->getType()->isRecordType())
    addCopy(*cast, cast->getType()->getAsRecordDecl(), "it is copied");
  return true;
}

bool UseCollector::VisitCXXConstructExpr(CXXConstructExpr *construct) {
  const CXXConstructorDecl *constructor = construct->getConstructor();
  if (constructor->isCopyOrMoveConstructor() && constructor->isDefaulted())
    addCopy(*construct, constructor->getParent(), "it is copied");
  return true;
}

} // namespace qdadvise
