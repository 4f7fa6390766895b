// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/sections/GuardedRest.h"

#include "rewrite/sections/SectionContents.h"
#include "rewrite/sections/SingleAccess.h"
#include "rewrite/sections/UnawaitedSection.h"
#include "rewrite/uses/Locations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>

using namespace clang;

namespace qdadvise {
namespace {

/// Does every way through it end in a return?
bool endsInReturn(const Stmt *statement) {
  if (const auto *block = dyn_cast_or_null<CompoundStmt>(statement))
    return !block->body_empty() && endsInReturn(block->body_back());
  if (const auto *branch = dyn_cast_or_null<IfStmt>(statement))
    return endsInReturn(branch->getThen()) && endsInReturn(branch->getElse());
  return isa_and_nonnull<ReturnStmt>(statement);
}

void forbid(GuardedRest &rest, Gate gate, SourceLocation at, std::string detail,
            const ASTContext &context) {
  if (rest.gate)
    return;
  rest.gate = gate;
  rest.place = placeOfUse(at, context);
  rest.detail = std::move(detail);
}

/// Sets how the results get to the caller. The section is the rest of `function`.
void setResult(GuardedRest &rest, const FunctionDecl &function,
               const std::vector<const ReturnStmt *> &returns, const ASTContext &context) {
  const QualType type = function.getReturnType();
  if (type->isVoidType() || returns.empty())
    return;
  rest.opening = "return ";
  // A class is constructed of what is returned: under the lock, by the operation.
  bool isDeduced = type->isScalarType();
  for (const ReturnStmt *one : returns)
    isDeduced &= one->getRetValue() &&
                 context.hasSameUnqualifiedType(
                     one->getRetValue()->IgnoreParenImpCasts()->getType(), type) &&
                 !isa<InitListExpr>(one->getRetValue()->IgnoreImplicit());
  PrintingPolicy policy(context.getPrintingPolicy());
  policy.SuppressUnwrittenScope = true;
  if (!isDeduced)
    rest.resultType = "() -> " + type.getAsString(policy);
}

/// One that has not the shape of a section.
GuardedRest unknownShape(Gate gate, const VarDecl &guard, const ASTContext &context) {
  GuardedRest rest;
  forbid(rest, gate, guard.getBeginLoc(), "'" + guard.getNameAsString() + "'", context);
  rest.access = {"", rest.gate, rest.place, rest.detail};
  return rest;
}

} // namespace

GuardedRest guardedRest(const VarDecl &guard, const CXXConstructExpr &construct, const Expr &lock,
                        ASTContext &context) {
  GuardedRest rest;
  const SourceLocation at = guard.getBeginLoc();
  const auto statements = context.getParents(guard);
  const auto *declaration = statements.size() == 1 ? statements[0].get<DeclStmt>() : nullptr;
  const CompoundStmt *block = nullptr;
  if (declaration)
    if (const auto blocks = context.getParents(*declaration); blocks.size() == 1)
      block = blocks[0].get<CompoundStmt>();
  const auto *function = dyn_cast<FunctionDecl>(guard.getDeclContext());
  if (!block || !function || !declaration->isSingleDecl() || construct.getNumArgs() != 1)
    return unknownShape(Gate::sectionShape, guard, context);
  const auto statement = textOf(declaration->getSourceRange(), context);
  const auto brace = textOf({block->getRBracLoc(), block->getRBracLoc()}, context);
  const auto lockText = textOf(lock.getSourceRange(), context);
  if (!statement || !brace || !lockText)
    return unknownShape(Gate::macro, guard, context);
  rest.guard = *statement;
  rest.end = *brace;
  rest.lock = spelled(*lockText, at, context).str();
  rest.indent = indentOf(rest.guard, at, context).value_or("");
  rest.endIndent = indentOf(rest.end, block->getRBracLoc(), context);
  if (looksAtErrno(*function))
    forbid(rest, Gate::errnoSet, at, "the function looks at it", context);
  const std::vector<const Stmt *> following(std::next(llvm::find(block->body(), declaration)),
                                            block->body_end());
  rest.access = singleAccess(following, {}, /*mayLeave=*/true, *function, context);
  rest.unawaited = unawaitedSection(*declaration, lock, following, context);
  rest.unawaited.text = rest.guard;
  rest.unawaited.text.length = rest.end.end() - rest.guard.offset;
  const SectionContents contents = contentsOf(following, context.getSourceManager());
  if (!contents.obstacles.empty()) {
    const SectionContents::Obstacle &first = contents.obstacles.front();
    forbid(rest, first.gate, first.at, first.what, context);
  }
  const bool isRestOfFunction = function->getBody() == block;
  if (!contents.returns.empty() && !isRestOfFunction)
    forbid(rest, Gate::controlFlow, contents.returns.front()->getBeginLoc(), "return", context);
  const bool isValue = !function->getReturnType()->isVoidType();
  if (!contents.returns.empty() && isValue && !endsInReturn(block))
    forbid(rest, Gate::controlFlow, block->getRBracLoc(), "not every way ends in a return",
           context);
  if (function->getReturnType()->getContainedDeducedType() && !contents.returns.empty())
    forbid(rest, Gate::controlFlow, at, "the function's result type is deduced", context);
  setResult(rest, *function, contents.returns, context);
  return rest;
}

std::optional<WaitingDestructor> waitingDestructor(const FieldDecl &lock,
                                                   const ASTContext &context) {
  const auto *record = dyn_cast<CXXRecordDecl>(lock.getParent());
  if (!record || lock.getType()->isArrayType() || !record->getIdentifier() || record->isUnion())
    return std::nullopt;
  const std::string name = lock.getNameAsString();
  const auto place = textOf({lock.getLocation(), lock.getLocation()}, context);
  const auto typeText = textOf({lock.getBeginLoc(), lock.getBeginLoc()}, context);
  if (!place || !typeText)
    return std::nullopt;
  const std::string indent = indentOf(*typeText, lock.getBeginLoc(), context).value_or("");
  const std::string deeper = indent + "  ";
  const std::string waits =
      deeper + name + ".lock(); // until no helper is in it\n" + deeper + name + ".unlock();\n";
  const CXXDestructorDecl *destructor = record->getDestructor();
  if (destructor && destructor->isUserProvided()) {
    const FunctionDecl *definition = destructor->getDefinition();
    auto *body = definition ? dyn_cast_or_null<CompoundStmt>(definition->getBody()) : nullptr;
    const auto brace =
        body ? textOf({body->getRBracLoc(), body->getRBracLoc()}, context) : std::nullopt;
    if (!brace || spelled(*brace, body->getRBracLoc(), context) != "}")
      return std::nullopt;
    const SectionContents contents = contentsOf({body}, context.getSourceManager());
    if (!contents.returns.empty() || !contents.obstacles.empty())
      return std::nullopt;
    const auto own = indentOf(*brace, body->getRBracLoc(), context);
    return WaitingDestructor{*brace, own ? waits.substr(std::min(own->size(), deeper.size())) + *own
                                         : "\n" + waits + indent};
  }
  if (destructor && !destructor->isImplicit())
    return std::nullopt;
  SourceLocation before; // of the colon after `public`, or of the brace of a struct
  for (const Decl *member : record->decls())
    if (const auto *access = dyn_cast<AccessSpecDecl>(member);
        access && access->getAccess() == AS_public && before.isInvalid())
      before = access->getColonLoc();
  if (before.isInvalid() && record->isStruct())
    before = record->getBraceRange().getBegin();
  const auto text = textOf({before, before}, context);
  if (!text)
    return std::nullopt;
  TextRange at = *text;
  at.offset = text->end();
  return WaitingDestructor{at, "\n" + indent + "~" + record->getNameAsString() + "() {\n" + waits +
                                   indent + "}\n"};
}

} // namespace qdadvise
