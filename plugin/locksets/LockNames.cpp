// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/LockNames.h"

#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/Expressions.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace qdadvise {
namespace {

PrintingPolicy policyOf(const ASTContext &context) {
  PrintingPolicy policy(context.getLangOpts());
  policy.SuppressUnwrittenScope = true;
  policy.SuppressImplicitBase = true;
  return policy;
}

std::string onOneLine(llvm::StringRef text) {
  std::string result;
  for (const char c : text.trim()) {
    const char plain = llvm::isSpace(c) ? ' ' : c;
    if (plain != ' ' || result.back() != ' ')
      result += plain;
  }
  return result;
}

/// The source text, on one line.
std::string textOf(const Expr &expression, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  const CharSourceRange range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(expression.getSourceRange()), sources, context.getLangOpts());
  if (range.isValid())
    return onOneLine(Lexer::getSourceText(range, sources, context.getLangOpts()));
  // A part of a macro's own text: as the compiler sees it.
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  expression.printPretty(stream, nullptr, policyOf(context));
  return onOneLine(printed);
}

std::string diagnosticName(const NamedDecl &decl) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  decl.getNameForDiagnostic(stream, policyOf(decl.getASTContext()), /*Qualified=*/true);
  return name;
}

/// A C structure without a tag is known by its typedef, or by the structure around it.
std::string recordName(const RecordDecl &record) {
  if (const TypedefNameDecl *alias = record.getTypedefNameForAnonDecl())
    return diagnosticName(*alias);
  if (record.getIdentifier())
    return diagnosticName(record);
  const auto *outer = dyn_cast<RecordDecl>(record.getDeclContext());
  return outer ? recordName(*outer) : "";
}

/// A call that gives an element or the pointee of the object it is for: `locks[i]`,
/// `*lock`, `lock->`, and the members of the standard library's containers and pointers.
bool givesElement(const CallExpr &call) {
  if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(&call))
    return operation->getOperator() == OO_Subscript || operation->getOperator() == OO_Arrow ||
           (operation->getOperator() == OO_Star && operation->getNumArgs() == 1);
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(call.getDirectCallee());
  return method && method->getParent()->isInStdNamespace();
}

} // namespace

std::string mappedPath(llvm::StringRef path, const LangOptions &language) {
  llvm::SmallString<256> mapped(path);
  language.remapPathPrefix(mapped);
  llvm::sys::path::remove_dots(mapped, /*remove_dot_dot=*/true);
  return mapped.str().str();
}

Place placeOf(SourceLocation location, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  const PresumedLoc presumed = sources.getPresumedLoc(sources.getFileLoc(location));
  if (presumed.isInvalid())
    return {};
  return {mappedPath(presumed.getFilename(), context.getLangOpts()), presumed.getLine(),
          presumed.getColumn()};
}

std::string functionName(const FunctionDecl &function) {
  const PrintingPolicy policy = policyOf(function.getASTContext());
  std::string name;
  llvm::raw_string_ostream stream(name);
  if (const auto *method = dyn_cast<CXXMethodDecl>(&function);
      method && method->getParent()->isLambda()) {
    const DeclContext *context = method->getParent()->getDeclContext();
    while (context->isRecord() || isa<FieldDecl>(Decl::castFromDeclContext(context)))
      context = context->getParent();
    if (const auto *outer = dyn_cast<FunctionDecl>(context))
      stream << functionName(*outer) << "::";
    else if (const auto *space = dyn_cast<NamespaceDecl>(context))
      stream << space->getQualifiedNameAsString() << "::";
    stream << "(lambda)";
    return name;
  }
  function.getNameForDiagnostic(stream, policy, /*Qualified=*/true);
  stream << '(';
  llvm::interleaveComma(function.parameters(), stream, [&](const ParmVarDecl *parameter) {
    stream << parameter->getType().getAsString(policy);
  });
  if (function.isVariadic())
    stream << (function.param_empty() ? "..." : ", ...");
  stream << ')';
  return name;
}

std::string lockExpression(const Expr &lock, const ASTContext &context) {
  const Expr *expression = lock.IgnoreParenCasts();
  if (const auto *address = dyn_cast<UnaryOperator>(expression);
      address && address->getOpcode() == UO_AddrOf)
    expression = address->getSubExpr()->IgnoreParenCasts();
  return textOf(*expression, context);
}

std::string pointeeExpression(const Expr &pointer, const ASTContext &context) {
  const Expr *expression = pointer.IgnoreImpCasts();
  if (isa<CXXThisExpr>(expression))
    return "*this";
  if (const auto *arrow = dyn_cast<CXXOperatorCallExpr>(expression);
      arrow && arrow->getOperator() == OO_Arrow)
    expression = arrow->getArg(0);
  return "*" + textOf(*expression, context);
}

