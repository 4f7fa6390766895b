// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/UseContext.h"

#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/DeclNames.h"
#include "plugin/ast/Expressions.h"
#include "plugin/locksets/LockNames.h"
#include "rewrite/sections/CallSection.h"
#include "rewrite/sections/GuardedRest.h"
#include "rewrite/uses/Locations.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include <utility>

using namespace clang;

namespace qdadvise {
namespace {

/// What a thread may do with a guard that stays where it is.
constexpr llvm::StringRef guardMembers[] = {"lock", "unlock", "try_lock", "owns_lock"};
// And with what they are given: a pointer to the lock, that nobody may look at.
constexpr llvm::StringRef guardRelease = "release";

std::string nameOfCallee(const FunctionDecl *callee) {
  return callee ? "'" + functionName(*callee) + "'" : "a function that is called by a pointer";
}

/// Is the call all that the macro is in which it begins?
bool isWholeMacro(const Expr &call, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  SourceLocation begin, end;
  return Lexer::isAtStartOfMacroExpansion(call.getBeginLoc(), sources, context.getLangOpts(),
                                          &begin) &&
         Lexer::isAtEndOfMacroExpansion(call.getEndLoc(), sources, context.getLangOpts(), &end) &&
         begin.isFileID() && end.isFileID();
}

/// Is it the name of an array, that stands for a pointer?
bool isDecayed(const Expr &pointer) {
  const auto *cast = dyn_cast<ImplicitCastExpr>(pointer.IgnoreParens());
  return cast && cast->getCastKind() == CK_ArrayToPointerDecay;
}

bool hasComment(llvm::StringRef text) { return text.contains("/*") || text.contains("//"); }

} // namespace

const Stmt *UseContext::parentOf(const Stmt &node) const {
  const auto parents = context.getParents(node);
  return parents.size() == 1 ? parents[0].get<Stmt>() : nullptr;
}

/// Is it the initialiser of a variable that is a reference or a pointer?
bool UseContext::isReferredTo(const Expr &lock) const {
  const auto parents = context.getParents(lock);
  const auto *variable = parents.size() == 1 ? parents[0].get<VarDecl>() : nullptr;
  return variable &&
         (variable->getType()->isReferenceType() || variable->getType()->isPointerType());
}

LockUse UseContext::gated(const Expr &at, Gate gate, std::string detail) const {
  return gatedAt(at.getBeginLoc(), gate, std::move(detail), context);
}

UseInContext UseContext::ofLock(const Expr &name, const LockType &type) const {
  const Expr *lock = &name;
  bool isPointer = false; // the array that it is in, as a pointer to its first element
  const Stmt *parent = parentOf(*lock);
  for (;; parent = parentOf(*lock)) {
    if (const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(parent)) {
      if (cast->getCastKind() == CK_LValueToRValue)
        return {gated(name, Gate::bytesCopied, "its value is read")};
      if (cast->getCastKind() == CK_ArrayToPointerDecay)
        isPointer = true;
      else if (cast->getCastKind() != CK_NoOp && cast->getCastKind() != CK_UncheckedDerivedToBase)
        break;
      lock = cast;
      continue;
    }
    const auto *element = dyn_cast_or_null<ArraySubscriptExpr>(parent);
    if (element && isPointer && element->getBase() == lock)
      isPointer = false;
    else if (!isa_and_nonnull<ParenExpr>(parent))
      break;
    lock = cast<Expr>(parent);
  }
  if (!parent)
    return {isReferredTo(*lock) ? gated(name, Gate::addressTaken, "by a reference")
                                : gated(name, Gate::unknownUse, "it is named here")};
  if (isPointer)
    return {ofArgument(*lock, *parent, type, /*isAddress=*/true)};
  if (const auto *address = dyn_cast<UnaryOperator>(parent);
      address && address->getOpcode() == UO_AddrOf)
    return {ofAddress(*address, type)};
  if (const auto *member = dyn_cast<MemberExpr>(parent))
    if (const auto *call = dyn_cast_or_null<CXXMemberCallExpr>(parentOf(*member)))
      return {ofMember(*call)};
  if (const auto *construct = dyn_cast<CXXConstructExpr>(parent))
    return ofConstruction(*construct, *lock);
  if (isa<LambdaExpr>(parent)) { // captured by reference: it cannot be copied
    LockUse use;
    use.text = placeOfUse(name.getBeginLoc(), context);
    return {use};
  }
  return {ofArgument(*lock, *parent, type, /*isAddress=*/false)};
}

/// The lock is an argument of `call`, or stands in something that is no call.
LockUse UseContext::ofArgument(const Expr &argument, const Stmt &parent, const LockType &type,
                               bool isAddress) const {
  const auto *call = dyn_cast<CallExpr>(&parent);
  if (!call)
    return gated(argument,
                 isa<ReturnStmt, DeclStmt, BinaryOperator, InitListExpr, CStyleCastExpr,
                     CXXNamedCastExpr, ImplicitCastExpr, ConditionalOperator>(parent)
                     ? Gate::addressTaken
                     : Gate::unknownUse,
                 isAddress ? "its address is taken" : "it is named here");
  const FunctionDecl *callee = call->getDirectCallee();
  const std::optional<LockOperation> operation =
      callee ? api.lockOperationOf(*callee) : std::nullopt;
  if (operation && operation->role == SiteRole::wait)
    return gated(argument, Gate::conditionVariable, nameOfCallee(callee));
  if (callee && nameOf(*callee).starts_with("pthread_cond_"))
    return gated(argument, Gate::conditionVariable, nameOfCallee(callee));
  if (isAddress && operation && call->getNumArgs() > 0 &&
      argument.IgnoreParenImpCasts() == call->getArg(0)->IgnoreParenImpCasts() &&
      (type.family == LockFamily::mutex || type.family == LockFamily::rwlock))
    return ofCall(*call, argument, *operation);
  if (!isAddress && callee && isMemberOfNamespace(*callee, "std") &&
      (nameOf(*callee) == "lock" || nameOf(*callee) == "try_lock")) {
    LockUse use;
    use.text = placeOfUse(argument.getBeginLoc(), context);
    return use;
  }
  const bool isOfMutex = callee && nameOf(*callee).starts_with("pthread_mutex");
  return gated(argument, isOfMutex ? Gate::mutexAttributes : Gate::handedOn, nameOfCallee(callee));
}

LockUse UseContext::ofPointer(const CallExpr &call, const Expr &pointer,
                              const LockType &type) const {
  return ofArgument(pointer, call, type, /*isAddress=*/true);
}

LockUse UseContext::ofArrow(const CXXMemberCallExpr &call) const {
  LockUse use = ofMember(call);
  use.section.reset(); // an operation is one of a lock with a name
  return use;
}

LockUse UseContext::ofAddress(const Expr &address, const LockType &type) const {
  const Expr *pointer = &address;
  const Stmt *parent = parentOf(*pointer);
  while (parent &&
         (isa<ParenExpr>(parent) || (isa<ImplicitCastExpr>(parent) &&
                                     cast<ImplicitCastExpr>(parent)->getCastKind() == CK_NoOp))) {
    pointer = cast<Expr>(parent);
    parent = parentOf(*pointer);
  }
  return parent ? ofArgument(*pointer, *parent, type, /*isAddress=*/true)
                : gated(address, Gate::addressTaken, "its address is taken");
}

/// The statement that a call is, if nobody looks at its value; else null.
const Stmt *UseContext::unusedStatement(const Expr &call) const {
  const Stmt *node = &call;
  const Stmt *parent = parentOf(*node);
  while (parent) {
    const auto *cast = dyn_cast<CStyleCastExpr>(parent);
    if (!isa<ExprWithCleanups, ParenExpr>(parent) && !(cast && cast->getCastKind() == CK_ToVoid))
      break;
    node = parent;
    parent = parentOf(*node);
  }
  if (!parent)
    return nullptr;
  if (isa<CompoundStmt>(parent))
    return isa_and_nonnull<StmtExpr>(parentOf(*parent)) ? nullptr : node;
  if (const auto *label = dyn_cast<SwitchCase>(parent))
    return node == label->getSubStmt() ? node : nullptr;
  if (isa<LabelStmt>(parent))
    return isa_and_nonnull<CompoundStmt>(parentOf(*parent)) ? node : nullptr;
  if (const auto *loop = dyn_cast<DoStmt>(parent))
    return node == loop->getBody() ? node : nullptr;
  if (const auto *loop = dyn_cast<CXXForRangeStmt>(parent))
    return node == loop->getBody() ? node : nullptr;
  if (const auto *branch = dyn_cast<IfStmt>(parent))
    return node != branch->getCond() && node != branch->getInit() ? node : nullptr;
  if (const auto *loop = dyn_cast<WhileStmt>(parent))
    return node == loop->getBody() ? node : nullptr;
  if (const auto *loop = dyn_cast<ForStmt>(parent))
    return node == loop->getBody() ? node : nullptr;
  return nullptr;
}

/// Is the value only asked whether it is 0?
bool UseContext::isTruth(const Expr &call) const {
  const Stmt *node = &call;
  const Stmt *parent = parentOf(*node);
  while (parent && (isa<ParenExpr>(parent) || isa<ImplicitCastExpr>(parent))) {
    node = parent;
    parent = parentOf(*node);
  }
  if (const auto *branch = dyn_cast_or_null<IfStmt>(parent))
    return node == branch->getCond();
  if (const auto *loop = dyn_cast_or_null<WhileStmt>(parent))
    return node == loop->getCond();
  if (const auto *loop = dyn_cast_or_null<DoStmt>(parent))
    return node == loop->getCond();
  if (const auto *negation = dyn_cast_or_null<UnaryOperator>(parent))
    return negation->getOpcode() == UO_LNot;
  const auto *both = dyn_cast_or_null<BinaryOperator>(parent);
  return both && both->isLogicalOp();
}

LockUse UseContext::ofCall(const CallExpr &call, const Expr &lock,
                           const LockOperation &operation) const {
  const std::string callee = nameOfCallee(call.getDirectCallee());
  if (operation.flags & siteTimed)
    return gated(call, Gate::timedOperation, callee);
  LockUse use;
  use.kind = LockUse::Kind::call;
  use.isShared = operation.flags & siteShared;
  if (operation.role == SiteRole::acquire) {
    use.verb = operation.flags & siteTry ? LockVerb::tryLock : LockVerb::lock;
  } else if (operation.role == SiteRole::release) {
    use.verb = LockVerb::unlock;
  } else if (operation.role == SiteRole::lifetime && call.getNumArgs() == 2) {
    use.verb = LockVerb::initialise;
    use.isAdaptive = isAdaptiveInit(call);
    if (constantOf(*call.getArg(1), context) != 0 && !use.isAdaptive)
      return gated(call, Gate::mutexAttributes, callee);
  } else if (operation.role == SiteRole::lifetime && call.getNumArgs() == 1) {
    use.verb = LockVerb::destroy;
  } else {
    return gated(call, Gate::unknownUse, callee);
  }
  const Stmt *statement = unusedStatement(call);
  use.isStatement = statement != nullptr;
  use.isTruth = isTruth(call);
  use.inBlock = statement && isa_and_nonnull<CompoundStmt>(parentOf(*statement));
  auto text = textOf(call.getSourceRange(), context);
  auto name = textOf(call.getCallee()->getSourceRange(), context);
  auto whole = textOf(statement ? statement->getSourceRange() : call.getSourceRange(), context);
  if (const auto macro = macroAround(call.getSourceRange(), context);
      !text && macro && isWholeMacro(call, context)) {
    use.isMacro = true;
    text = name = macro->text;
    whole = statement == &call ? text : whole;
  }
  const Expr *named = lock.IgnoreParenImpCasts();
  const auto *address = dyn_cast<UnaryOperator>(named);
  auto lockText = textOf(
      inFile(address ? address->getSubExpr()->getSourceRange() : named->getSourceRange(), context),
      context);
  if (!text || !name || !whole || !lockText || lockText->offset < text->offset) {
    LockUse inMacro = gated(call, Gate::macro, callee);
    inMacro.verb = use.verb;
    return inMacro;
  }
  use.text = *text;
  use.callee = *name;
  use.whole = *whole;
  use.lock = spelled(*lockText, call.getBeginLoc(), context).str();
  if (!address && isDecayed(lock)) { // an array as a pointer to its first
    use.lock += "[0]";
  } else if (!address) {
    use.pointer = std::exchange(use.lock, "");
    use.pointerText = *lockText;
  }
  use.test = testOf(call);
  const llvm::StringRef all = spelled(*text, call.getBeginLoc(), context);
  use.commentInside = hasComment(all.take_front(lockText->offset - text->offset)) ||
                      hasComment(all.drop_front(lockText->end() - text->offset));
  const auto *member =
      dyn_cast<MemberExpr>((address ? address->getSubExpr() : named)->IgnoreParenImpCasts());
  use.inConstructor = member && isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
  if (use.verb == LockVerb::lock && use.pointer.empty())
    use.section = sectionAt(call, statement, lock, use.lock);
  return use;
}

/// The `if` of `if (pthread_mutex_init(…) != 0) throw …;`, which says what happens where it fails,
/// and nothing else.
std::optional<TextRange> UseContext::testOf(const CallExpr &call) const {
  const Stmt *node = &call;
  const Stmt *parent = parentOf(*node);
  for (; isa_and_nonnull<ParenExpr, ImplicitCastExpr>(parent); parent = parentOf(*node))
    node = parent;
  if (const auto *comparison = dyn_cast_or_null<BinaryOperator>(parent);
      comparison && comparison->getOpcode() == BO_NE && node == comparison->getLHS() &&
      constantOf(*comparison->getRHS(), context) == 0) {
    node = parent;
    parent = parentOf(*node);
    for (; isa_and_nonnull<ParenExpr, ImplicitCastExpr>(parent); parent = parentOf(*node))
      node = parent;
  }
  const auto *branch = dyn_cast_or_null<IfStmt>(parent);
  if (!branch || node != branch->getCond() || branch->getElse() || branch->getInit() ||
      branch->getConditionVariable() || !isa_and_nonnull<CompoundStmt>(parentOf(*branch)))
    return std::nullopt;
  const auto text = textOf(branch->getSourceRange(), context);
  if (!text || hasComment(spelled(*text, call.getBeginLoc(), context)))
    return std::nullopt;
  return text;
}

/// The section that a call begins; `statement` is null where somebody looks at its value.
CallSection UseContext::sectionAt(const CallExpr &call, const Stmt *statement, const Expr &lock,
                                  const std::string &lockText) const {
  if (statement && !lockText.empty())
    return callSection(call, *statement, lock, lockText, api, context);
  CallSection none;
  none.gate = Gate::sectionShape;
  none.call = none.place = placeOfUse(call.getBeginLoc(), context);
  none.detail = nameOfCallee(call.getDirectCallee());
  none.access = {"", none.gate, none.place, none.detail};
  return none;
}

/// Is it the middle of the five calls that `apply` writes for an adaptive mutex?
bool UseContext::isAdaptiveInit(const CallExpr &init) const {
  const auto *address = dyn_cast<UnaryOperator>(init.getArg(1)->IgnoreParenImpCasts());
  const auto *name =
      address ? dyn_cast<DeclRefExpr>(address->getSubExpr()->IgnoreParenImpCasts()) : nullptr;
  const auto *block = dyn_cast_or_null<CompoundStmt>(parentOf(init));
  if (!name || !block || block->size() != 5)
    return false;
  constexpr llvm::StringRef expected[] = {"pthread_mutexattr_init", "pthread_mutexattr_settype",
                                          "pthread_mutex_init", "pthread_mutexattr_destroy"};
  const auto *declaration = dyn_cast<DeclStmt>(block->body_begin()[0]);
  if (!declaration || !declaration->isSingleDecl() ||
      declaration->getSingleDecl() != name->getDecl())
    return false;
  for (unsigned i = 0; i < 4; ++i) {
    const auto *call = dyn_cast<CallExpr>(block->body_begin()[i + 1]);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee || nameOf(*callee) != expected[i])
      return false;
    constexpr int adaptive = 3; // PTHREAD_MUTEX_ADAPTIVE_NP
    if (i == 1 && constantOf(*call->getArg(1), context) != adaptive)
      return false;
  }
  return true;
}

