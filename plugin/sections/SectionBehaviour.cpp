// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sections/SectionBehaviour.h"

#include "advisor/support/SectionFactNames.h"
#include "plugin/ast/CallArguments.h"
#include "plugin/sections/SectionState.h"
#include "plugin/sections/SuccessTest.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>

using namespace clang;

namespace qdadvise {
namespace {

bool isConstant(const Expr *test) {
  return test && isa<IntegerLiteral, CXXBoolLiteralExpr>(test->IgnoreParenCasts());
}

bool isAlwaysTrue(const Expr *test) {
  if (!test)
    return true;
  const Expr *expression = test->IgnoreParenCasts();
  const auto *number = dyn_cast<IntegerLiteral>(expression);
  const auto *boolean = dyn_cast<CXXBoolLiteralExpr>(expression);
  return (number && number->getValue() != 0) || (boolean && boolean->getValue());
}

bool hasSideEffect(const Stmt &node) {
  const auto *unary = dyn_cast<UnaryOperator>(&node);
  const auto *binary = dyn_cast<BinaryOperator>(&node);
  return (unary && unary->isIncrementDecrementOp()) ||
         (binary && binary->isAssignmentOp() && !isa<DeclRefExpr>(binary->getLHS()));
}

/// The parts of a loop of any kind.
struct Loop {
  llvm::SmallVector<const Stmt *, 2> init;
  const Expr *test = nullptr;
  const Stmt *body = nullptr, *next = nullptr;
  bool testsFirst = true;
};

Loop partsOf(const Stmt &node) {
  if (const auto *loop = dyn_cast<WhileStmt>(&node))
    return {.init = {}, .test = loop->getCond(), .body = loop->getBody()};
  if (const auto *loop = dyn_cast<DoStmt>(&node))
    return {.init = {}, .test = loop->getCond(), .body = loop->getBody(), .testsFirst = false};
  if (const auto *loop = dyn_cast<ForStmt>(&node))
    return {.init = {loop->getInit()},
            .test = loop->getCond(),
            .body = loop->getBody(),
            .next = loop->getInc()};
  const auto &range = cast<CXXForRangeStmt>(node);
  return {.init = {range.getInit(), range.getRangeStmt()},
          .test = range.getCond(),
          .body = range.getBody()};
}

/// Walks the statements of a function in their order and keeps track of whether the
/// lock may be held.
class SectionWalk {
public:
  SectionWalk(const SectionStart &sectionStart, CallEffects &callEffects,
              const ASTContext &astContext, llvm::function_ref<bool(const CallExpr &)> releaseTest)
      : start(sectionStart), effects(callEffects), context(astContext), releases(releaseTest),
        success(sectionStart.acquire, sectionStart.guard, sectionStart.success, astContext) {}

  SectionFacts run() {
    statement(start.body);
    SectionFacts facts = section.conclude(context);
    facts.unseen = std::move(unseen);
    facts.inner = std::move(inner);
    // A guard gives the lock up wherever its scope is left.
    facts.staysHeld = (section.isLeftHeld || section.held) && !start.guard && !start.isTemporary;
    return facts;
  }

private:
  /// A loop or switch, which break and continue lead out of.
  struct Target {
    bool isInside;          ///< began within the section
    std::size_t scopeDepth; ///< number of scopes around it
    bool heldAtBreak = false, heldAtContinue = false;
  };

  // Statements.

  void statement(const Stmt *node) {
    if (!node)
      return;
    switch (node->getStmtClass()) {
    case Stmt::CompoundStmtClass:
      return inScope(*node, [&] {
        for (const Stmt *child : cast<CompoundStmt>(node)->body())
          statement(child);
      });
    case Stmt::IfStmtClass:
      return inScope(*node, [&] { branch(*cast<IfStmt>(node)); });
    case Stmt::WhileStmtClass:
    case Stmt::DoStmtClass:
    case Stmt::ForStmtClass:
    case Stmt::CXXForRangeStmtClass:
      return inScope(*node, [&] { loop(partsOf(*node)); });
    case Stmt::SwitchStmtClass:
      return inScope(*node, [&] { choice(*cast<SwitchStmt>(node)); });
    case Stmt::CaseStmtClass:
    case Stmt::DefaultStmtClass:
      section.held = section.held || (!switches.empty() && switches.back());
      return statement(cast<SwitchCase>(node)->getSubStmt());
    case Stmt::LabelStmtClass:
      section.arriveAt(*cast<LabelStmt>(node)->getDecl());
      return statement(cast<LabelStmt>(node)->getSubStmt());
    case Stmt::AttributedStmtClass:
      return statement(cast<AttributedStmt>(node)->getSubStmt());
    case Stmt::CXXTryStmtClass:
      return tryBlock(*cast<CXXTryStmt>(node));
    case Stmt::CXXCatchStmtClass:
      return inScope(*node, [&] { statement(cast<CXXCatchStmt>(node)->getHandlerBlock()); });
    case Stmt::CoroutineBodyStmtClass:
      return statement(cast<CoroutineBodyStmt>(node)->getBody());
    case Stmt::NullStmtClass:
      return;
    default:
      return leaf(*node);
    }
  }

