// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sections/SectionBehaviour.h"

#include "plugin/sections/IntegerUpdate.h"
#include "plugin/sections/SuccessTest.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>

using namespace clang;

namespace qdadvise {
namespace {

/// Walks the statements of a function in their order and keeps track of whether the
/// lock may be held.
class Walk {
public:
  Walk(const SectionStart &sectionStart, CallEffects &callEffects, const ASTContext &astContext,
       llvm::function_ref<bool(const CallExpr &)> releaseTest)
      : start(sectionStart), effects(callEffects), context(astContext), releases(releaseTest),
        success(sectionStart.acquire, sectionStart.guard, sectionStart.success, astContext) {}

  SectionFacts run() {
    statement(start.body);
    // Without an end in sight the lock stays with a caller, or with an object.
    if (!begun || !ended)
      return {};
    for (const GotoStmt *jump : openGotos)
      add(factJumps, jump->getGotoLoc(), "'goto'");
    result.bits |= factsKnown;
    if (!isCompound && contents.empty())
      result.bits |= factEmpty;
    if (!isCompound && isOneIntegerUpdate(contents, context))
      add(factOneIntegerUpdate, contents.back()->getBeginLoc(), "");
    return std::move(result);
  }

private:
  /// What a break or continue leads out of.
  struct Target {
    bool isInside;          ///< began within the section
    std::size_t scopeDepth; ///< of the scopes around it
    bool heldAtBreak = false, heldAtContinue = false;
  };

  void add(SectionFact fact, SourceLocation at, const char *what) {
    if (!(result.bits & fact))
      result.shown.push_back({fact, at, what});
    result.bits |= fact;
  }

  /// Is what happens here in the section, or on a path that has just released the lock
  /// in the middle of it?
  bool isWithin() const { return held || (begun && branches > 0); }

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
      return inScope(*node, [&] { loop(*node); });
    case Stmt::SwitchStmtClass:
      return inScope(*node, [&] { choice(*cast<SwitchStmt>(node)); });
    case Stmt::CaseStmtClass:
    case Stmt::DefaultStmtClass:
      held = held || (!switches.empty() && switches.back());
      return statement(cast<SwitchCase>(node)->getSubStmt());
    case Stmt::LabelStmtClass:
      return label(*cast<LabelStmt>(node));
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
    held = false;
    ended = true;
    for (const GotoStmt *jump : openGotos)
      add(factJumps, jump->getGotoLoc(), "'goto'");
    openGotos.clear();
  }

  /// Runs `body` as a part of the section that does not always run, if in the section.
  template <typename F> void inBranch(bool enteredHeld, F body) {
    isCompound |= enteredHeld;
    branches += enteredHeld;
    body();
    branches -= enteredHeld;
  }

  void branch(const IfStmt &node) {
    const bool enteredHeld = held;
    statement(node.getInit());
    if (node.getConditionVariableDeclStmt())
      leaf(*node.getConditionVariableDeclStmt());
    const std::optional<bool> heldIfTrue = success.heldIf(node.getCond());
    if (heldIfTrue && enteredHeld)
      visit(*node.getCond()); // looks at the acquisition's result
    else
      condition(node.getCond());
    const bool heldThen = held;
    bool heldAfter = false;
    inBranch(enteredHeld && !heldIfTrue, [&] {
      held = heldThen && heldIfTrue != false;
      statement(node.getThen());
      heldAfter = held;
      held = heldThen && heldIfTrue != true;
      statement(node.getElse());
    });
    held = held || heldAfter;
  }

  void loop(const Stmt &node) {
    const Expr *test = nullptr;
    const Stmt *body = nullptr, *next = nullptr;
    bool testsFirst = true;
    const bool enteredHeld = held;
    if (const auto *whileLoop = dyn_cast<WhileStmt>(&node)) {
      test = whileLoop->getCond();
      body = whileLoop->getBody();
    } else if (const auto *doLoop = dyn_cast<DoStmt>(&node)) {
      test = doLoop->getCond();
      body = doLoop->getBody();
      testsFirst = false;
    } else if (const auto *forLoop = dyn_cast<ForStmt>(&node)) {
      statement(forLoop->getInit());
      test = forLoop->getCond();
      body = forLoop->getBody();
      next = forLoop->getInc();
    } else {
      const auto &range = cast<CXXForRangeStmt>(node);
      for (const Stmt *part : {static_cast<const Stmt *>(range.getInit()),
                               static_cast<const Stmt *>(range.getRangeStmt())})
        statement(part);
      test = range.getCond();
      body = range.getBody();
    }
    // do { ... } while (0) is a macro's way to be one statement.
    const bool isOnce = !testsFirst && isConstant(test) && !isAlwaysTrue(test);
    inBranch(enteredHeld && !isOnce, [&] { iterations(test, body, next, testsFirst, isOnce); });
  }