LockUse UseContext::ofMember(const CXXMemberCallExpr &call) const {
  const CXXMethodDecl *method = call.getMethodDecl();
  const std::optional<LockOperation> operation =
      method ? api.lockOperationOf(*method) : std::nullopt;
  const std::string callee = nameOfCallee(method);
  if (method && nameOf(*method) == "native_handle")
    return gated(call, Gate::nativeHandle, callee);
  if (method && nameOf(*method).starts_with("delegate"))
    return gated(call, Gate::delegation, callee);
  if (operation && (operation->flags & siteTimed))
    return gated(call, Gate::timedOperation, callee);
  if (!operation || (operation->role != SiteRole::acquire && operation->role != SiteRole::release))
    return gated(call, Gate::unknownUse, callee);
  LockUse use;
  use.text = placeOfUse(call.getBeginLoc(), context);
  use.isShared = operation->flags & siteShared;
  if (operation->role == SiteRole::release) {
    use.verb = LockVerb::unlock;
  } else if (operation->flags & siteTry) {
    use.verb = LockVerb::tryLock;
  } else {
    const Expr *lock = call.getImplicitObjectArgument();
    const auto text = textOf(lock->getSourceRange(), context);
    use.section =
        sectionAt(call, unusedStatement(call), *lock,
                  text ? spelled(*text, call.getBeginLoc(), context).str() : std::string());
  }
  return use;
}

