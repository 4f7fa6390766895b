// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/ThreadStarts.h"

#include "plugin/api/CFunctions.h"
#include "plugin/ast/DeclNames.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {
namespace {

/// The function that an argument is, or points to.
const FunctionDecl *namedFunction(const Expr &argument) {
  const Expr *named = argument.IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  if (const auto *address = dyn_cast<UnaryOperator>(named);
      address && address->getOpcode() == UO_AddrOf)
    named = address->getSubExpr()->IgnoreParenCasts();
  const auto *reference = dyn_cast<DeclRefExpr>(named);
  return reference ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr;
}

/// The functions that an argument may be: `isFast ? serveFast : serve`.
void forEachNamedFunction(const Expr &argument,
                          llvm::function_ref<void(const FunctionDecl &)> use) {
  const Expr *named = argument.IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  if (const auto *choice = dyn_cast<ConditionalOperator>(named)) {
    forEachNamedFunction(*choice->getTrueExpr(), use);
    forEachNamedFunction(*choice->getFalseExpr(), use);
  } else if (const FunctionDecl *function = namedFunction(*named)) {
    use(*function);
  }
}

/// The call operator of a lambda expression, or of another object that has exactly one.
const FunctionDecl *callOperator(const CXXRecordDecl &record) {
  const CXXMethodDecl *only = nullptr;
  if (!record.hasDefinition())
    return nullptr;
  if (record.isLambda())
    return record.getLambdaCallOperator();
  for (const CXXMethodDecl *method : record.methods())
    if (method->getOverloadedOperator() == OO_Call) {
      if (only)
        return nullptr;
      only = method;
    }
  return only;
}

bool isThreadClass(const CXXRecordDecl *record) {
  const IdentifierInfo *name = record ? record->getIdentifier() : nullptr;
  return name && (name->isStr("thread") || name->isStr("jthread")) && record->isInStdNamespace();
}

/// Is one of the arguments a thread, or a class template of one (`pair<const int, thread>`)?
bool mentionsThread(llvm::ArrayRef<TemplateArgument> arguments, unsigned depth) {
  return llvm::any_of(arguments, [&](const TemplateArgument &argument) {
    if (argument.getKind() == TemplateArgument::Pack)
      return mentionsThread(argument.pack_elements(), depth);
    if (argument.getKind() != TemplateArgument::Type)
      return false;
    const CXXRecordDecl *record = argument.getAsType()->getAsCXXRecordDecl();
    const auto *specialization = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
    return isThreadClass(record) ||
           (specialization && depth > 0 &&
            mentionsThread(specialization->getTemplateArgs().asArray(), depth - 1));
  });
}

/// Functions of the library that make an object of the arguments that they are given.
constexpr StringRef makers[] = {"emplace",      "emplace_back",  "emplace_front",
                                "emplace_hint", "try_emplace",   "make_unique",
                                "make_shared",  "make_optional", "construct_at"};

/// `threads.emplace_back(work)`, `std::make_unique<std::thread>(work)`.
bool makesThread(const FunctionDecl &callee) {
  if (!llvm::is_contained(makers, callee.getIdentifier() ? callee.getName() : StringRef()))
    return false;
  constexpr unsigned nesting = 2; // map<int, optional<thread>>
  if (const auto *method = dyn_cast<CXXMethodDecl>(&callee))
    if (const auto *container = dyn_cast<ClassTemplateSpecializationDecl>(method->getParent()))
      return mentionsThread(container->getTemplateArgs().asArray(), nesting);
  const TemplateArgumentList *arguments = callee.getTemplateSpecializationArgs();
  return arguments && arguments->size() > 0 &&
         mentionsThread(arguments->asArray().take_front(), nesting);
}

/// Does it construct a std::thread or std::jthread, or is it std::async?
bool startsThread(const FunctionDecl &callee) {
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&callee))
    return isThreadClass(constructor->getParent());
  const IdentifierInfo *name = callee.getIdentifier();
  return name && isInStandardLibrary(callee) && (name->isStr("async") || makesThread(callee));
}

/// Functions of the library whose result calls their first argument.
constexpr StringRef adapters[] = {"bind", "bind_front", "bind_back", "ref",    "cref",
                                  "move", "forward",    "mem_fn",    "not_fn", "as_const"};

const FunctionDecl *routineOf(const Expr &argument);

/// `std::bind(work, 1)`: work.
const FunctionDecl *adaptedRoutine(const Expr &argument) {
  const Expr *spelled = argument.IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  if (const auto *reference = dyn_cast<DeclRefExpr>(spelled)) {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    const CXXRecordDecl *record = variable ? variable->getType()->getAsCXXRecordDecl() : nullptr;
    // A std::function may have been given another since; a bound object seldom is.
    if (!record || !record->isInStdNamespace() || !variable->hasInit() ||
        (record->getIdentifier() && record->getName().contains("function")))
      return nullptr;
    spelled = variable->getInit()->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  }
  const auto *call = dyn_cast<CallExpr>(spelled);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const IdentifierInfo *name = callee ? callee->getIdentifier() : nullptr;
  return name && callee->isInStdNamespace() && call->getNumArgs() > 0 &&
                 llvm::is_contained(adapters, name->getName())
             ? routineOf(*call->getArg(0))
             : nullptr;
}