  void iterations(const Expr *test, const Stmt *body, const Stmt *next, bool testsFirst,
                  bool isOnce) {
    const bool enteredHeld = held;
    const std::optional<bool> heldIfTrue = success.heldIf(test);
    targets.push_back({enteredHeld, scopes.size()});
    bool heldAtExit = false;
    const auto check = [&] {
      condition(test);
      heldAtExit |= held && !isAlwaysTrue(test) && heldIfTrue != true;
      held = held && heldIfTrue != false;
    };
    // What comes before the acquisition in the text comes after it in the next round.
    for (int round = 0; round < 2; ++round) {
      const bool heldBefore = held;
      if (testsFirst)
        check();
      statement(body);
      held = held || targets.back().heldAtContinue;
      if (next)
        statement(next);
      if (!testsFirst)
        check();
      if (heldBefore || !held || isOnce)
        break;
    }
    if (testsFirst && held && !isAlwaysTrue(test) && heldIfTrue != true)
      heldAtExit = true;
    const Target left = targets.pop_back_val();
    held = heldAtExit || left.heldAtBreak;
  }

  void choice(const SwitchStmt &node) {
    const bool enteredHeld = held;
    statement(node.getInit());
    if (node.getConditionVariableDeclStmt())
      leaf(*node.getConditionVariableDeclStmt());
    condition(node.getCond());
    const bool heldHere = held;
    bool hasDefault = false;
    for (const SwitchCase *label = node.getSwitchCaseList(); label;
         label = label->getNextSwitchCase())
      hasDefault |= isa<DefaultStmt>(label);
    targets.push_back({enteredHeld, scopes.size()});
    switches.push_back(heldHere);
    inBranch(enteredHeld, [&] {
      held = false;
      statement(node.getBody());
    });
    switches.pop_back();
    const Target left = targets.pop_back_val();
    held = held || left.heldAtBreak || (!hasDefault && heldHere);
  }

  void tryBlock(const CXXTryStmt &node) {
    const bool enteredHeld = held;
    bool catchesAll = false;
    for (unsigned i = 0; i < node.getNumHandlers(); ++i)
      catchesAll |= !node.getHandler(i)->getExceptionDecl();
    inBranch(enteredHeld, [&] {
      const bool catches = enteredHeld && catchesAll;
      caught += catches;
      statement(node.getTryBlock());
      caught -= catches;
      bool heldAfter = held;
      for (unsigned i = 0; i < node.getNumHandlers(); ++i) {
        held = enteredHeld;
        statement(node.getHandler(i));
        heldAfter |= held;
      }
      held = heldAfter;
    });
  }

  void label(const LabelStmt &node) {
    const auto arrives = [&](const GotoStmt *jump) { return jump->getLabel() == node.getDecl(); };
    for (const GotoStmt *jump : openGotos)
      if (arrives(jump)) {
        if (!held) // the text of the section has ended before
          add(factJumps, jump->getGotoLoc(), "'goto'");
        held = true;
      }
    llvm::erase_if(openGotos, arrives);
    if (held)
      labels.push_back(node.getDecl());
    statement(node.getSubStmt());
  }

  void leave(SectionFact fact, SourceLocation at, const char *what) {
    if (isWithin())
      add(fact, at, what);
    held = false;
  }

  void jump(const Stmt &node) {
    if (const auto *jump = dyn_cast<GotoStmt>(&node)) {
      if (held && llvm::is_contained(labels, jump->getLabel()))
        isCompound = true;
      else if (held)
        openGotos.push_back(jump);
      else if (isWithin())
        add(factJumps, jump->getGotoLoc(), "'goto'");
      held = false;
      return;
    }
    if (isa<IndirectGotoStmt>(node))
      return leave(factJumps, node.getBeginLoc(), "'goto'");
    if (targets.empty())
      return;
    const bool isBreak = isa<BreakStmt>(node);
    Target &target = targets.back();
    bool Target::*const heldThere = isBreak ? &Target::heldAtBreak : &Target::heldAtContinue;
    // Out of the loop in which the lock was taken, with the lock: no end of the section.
    const bool endsScope =
        llvm::is_contained(llvm::ArrayRef(scopes).drop_front(target.scopeDepth), endScope);
    if (!target.isInside && begun && (branches > 0 || (held && endsScope)))
      add(factJumps, node.getBeginLoc(), isBreak ? "'break'" : "'continue'");
    target.*heldThere |= held && !endsScope;
    held = false;
  }

  // Expressions.

  void condition(const Expr *test) {
    if (test && !isConstant(test))
      leaf(*test);
  }

  /// A statement or an expression that stands on its own.
  void leaf(const Stmt &node) {
    const bool heldBefore = held;
    const Stmt *outer = currentLeaf;
    currentLeaf = &node;
    if (heldBefore && !isReleaseItself(node) && !llvm::is_contained(contents, &node))
      contents.push_back(&node);
    if (isa<GotoStmt, IndirectGotoStmt, BreakStmt, ContinueStmt>(node))
      jump(node);
    else
      visit(node);
    if (endLeaf == &node) {
      held = false;
      ended = true;
    }
    currentLeaf = outer;
    if (isa<ReturnStmt, CoreturnStmt>(node))
      leave(factReturns, node.getBeginLoc(), "'return'");
  }