UseInContext UseContext::ofConstruction(const CXXConstructExpr &construct, const Expr &lock) const {
  const CXXRecordDecl &record = *construct.getConstructor()->getParent();
  if (construct.getConstructor()->isCopyOrMoveConstructor())
    return {gated(lock, Gate::bytesCopied, "its value is read")};
  if (!isStandardGuard(record))
    return {gated(lock, Gate::handedOn, nameOfCallee(construct.getConstructor()))};
  unsigned argument = 0; // among those that are locks
  for (const Expr *given : construct.arguments()) {
    if (given->IgnoreParenImpCasts() == lock.IgnoreParenImpCasts())
      break;
    const CXXRecordDecl *tag = given->getType()->getAsCXXRecordDecl();
    argument += tag && nameOf(*tag) == "adopt_lock_t" ? 0 : 1;
  }
  const bool isShared = nameOf(record) == "shared_lock";
  const auto parents = context.getParents(construct);
  const Stmt *outer = nullptr;
  const VarDecl *guard = nullptr;
  for (auto above = parents; above.size() == 1; above = context.getParents(*outer)) {
    guard = above[0].get<VarDecl>();
    outer = above[0].get<Stmt>();
    if (guard || !isa_and_nonnull<ExprWithCleanups>(outer))
      break;
  }
  if (!guard)
    return {gated(lock, Gate::guardType, "the guard is no variable")};
  LockUse use = guardArgument(*guard, argument, lock);
  use.isShared = isShared;
  use.rest = guardedRest(*guard, construct, lock, context);
  return {use, guard};
}