const FunctionDecl *routineOf(const Expr &argument) {
  if (const FunctionDecl *function = namedFunction(argument))
    return function;
  if (const FunctionDecl *adapted = adaptedRoutine(argument))
    return adapted;
  const CXXRecordDecl *record = argument.getType()->getAsCXXRecordDecl();
  return record && !record->isInStdNamespace() ? callOperator(*record) : nullptr;
}

/// `std::launch::deferred`: no thread at all.
bool isDeferred(const Expr &argument) {
  const auto *reference = dyn_cast<DeclRefExpr>(argument.IgnoreParenImpCasts());
  const auto *policy = reference ? dyn_cast<EnumConstantDecl>(reference->getDecl()) : nullptr;
  return policy && policy->getName() == "deferred";
}

/// Does it point to what the function's argument points to? A variable counts as what it was made
/// of.
bool pointsToArgument(const Expr &pointer, const ParmVarDecl &argument) {
  const auto *reference = dyn_cast<DeclRefExpr>(pointer.IgnoreParenCasts());
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable == &argument)
    return true;
  return variable && variable->isLocalVarDecl() && variable->hasInit() &&
         variable->getInit() != &pointer && pointsToArgument(*variable->getInit(), argument);
}

/// Where the member is in what `argument` points to, in bytes; absent if it is elsewhere.
std::optional<std::uint32_t> offsetIn(const Expr &member, const ParmVarDecl &argument) {
  const ASTContext &context = argument.getASTContext();
  std::uint64_t bits = 0;
  const Expr *at = member.IgnoreParenImpCasts();
  if (const auto *called = dyn_cast<UnaryOperator>(at); called && called->getOpcode() == UO_Deref)
    at = called->getSubExpr()->IgnoreParenImpCasts(); // (*routine)(argument)
  while (const auto *access = dyn_cast<MemberExpr>(at)) {
    const auto *field = dyn_cast<FieldDecl>(access->getMemberDecl());
    const Expr &base = *access->getBase();
    const QualType type = access->isArrow() ? base.getType()->getPointeeType() : base.getType();
    const CXXRecordDecl *derived = type->getAsCXXRecordDecl();
    // What comes before the members of a base class is not looked into.
    if (!field || field->isBitField() || (derived && derived->getNumBases() > 0))
      return std::nullopt;
    bits += context.getFieldOffset(field);
    if (access->isArrow()) {
      if (!pointsToArgument(base, argument))
        return std::nullopt;
      return static_cast<std::uint32_t>(bits / context.getCharWidth());
    }
    at = base.IgnoreParenImpCasts();
  }
  return std::nullopt;
}

/// Is its only argument a `void *`?
bool takesOnePointer(const FunctionDecl &function) {
  return function.getNumParams() == 1 && !function.isVariadic() &&
         function.getParamDecl(0)->getType()->isVoidPointerType();
}

/// Calls `use` with the calls through pointers that are reached once at most.
void forEachCallThroughPointer(const Stmt &statement,
                               llvm::function_ref<void(const CallExpr &)> use) {
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, LambdaExpr>(statement))
    return;
  if (const auto *call = dyn_cast<CallExpr>(&statement); call && !call->getDirectCallee())
    use(*call);
  for (const Stmt *part : statement.children())
    if (part)
      forEachCallThroughPointer(*part, use);
}

} // namespace

std::optional<std::uint32_t> routineInArgument(const FunctionDecl &function) {
  const FunctionDecl *definition = function.getDefinition();
  if (!definition || definition->isDependentContext() || !looksLikeRoutine(*definition))
    return std::nullopt;
  std::optional<std::uint32_t> offset;
  forEachCallThroughPointer(*definition->getBody(), [&](const CallExpr &call) {
    if (call.getNumArgs() <= 1 && !offset)
      offset = offsetIn(*call.getCallee(), *definition->getParamDecl(0));
  });
  return offset;
}

bool looksLikeRoutine(const FunctionDecl &function) {
  return function.getReturnType()->isVoidPointerType() && takesOnePointer(function);
}

void forEachStartRoutine(const CallExpr &call, const FunctionDecl &callee,
                         llvm::function_ref<void(const FunctionDecl &)> use) {
  const std::optional<unsigned> routine = startRoutineArgument(callee);
  for (unsigned index = 0; index < call.getNumArgs(); ++index)
    forEachNamedFunction(*call.getArg(index), [&](const FunctionDecl &function) {
      if (routine == index || looksLikeRoutine(function) ||
          (function.getReturnType()->isVoidType() && takesOnePointer(function)))
        use(function);
    });
}

const FunctionDecl *spawnedRoutine(const Expr &call, const FunctionDecl &callee) {
  if (!startsThread(callee))
    return nullptr;
  llvm::ArrayRef<const Expr *> arguments;
  if (const auto *construct = dyn_cast<CXXConstructExpr>(&call))
    arguments = {construct->getArgs(), construct->getNumArgs()};
  else if (const auto *plain = dyn_cast<CallExpr>(&call))
    arguments = {plain->getArgs(), plain->getNumArgs()};
  if (!arguments.empty() && isDeferred(*arguments.front()))
    return nullptr;
  // The callable is the first argument that can be called: others stand before it where
  // there is a policy, a place to insert at, or a key.
  for (const Expr *argument : arguments.take_front(3))
    if (const FunctionDecl *routine = routineOf(*argument))
      return routine;
  return nullptr;
}

} // namespace qdadvise