  bool isReleaseItself(const Stmt &node) const {
    const auto *expression = dyn_cast<Expr>(&node);
    const auto *call = expression ? dyn_cast<CallExpr>(expression->IgnoreParenCasts()) : nullptr;
    return call && isRelease(*call);
  }

  bool isRelease(const CallExpr &call) const {
    const FunctionDecl *callee = start.isWrapper ? call.getDirectCallee() : nullptr;
    return releases(call) || (callee && effects.releases(*callee));
  }

  void visit(const Stmt &node) {
    if (isa<CompoundStmt>(node)) // of a statement expression
      return statement(&node);
    forEachRunChild(node, [&](const Stmt &child) { visit(child); });
    success.see(node);
    if (const auto *declaration = dyn_cast<DeclStmt>(&node);
        declaration && declares(*declaration)) {
      endScope = scopes.empty() ? nullptr : scopes.back();
      return;
    }
    if (&node == start.acquire) {
      // Around a loop: a wait that waits once more.
      if (held && (effects.at(node).facts & factWaits))
        add(factWaits, node.getBeginLoc(), "");
      begun = held = true;
      if (start.isTemporary)
        endLeaf = currentLeaf;
      return;
    }
    if (!held)
      return;
    if (const auto *call = dyn_cast<CallExpr>(&node); call && isRelease(*call)) {
      held = false;
      ended = true;
      return;
    }
    // More than the acquisition in one expression.
    isCompound |=
        !llvm::is_contained(contents, currentLeaf) &&
        (isa<CallExpr, CXXConstructExpr>(node) ? !success.asksGuard(node) : hasSideEffect(node));
    effect(node);
  }

  void effect(const Stmt &node) {
    const NodeEffects here = effects.at(node);
    SectionFactBits facts = effects.allOf(here);
    if (caught > 0)
      facts &= ~SectionFactBits(factThrows);
    for (const SectionFact fact : {factThrows, factCallsPointer, factCallsUnknown, factWaits,
                                   factDoesIo, factTakesLock, factThreadLocal})
      if (facts & fact)
        add(fact, locationOf(node), "");
    if (!here.comesBack)
      held = false;
  }

  static SourceLocation locationOf(const Stmt &node) { return node.getBeginLoc(); }

  static bool hasSideEffect(const Stmt &node) {
    const auto *unary = dyn_cast<UnaryOperator>(&node);
    const auto *binary = dyn_cast<BinaryOperator>(&node);
    return (unary && unary->isIncrementDecrementOp()) ||
           (binary && binary->isAssignmentOp() && !isa<DeclRefExpr>(binary->getLHS()));
  }

  // Whether an acquisition has succeeded.

  bool declares(const DeclStmt &declaration) const {
    return start.guard && llvm::is_contained(declaration.decls(), start.guard);
  }

  static bool isConstant(const Expr *test) {
    return test && isa<IntegerLiteral, CXXBoolLiteralExpr>(test->IgnoreParenCasts());
  }

  static bool isAlwaysTrue(const Expr *test) {
    if (!test)
      return true;
    const Expr *expression = test->IgnoreParenCasts();
    const auto *number = dyn_cast<IntegerLiteral>(expression);
    const auto *boolean = dyn_cast<CXXBoolLiteralExpr>(expression);
    return (number && number->getValue() != 0) || (boolean && boolean->getValue());
  }

  const SectionStart &start;
  CallEffects &effects;
  const ASTContext &context;
  llvm::function_ref<bool(const CallExpr &)> releases;
  SuccessTest success;
  SectionFacts result;

  bool begun = false, held = false;
  bool ended = false;      ///< by a release, or with a scope, on some path
  unsigned branches = 0;   ///< statements around that branch and were entered with the lock held
  unsigned caught = 0;     ///< blocks around, in the section, that no exception leaves
  bool isCompound = false; ///< more than simple statements one after the other
  std::vector<const Stmt *> contents; ///< simple statements that began with the lock held
  llvm::SmallVector<const Stmt *, 8> scopes;
  const Stmt *endScope = nullptr; ///< the lock is released with this scope
  const Stmt *endLeaf = nullptr;  ///< with this full expression
  const Stmt *currentLeaf = nullptr;
  llvm::SmallVector<Target, 4> targets;
  llvm::SmallVector<bool, 4> switches;              ///< was the lock held at their heads?
  llvm::SmallVector<const GotoStmt *, 4> openGotos; ///< with the lock held, to labels further on
  llvm::SmallVector<const LabelDecl *, 4> labels;   ///< passed with the lock held
};

} // namespace

SectionFacts sectionFacts(const SectionStart &start, CallEffects &effects,
                          const ASTContext &context,
                          llvm::function_ref<bool(const CallExpr &)> releases) {
  return start.body ? Walk(start, effects, context, releases).run() : SectionFacts();
}

} // namespace qdadvise