/// The text of the lock's type among the arguments of a guard's template. None where the compiler
/// deduces it.
LockUse UseContext::guardArgument(const VarDecl &guard, unsigned argument, const Expr &at) const {
  LockUse use;
  use.text = placeOfUse(at.getBeginLoc(), context);
  const TypeSourceInfo *written = guard.getTypeSourceInfo();
  if (!written)
    return gated(at, Gate::guardType, "'" + guard.getNameAsString() + "'");
  const TypeLoc type = written->getTypeLoc().getUnqualifiedLoc();
  if (type.getAsAdjusted<DeducedTemplateSpecializationTypeLoc>())
    return use;
  const auto arguments = type.getAsAdjusted<TemplateSpecializationTypeLoc>();
  const CXXRecordDecl *record = guard.getType()->getAsCXXRecordDecl();
  // An alias template has arguments, too.
  if (!arguments || !record || argument >= arguments.getNumArgs() ||
      arguments.getTypePtr()->isTypeAlias())
    return gated(at, Gate::guardType, "'" + guard.getNameAsString() + "'");
  const TemplateArgumentLoc &lock = arguments.getArgLoc(argument);
  if (lock.getArgument().getKind() != TemplateArgument::Type)
    return gated(at, Gate::guardType, "'" + guard.getNameAsString() + "'");
  const auto text = textOf(lock.getSourceRange(), context);
  if (!text)
    return gated(at, Gate::macro, "'" + guard.getNameAsString() + "'");
  // What is said of the lock by its own type stays true.
  if (lock.getTypeSourceInfo()->getTypeLoc().getAs<DecltypeTypeLoc>())
    return use;
  use.kind = LockUse::Kind::guardArgument;
  use.text = *text;
  return use;
}