const Expr &throughGuard(const Expr &expression, unsigned lock, bool isGuard) {
  const Expr &inner = stripped(expression);
  const CXXRecordDecl *record = inner.getType()->getAsCXXRecordDecl();
  if (!record || !(isGuard || isStandardGuard(*record)))
    return expression;
  if (const auto *reference = dyn_cast<DeclRefExpr>(&inner)) {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    const Expr *initialiser = variable ? variable->getAnyInitializer() : nullptr;
    if (!initialiser || variable->getType()->isReferenceType())
      return expression;
    const Expr &made = throughGuard(*initialiser, lock, isGuard);
    return &made == initialiser ? expression : made;
  }
  if (const auto *construct = dyn_cast<CXXConstructExpr>(&inner)) {
    unsigned wanted = lock;
    for (const Expr *argument : construct->arguments()) {
      const CXXRecordDecl *type = argument->getType()->getAsCXXRecordDecl();
      if (type && isStandardGuard(*type)) { // made from another guard
        const Expr &made = throughGuard(*argument, lock);
        return &made == argument ? expression : made;
      }
      const bool mayBeLock =
          argument->isLValue() || (isGuard && argument->getType()->isPointerType());
      if (!mayBeLock || (type && type->getName().ends_with("_lock_t")))
        continue;
      if (wanted-- == 0)
        return *argument;
    }
    return expression;
  }
  if (const auto *call = dyn_cast<CallExpr>(&inner); call && call->getNumArgs() == 1 &&
                                                     call->getDirectCallee() &&
                                                     call->getDirectCallee()->isInStdNamespace()) {
    const Expr &made = throughGuard(*call->getArg(0), lock); // std::move(guard)
    return &made == call->getArg(0) ? expression : made;
  }
  return expression;
}

const ValueDecl *lockDeclaration(const Expr &lock) {
  const Expr &inner = stripped(lock);
  if (const auto *member = dyn_cast<MemberExpr>(&inner))
    return isa<FieldDecl, VarDecl>(member->getMemberDecl()) ? member->getMemberDecl() : nullptr;
  if (const auto *reference = dyn_cast<DeclRefExpr>(&inner)) {
    if (const auto *binding = dyn_cast<BindingDecl>(reference->getDecl()))
      return binding->getBinding() ? lockDeclaration(*binding->getBinding()) : nullptr;
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    if (!variable || isa<ParmVarDecl>(variable))
      return nullptr;
    const QualType type = variable->getType();
    if (variable->hasLocalStorage() && (type->isPointerType() || type->isReferenceType()))
      return nullptr;
    return variable->getCanonicalDecl();
  }
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(&inner))
    return lockDeclaration(*subscript->getBase());
  if (const auto *unary = dyn_cast<UnaryOperator>(&inner))
    return unary->getOpcode() == UO_AddrOf || unary->getOpcode() == UO_Deref
               ? lockDeclaration(*unary->getSubExpr())
               : nullptr;
  if (const auto *binary = dyn_cast<BinaryOperator>(&inner)) {
    if (!binary->isAdditiveOp() || !binary->getType()->isPointerType())
      return nullptr;
    const bool left = binary->getLHS()->getType()->isPointerType();
    return lockDeclaration(left ? *binary->getLHS() : *binary->getRHS());
  }
  if (const auto *call = dyn_cast<CallExpr>(&inner); call && givesElement(*call)) {
    if (const auto *member = dyn_cast<CXXMemberCallExpr>(call))
      return lockDeclaration(*member->getImplicitObjectArgument());
    return lockDeclaration(*call->getArg(0));
  }
  return nullptr;
}

std::string declarationName(const ValueDecl &declaration) {
  if (const auto *function = dyn_cast<FunctionDecl>(declaration.getDeclContext()))
    return functionName(*function) + "::" + declaration.getNameAsString();
  if (const auto *record = dyn_cast<RecordDecl>(declaration.getDeclContext())) {
    const std::string outer = recordName(*record);
    return (outer.empty() ? "" : outer + "::") + declaration.getNameAsString();
  }
  return diagnosticName(declaration);
}

std::string lockTypeName(const Expr &lock, const ASTContext &context) {
  return lockTypeName(lock.IgnoreParenImpCasts()->getType(), context);
}

std::string lockTypeName(QualType type, const ASTContext &context) {
  type = type.getNonReferenceType();
  while (true) {
    if (type->isPointerType())
      type = type->getPointeeType();
    else if (const ArrayType *array = context.getAsArrayType(type))
      type = array->getElementType();
    else
      break;
  }
  // A class by its own name, whatever alias was used: `value_type` says nothing.
  const RecordDecl *record = type->getAsRecordDecl();
  return record ? recordName(*record)
                : type.getLocalUnqualifiedType().getAsString(policyOf(context));
}

} // namespace qdadvise