  template <typename F> void inScope(const Stmt &scope, F body) {
    scopes.push_back(&scope);
    body();
    scopes.pop_back();
    if (endScope != &scope)
      return;
    section.end();
    section.addOpenGotos();
  }

  void branch(const IfStmt &node) {
    const bool enteredHeld = section.held;
    statement(node.getInit());
    if (node.getConditionVariableDeclStmt())
      leaf(*node.getConditionVariableDeclStmt());
    const std::optional<bool> heldIfTrue = success.heldIf(node.getCond());
    if (heldIfTrue && enteredHeld)
      visit(*node.getCond()); // looks at the acquisition's result
    else
      condition(node.getCond());
    const bool heldThen = section.held;
    bool heldAfter = false;
    section.inBranch(enteredHeld && !heldIfTrue, [&] {
      section.held = heldThen && heldIfTrue != false;
      statement(node.getThen());
      heldAfter = section.held;
      section.held = heldThen && heldIfTrue != true;
      statement(node.getElse());
    });
    section.held = section.held || heldAfter;
  }

  void loop(const Loop &parts) {
    const bool enteredHeld = section.held;
    for (const Stmt *first : parts.init)
      statement(first);
    // do { ... } while (0) is a macro's way to be one statement.
    const bool isOnce = !parts.testsFirst && isConstant(parts.test) && !isAlwaysTrue(parts.test);
    section.inBranch(enteredHeld && !isOnce, [&] { iterations(parts, isOnce); });
  }

  void iterations(const Loop &loop, bool isOnce) {
    const Expr *test = loop.test;
    const bool enteredHeld = section.held;
    const std::optional<bool> heldIfTrue = success.heldIf(test);
    targets.push_back({enteredHeld, scopes.size()});
    bool heldAtExit = false;
    const auto check = [&] {
      condition(test);
      heldAtExit |= section.held && !isAlwaysTrue(test) && heldIfTrue != true;
      section.held = section.held && heldIfTrue != false;
    };
    // A second round: what stands before the acquisition in the text comes after it then.
    for (int round = 0; round < 2; ++round) {
      const bool heldBefore = section.held;
      if (loop.testsFirst)
        check();
      statement(loop.body);
      section.held = section.held || targets.back().heldAtContinue;
      statement(loop.next);
      if (!loop.testsFirst)
        check();
      if (heldBefore || !section.held || isOnce)
        break;
    }
    if (loop.testsFirst && section.held && !isAlwaysTrue(test) && heldIfTrue != true)
      heldAtExit = true;
    const Target left = targets.pop_back_val();
    section.held = heldAtExit || left.heldAtBreak;
  }

  void choice(const SwitchStmt &node) {
    const bool enteredHeld = section.held;
    statement(node.getInit());
    if (node.getConditionVariableDeclStmt())
      leaf(*node.getConditionVariableDeclStmt());
    condition(node.getCond());
    const bool heldHere = section.held;
    bool hasDefault = false;
    for (const SwitchCase *label = node.getSwitchCaseList(); label;
         label = label->getNextSwitchCase())
      hasDefault |= isa<DefaultStmt>(label);
    targets.push_back({enteredHeld, scopes.size()});
    switches.push_back(heldHere);
    section.inBranch(enteredHeld, [&] {
      section.held = false;
      statement(node.getBody());
    });
    switches.pop_back();
    const Target left = targets.pop_back_val();
    section.held = section.held || left.heldAtBreak || (!hasDefault && heldHere);
  }

  void tryBlock(const CXXTryStmt &node) {
    const bool enteredHeld = section.held;
    bool catchesAll = false;
    for (unsigned i = 0; i < node.getNumHandlers(); ++i)
      catchesAll |= !node.getHandler(i)->getExceptionDecl();
    section.inBranch(enteredHeld, [&] {
      const bool catches = enteredHeld && catchesAll;
      caught += catches;
      statement(node.getTryBlock());
      caught -= catches;
      bool heldAfter = section.held;
      for (unsigned i = 0; i < node.getNumHandlers(); ++i) {
        section.held = enteredHeld;
        statement(node.getHandler(i));
        heldAfter |= section.held;
      }
      section.held = heldAfter;
    });
  }