/// A condition variable of the standard library waits. The one for all locks is a class of its own,
/// and does whatever the other does, but for its native handle.
LockUse UseContext::ofWait(const CallExpr &wait) const {
  const std::string callee = nameOfCallee(wait.getDirectCallee());
  LockUse none = gated(wait, Gate::conditionVariable, callee);
  const auto *member = dyn_cast<CXXMemberCallExpr>(&wait);
  const Expr *object = member ? member->getImplicitObjectArgument() : nullptr;
  if (!object || object->getType()->isPointerType())
    return none;
  const ValueDecl *declared = nullptr;
  if (const auto *named = dyn_cast<DeclRefExpr>(object->IgnoreParenImpCasts()))
    declared = named->getDecl();
  else if (const auto *field = dyn_cast<MemberExpr>(object->IgnoreParenImpCasts()))
    declared = field->getMemberDecl();
  const auto *declarator = dyn_cast_or_null<DeclaratorDecl>(declared);
  const CXXRecordDecl *record = object->getType()->getAsCXXRecordDecl();
  if (!declarator || !record || !declarator->getTypeSourceInfo() ||
      declarator->getType()->isReferenceType())
    return none;
  LockUse use;
  use.text = placeOfUse(wait.getBeginLoc(), context);
  if (nameOf(*record) == "condition_variable_any")
    return use;
  const auto text = textOf(
      declarator->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc().getSourceRange(), context);
  if (!text || !spelled(*text, declarator->getLocation(), context).ends_with("condition_variable"))
    return none;
  use.kind = LockUse::Kind::condition;
  use.text = *text;
  use.detail = callee;
  return use;
}

LockUse UseContext::ofGuard(const Expr &name) const {
  LockUse use;
  use.text = placeOfUse(name.getBeginLoc(), context);
  const Expr *guard = &name;
  const Stmt *parent = parentOf(*guard);
  while (isa_and_nonnull<ParenExpr>(parent) ||
         (isa_and_nonnull<ImplicitCastExpr>(parent) &&
          cast<ImplicitCastExpr>(parent)->getCastKind() == CK_NoOp)) {
    guard = cast<Expr>(parent);
    parent = parentOf(*guard);
  }
  if (const auto *member = dyn_cast_or_null<MemberExpr>(parent)) {
    const auto *call = dyn_cast_or_null<CXXMemberCallExpr>(parentOf(*member));
    const CXXMethodDecl *method = call ? call->getMethodDecl() : nullptr;
    if (!method)
      return gated(name, Gate::guardUsed, "a member is named");
    if (isa<CXXConversionDecl>(method) || llvm::is_contained(guardMembers, nameOf(*method)) ||
        (nameOf(*method) == guardRelease && unusedStatement(*call)))
      return use;
    return gated(name,
                 nameOf(*method).starts_with("try_lock_") ? Gate::timedOperation : Gate::guardUsed,
                 nameOfCallee(method));
  }
  if (isa_and_nonnull<LambdaExpr>(parent))
    return use;
  const auto *call = dyn_cast_or_null<CallExpr>(parent);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee)
    return gated(name, Gate::guardUsed, "it is named here");
  const std::optional<LockOperation> operation = api.lockOperationOf(*callee);
  if ((operation && operation->role == SiteRole::wait) || isPredicateWait(*callee))
    return ofWait(*call);
  if (isMemberOfNamespace(*callee, "std") &&
      (nameOf(*callee) == "lock" || nameOf(*callee) == "try_lock"))
    return use;
  return gated(name, Gate::guardUsed, nameOfCallee(callee));
}

} // namespace qdadvise