  void jump(const Stmt &node) {
    if (const auto *direct = dyn_cast<GotoStmt>(&node))
      return section.follow(*direct);
    if (isa<IndirectGotoStmt>(node))
      return section.leave(factJumps, node.getBeginLoc(), "'goto'");
    if (targets.empty())
      return;
    const bool isBreak = isa<BreakStmt>(node);
    Target &target = targets.back();
    bool Target::*const heldThere = isBreak ? &Target::heldAtBreak : &Target::heldAtContinue;
    // Out of the loop in which the lock was taken, with the lock: no end of the section.
    const bool endsScope =
        llvm::is_contained(llvm::ArrayRef(scopes).drop_front(target.scopeDepth), endScope);
    if (!target.isInside && section.begun && (section.isInBranch() || (section.held && endsScope)))
      section.add(factJumps, node.getBeginLoc(), isBreak ? "'break'" : "'continue'");
    target.*heldThere |= section.held && !endsScope;
    section.held = false;
  }

  // Expressions.

  void condition(const Expr *test) {
    if (test && !isConstant(test))
      leaf(*test);
  }

  /// A statement or an expression that stands on its own.
  void leaf(const Stmt &node) {
    const bool heldBefore = section.held;
    const Stmt *outer = currentLeaf;
    currentLeaf = &node;
    if (heldBefore && !isReleaseItself(node))
      section.addContent(node);
    if (isa<GotoStmt, IndirectGotoStmt, BreakStmt, ContinueStmt>(node))
      jump(node);
    else
      visit(node);
    if (endLeaf == &node)
      section.end();
    currentLeaf = outer;
    if (isa<ReturnStmt, CoreturnStmt>(node))
      section.leave(factReturns, node.getBeginLoc(), "'return'");
  }

  bool isReleaseItself(const Stmt &node) const {
    const auto *expression = dyn_cast<Expr>(&node);
    const auto *call = expression ? dyn_cast<CallExpr>(expression->IgnoreParenCasts()) : nullptr;
    return call && isRelease(*call);
  }

  bool isRelease(const CallExpr &call) const {
    const FunctionDecl *callee = start.isWrapper ? calledFunction(call) : nullptr;
    return releases(call) || (callee && effects.releases(*callee));
  }

  void visit(const Stmt &node) {
    if (isa<CompoundStmt>(node)) // of a statement expression
      return statement(&node);
    forEachRunChild(node, [&](const Stmt &child) { visit(child); });
    success.see(node);
    if (const auto *declaration = dyn_cast<DeclStmt>(&node);
        declaration && start.guard && llvm::is_contained(declaration->decls(), start.guard)) {
      endScope = scopes.empty() ? nullptr : scopes.back();
      return;
    }
    if (&node == start.acquire) {
      // The wait stands in a loop, and waits once more.
      if (section.held && (effects.at(node).facts & factWaits))
        section.add(factWaits, node.getBeginLoc(), "");
      section.begun = section.held = true;
      if (start.isTemporary)
        endLeaf = currentLeaf;
      return;
    }
    if (!section.held)
      return;
    if (const auto *call = dyn_cast<CallExpr>(&node); call && isRelease(*call)) {
      section.end();
      return;
    }
    // More than the acquisition in one expression.
    section.isCompound |=
        !section.isContent(currentLeaf) &&
        (isa<CallExpr, CXXConstructExpr>(node) ? !success.asksGuard(node) : hasSideEffect(node));
    effect(node);
  }

  void effect(const Stmt &node) {
    const NodeEffects here = effects.at(node);
    SectionFactBits facts = effects.allOf(here, unseen, inner);
    if (const auto *call = dyn_cast<CallExpr>(&node); call && effects.isRelease(*call))
      inner.gives.insert(&node);
    if (caught > 0)
      facts &= ~SectionFactBits(factThrows);
    for (const auto &[name, fact] : factNames)
      if (facts & fact)
        section.add(fact, node.getBeginLoc(), "");
    if (!here.comesBack)
      section.held = false;
  }

  const SectionStart &start;
  CallEffects &effects;
  const ASTContext &context;
  llvm::function_ref<bool(const CallExpr &)> releases;
  SuccessTest success;
  SectionState section;
  UnseenCalls unseen;
  InnerLocks inner;
  unsigned caught = 0; ///< blocks around, in the section, that no exception leaves
  llvm::SmallVector<const Stmt *, 8> scopes;
  const Stmt *endScope = nullptr; ///< the lock is released with this scope
  const Stmt *endLeaf = nullptr;  ///< the lock is released with this full expression
  const Stmt *currentLeaf = nullptr;
  llvm::SmallVector<Target, 4> targets;
  llvm::SmallVector<bool, 4> switches; ///< was the lock section.held at their heads?
};

} // namespace

SectionFacts sectionFacts(const SectionStart &start, CallEffects &effects,
                          const ASTContext &context,
                          llvm::function_ref<bool(const CallExpr &)> releases) {
  return start.body ? SectionWalk(start, effects, context, releases).run() : SectionFacts();
}

} // namespace qdadvise
