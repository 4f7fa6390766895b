// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/sections/CallSection.h"

#include "rewrite/sections/OutlinedSection.h"
#include "rewrite/sections/SectionContents.h"
#include "rewrite/sections/SectionNames.h"
#include "rewrite/sections/SingleAccess.h"
#include "rewrite/sections/UnawaitedSection.h"
#include "rewrite/uses/Locations.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>

using namespace clang;

namespace qdadvise {
namespace {

const CallExpr *callOf(const Stmt &statement) {
  const Stmt *node = &statement;
  for (;;) {
    if (const auto *cleanups = dyn_cast<ExprWithCleanups>(node))
      node = cleanups->getSubExpr();
    else if (const auto *parens = dyn_cast<ParenExpr>(node))
      node = parens->getSubExpr();
    else if (const auto *cast = dyn_cast<CStyleCastExpr>(node);
             cast && cast->getCastKind() == CK_ToVoid)
      node = cast->getSubExpr();
    else
      return dyn_cast<CallExpr>(node);
  }
}

/// The lock that a call of one of the lock's own functions is about, or null.
const Expr *lockOf(const CallExpr &call) {
  if (const auto *member = dyn_cast<CXXMemberCallExpr>(&call))
    return member->getImplicitObjectArgument();
  return call.getNumArgs() > 0 ? call.getArg(0) : nullptr;
}

bool isSameExpression(const Expr &one, const Expr &other, const ASTContext &context) {
  llvm::FoldingSetNodeID first, second;
  one.IgnoreParenImpCasts()->Profile(first, context, /*Canonical=*/true);
  other.IgnoreParenImpCasts()->Profile(second, context, /*Canonical=*/true);
  return first == second;
}

/// Finds where the section that a statement begins ends, on all ways through it.
class ShapeFinder {
public:
  ShapeFinder(SectionShape &sectionShape, const Expr &lockExpression, const LockApi &lockApi,
              const ASTContext &astContext)
      : shape(sectionShape), lock(lockExpression), api(lockApi), context(astContext) {}

  /// Why it is none; "" if it is one.
  std::string run() {
    bool isWithin = false;
    std::vector<const Stmt *> following;
    for (const Stmt *one : shape.block->body()) {
      if (isWithin)
        following.push_back(one);
      isWithin |= one == shape.acquire;
    }
    for (const Stmt *one : following) {
      if (releases(*one)) {
        shape.release = one;
        return problem;
      }
      shape.contents.push_back(one);
      const After after = through(*one);
      if (!problem.empty() || after != After::held)
        return shape.exits.empty() && problem.empty() ? noEnd : problem;
    }
    return noEnd;
  }

private:
  enum class After { held, released, gone };
  static constexpr const char *noEnd = "it does not end in the block where it begins";

  bool releases(const Stmt &statement) const {
    const CallExpr *call = callOf(statement);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    const auto operation = callee ? api.lockOperationOf(*callee) : std::nullopt;
    const Expr *released = call ? lockOf(*call) : nullptr;
    return operation && operation->role == SiteRole::release && released &&
           isSameExpression(*released, lock, context);
  }

  After through(const Stmt &statement) {
    if (const auto *block = dyn_cast<CompoundStmt>(&statement))
      return throughBlock(*block);
    if (const auto *branch = dyn_cast<IfStmt>(&statement))
      return throughBranch(*branch);
    if (releases(statement)) {
      shape.exits.push_back({&statement, nullptr, {}});
      return After::released;
    }
    if (const Stmt *body = loopBody(statement)) {
      ++loops;
      if (through(*body) == After::released)
        problem = "a loop gives up the lock";
      --loops;
      return After::held;
    }
    return isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt>(statement) ? After::gone
                                                                         : After::held;
  }

  static const Stmt *loopBody(const Stmt &statement) {
    if (const auto *loop = dyn_cast<WhileStmt>(&statement))
      return loop->getBody();
    if (const auto *loop = dyn_cast<DoStmt>(&statement))
      return loop->getBody();
    if (const auto *loop = dyn_cast<ForStmt>(&statement))
      return loop->getBody();
    if (const auto *loop = dyn_cast<CXXForRangeStmt>(&statement))
      return loop->getBody();
    return nullptr;
  }

  After throughBlock(const CompoundStmt &block) {
    for (auto at = block.body_begin(); at != block.body_end(); ++at) {
      if (releases(**at)) {
        SectionExit exit{*at, &block, {at + 1, block.body_end()}};
        const bool isLeft = !exit.rest.empty() && leaves(*exit.rest.back());
        checkRest(exit.rest);
        shape.exits.push_back(std::move(exit));
        return isLeft ? After::gone : After::released;
      }
      const After after = through(**at);
      if (after == After::released && at + 1 != block.body_end())
        problem = "a branch gives up the lock, and another does not";
      if (after != After::held)
        return after;
    }
    return After::held;
  }

  After throughBranch(const IfStmt &branch) {
    const After first = through(*branch.getThen());
    const After second = branch.getElse() ? through(*branch.getElse()) : After::held;
    if (first == second || second == After::gone)
      return first;
    if (first != After::gone)
      problem = "a branch gives up the lock, and another does not";
    return second;
  }

  static bool leaves(const Stmt &statement) {
    return isa<ReturnStmt, GotoStmt, BreakStmt, ContinueStmt>(statement);
  }

  /// What runs after the section moves to its end: within no loop that it would leave.
  void checkRest(const std::vector<const Stmt *> &rest) {
    for (const SectionContents::Obstacle &obstacle :
         contentsOf(rest, context.getSourceManager()).obstacles) {
      const llvm::StringRef what = obstacle.what;
      const bool isJump = what == "break" || what == "continue";
      if (obstacle.gate == Gate::controlFlow && what != "goto" && !(isJump && loops == 0))
        problem = "what follows it cannot be moved behind it";
    }
  }

  SectionShape &shape;
  const Expr &lock;
  const LockApi &api;
  const ASTContext &context;
  int loops = 0;
  std::string problem;
};

/// The calls that are operations on locks.
std::vector<const CallExpr *> lockOperationsIn(const std::vector<const CallExpr *> &calls,
                                               const LockApi &api) {
  std::vector<const CallExpr *> operations;
  for (const CallExpr *call : calls) {
    const FunctionDecl *callee = call->getDirectCallee();
    const auto operation = callee ? api.lockOperationOf(*callee) : std::nullopt;
    if (operation &&
        (operation->role == SiteRole::acquire || operation->role == SiteRole::release ||
         operation->role == SiteRole::lifetime))
      operations.push_back(call);
  }
  return operations;
}

/// Makes the text of the operation, or says what is in the way.
class SectionWriter {
public:
  SectionWriter(SectionShape &sectionShape, const LockApi &lockApi, ASTContext &astContext)
      : shape(sectionShape), api(lockApi), context(astContext) {}

  CallSection run(const CallExpr &call, const Expr &lock, const std::string &lockText) {
    const std::string problem = ShapeFinder(shape, lock, api, context).run();
    if (!problem.empty()) {
      forbid(Gate::sectionShape, call.getBeginLoc(), problem);
      section.access = {"", section.gate, section.place, section.detail};
      return section;
    }
    findAccess();
    if (looksAtErrno(*shape.function))
      forbid(Gate::errnoSet, call.getBeginLoc(), "the function looks at it");
    checkContents(lock);
    checkLock(lock);
    findEscaping();
    findUnawaited(lock);
    for (const SectionExit &exit : shape.exits)
      addRelease(*exit.release);
    if (shape.release)
      addRelease(*shape.release);
    if (section.gate)
      return section;
    if (context.getLangOpts().CPlusPlus)
      writeLambda(lockText);
    else if (const std::optional<Outlined> outlined = outline(shape, lockText, context);
             outlined->gate)
      forbid(*outlined->gate, outlined->at, outlined->detail);
    else
      section.edits = outlined->edits;
    return section;
  }

private:
  void forbid(Gate gate, SourceLocation at, std::string detail) {
    if (section.gate)
      return;
    section.gate = gate;
    section.place = placeOfUse(at, context);
    section.detail = std::move(detail);
  }

  /// Looks whether an atomic could stand for it: all that is left of it then are its contents.
  void findAccess() {
    section.access = singleAccess(shape.contents, shape.exitStatements(), /*mayLeave=*/false,
                                  *shape.function, context);
    std::vector<const Stmt *> statements = {shape.acquire};
    if (shape.release)
      statements.push_back(shape.release);
    for (const SectionExit &exit : shape.exits) {
      statements.push_back(exit.release);
      if (!exit.block && !section.access.gate)
        section.access = {"", Gate::sectionShape, placeOfUse(exit.release->getBeginLoc(), context),
                          "without braces"};
    }
    for (const Stmt *statement : statements) {
      const auto text = statementText(*statement, context);
      if (!text && !section.access.gate)
        section.access = {"", Gate::macro, placeOfUse(statement->getBeginLoc(), context), ""};
      else if (text)
        section.statements.push_back(*text);
    }
  }

  bool isLife(const CallExpr &operation) const {
    return api.lockOperationOf(*operation.getDirectCallee())->role == SiteRole::lifetime;
  }

  void checkContents(const Expr &lock) {
    const std::set<const Stmt *> exits = shape.exitStatements();
    inside = namesIn(shape.contents, exits);
    const SectionContents contents = contentsOf(shape.contents, context.getSourceManager(), exits);
    for (const SectionContents::Obstacle &obstacle : contents.obstacles)
      forbid(obstacle.gate, obstacle.at, obstacle.what);
    if (!contents.returns.empty())
      forbid(Gate::controlFlow, contents.returns.front()->getBeginLoc(), "return");
    std::vector<const Stmt *> afterExits;
    for (const SectionExit &exit : shape.exits)
      afterExits.insert(afterExits.end(), exit.rest.begin(), exit.rest.end());
    const SectionNames rests = namesIn(afterExits);
    // Whether those on other locks pair in it is one of the facts of the section.
    for (const CallExpr *operation : lockOperationsIn(inside.calls, api)) {
      const Expr *other = isLife(*operation) ? nullptr : lockOf(*operation);
      if (!other || isSameExpression(*other, lock, context))
        forbid(Gate::sectionShape, operation->getBeginLoc(), "another operation on a lock");
      section.hasOperations = true;
    }
    for (const CallExpr *operation : lockOperationsIn(rests.calls, api))
      forbid(Gate::sectionShape, operation->getBeginLoc(), "another operation on a lock");
    for (const VarDecl *variable : inside.declared)
      if (rests.uses.contains(variable))
        forbid(Gate::sectionShape, variable->getLocation(),
               "'" + variable->getNameAsString() + "' is declared in it and used after it");
  }

  /// The lock must be the same one at the end.
  void checkLock(const Expr &lock) {
    for (const auto &[variable, uses] : namesIn({&lock}).uses)
      if (variable->isLocalVarDeclOrParm() && !inside.isOnlyRead(variable))
        forbid(Gate::sectionShape, lock.getBeginLoc(),
               "'" + variable->getNameAsString() + "', which says which lock it is, may change");
  }

  /// What is declared in the section and used after it is declared before it.
  void findEscaping() {
    const llvm::ArrayRef<Stmt *> block(shape.block->body_begin(), shape.block->body_end());
    const auto *last = llvm::find(block, &shape.last());
    const std::vector<const Stmt *> following(last == block.end() ? last : last + 1, block.end());
    const SectionNames after = namesIn(following);
    for (const Stmt *one : shape.contents) {
      const auto *statement = dyn_cast<DeclStmt>(one);
      if (!statement)
        continue;
      for (const Decl *declared : statement->decls()) {
        const auto *variable = dyn_cast<VarDecl>(declared);
        if (!variable || !after.uses.contains(variable))
          continue;
        if (statement->isSingleDecl() && canEscape(*variable))
          shape.escaping.push_back({statement, variable});
        else
          forbid(Gate::sectionShape, variable->getLocation(),
                 "'" + variable->getNameAsString() + "' is declared in it and used after it");
      }
    }
  }

  bool canEscape(const VarDecl &variable) const {
    const QualType type = variable.getType();
    const bool isPlain = type->isArithmeticType() || type->isEnumeralType() ||
                         (type->isPointerType() && !type->isFunctionPointerType() &&
                          !type->getPointeeType()->isArrayType());
    return isPlain && !type.isConstQualified() && variable.hasLocalStorage() &&
           !type->getContainedAutoType() && !variable.hasAttrs() &&
           (!variable.hasInit() || variable.getInitStyle() == VarDecl::CInit) &&
           !isa_and_nonnull<InitListExpr>(variable.getInit());
  }

  void findUnawaited(const Expr &lock) {
    section.unawaited = unawaitedSection(*shape.acquire, lock, shape.contents, context);
    if (!shape.escaping.empty())
      section.unawaited.obstacle =
          "'" + shape.escaping.front().variable->getNameAsString() + "' is used after it";
    const auto begin = statementText(*shape.acquire, context);
    const auto end = shape.release ? statementText(*shape.release, context) : std::nullopt;
    if (!shape.exits.empty() || !begin || !end)
      section.unawaited.obstacle = "it is left before its end";
    else
      section.unawaited.text = between(*begin, *end);
    if (section.unawaited.place.file.empty() && begin)
      section.unawaited.place = *begin;
  }

  void addRelease(const Stmt &release) {
    if (const CallExpr *call = callOf(release))
      section.releases.push_back(placeOfUse(call->getBeginLoc(), context));
  }

  void add(const TextRange &text, std::string replacement) {
    section.edits.push_back({text, std::move(replacement), false, "", {}, {}, ""});
  }

  TextRange between(const TextRange &from, const TextRange &to) const {
    TextRange text = from;
    text.length = to.end() - from.offset;
    return text;
  }

  /// All ranges that are needed, or a gate.
  std::optional<TextRange> rangeOf(const Stmt &statement) {
    const auto text = statementText(statement, context);
    if (!text)
      forbid(Gate::macro, statement.getBeginLoc(), "a statement of the section");
    return text;
  }

  /// `lock.delegate([&] { … });`, and where the section is left before its end:
  /// `if (lock.delegate([&] { … return true; … return false; })) { … }`
  void writeLambda(const std::string &lock) {
    const auto acquire = rangeOf(*shape.acquire), last = rangeOf(shape.last());
    if (!acquire || !last)
      return;
    const SourceLocation in = shape.acquire->getBeginLoc();
    const std::string indent = indentOf(*acquire, in, context).value_or("");
    const std::size_t rests = static_cast<std::size_t>(std::ranges::count_if(
        shape.exits, [](const SectionExit &exit) { return !exit.rest.empty(); }));
    std::string before;
    for (const EscapingVariable &one : shape.escaping)
      before += declareBefore(one, indent);
    const std::string opening = rests == 0   ? ""
                                : rests == 1 ? "if ("
                                             : "if (const int sectionExit = ";
    add(*acquire, before + opening + lock + ".delegate([&] {");
    section.edits.back().detached = before + section.unawaited.openingFor(lock);
    std::string closing = rests == 0 ? "});" : rests == 1 ? "})) {" : "}); sectionExit == 1) {";
    std::size_t number = 0;
    for (const SectionExit &exit : shape.exits)
      closing += leave(exit, rests, number, indent);
    if (section.gate)
      return;
    if (rests > 0)
      closing = valueOf(0, rests) + "\n" + indent + closing + "\n" + indent + "}";
    if (shape.release) {
      add(*last, closing);
    } else {
      TextRange end = *last;
      end.offset = last->end();
      end.length = 0;
      add(end, "\n" + indent + closing);
    }
  }

  static std::string valueOf(std::size_t exit, std::size_t exits) {
    const std::string value = exits == 0   ? ""
                              : exits == 1 ? (exit == 0 ? " false" : " true")
                                           : " " + std::to_string(exit);
    return "return" + value + ";";
  }

  /// Writes one exit, and returns what runs for it after the section.
  std::string leave(const SectionExit &exit, std::size_t rests, std::size_t &number,
                    const std::string &indent) {
    const auto release = rangeOf(*exit.release);
    const auto end = exit.rest.empty() ? release : rangeOf(*exit.rest.back());
    if (!release || !end)
      return "";
    if (exit.rest.empty()) {
      add(*release, valueOf(0, rests));
      return "";
    }
    ++number;
    TextRange text = *release;
    text.offset = release->end();
    text.length = end->end() - text.offset;
    const std::string rest = spelled(text, exit.release->getBeginLoc(), context).rtrim().str();
    add(between(*release, *end), valueOf(number, rests));
    const std::string next =
        number == 1 ? ""
                    : "\n" + indent + "} else if (sectionExit == " + std::to_string(number) + ") {";
    return next + rest;
  }

  std::string declareBefore(const EscapingVariable &one, const std::string &indent) {
    const auto statement = rangeOf(*one.statement);
    const auto name = textOf({one.variable->getLocation(), one.variable->getLocation()}, context);
    if (!statement || !name)
      return "";
    TextRange type = *statement;
    type.length = name->offset - statement->offset;
    const std::string written = spelled(type, one.statement->getBeginLoc(), context).str();
    add(one.variable->hasInit() ? type : *statement, "");
    return written + one.variable->getNameAsString() + ";\n" + indent;
  }

  SectionShape &shape;
  const LockApi &api;
  ASTContext &context;
  SectionNames inside;
  CallSection section;
};

const FunctionDecl *functionAround(const Stmt &statement, ASTContext &context) {
  DynTypedNode node = DynTypedNode::create(statement);
  for (;;) {
    const auto parents = context.getParents(node);
    if (parents.size() != 1)
      return nullptr;
    node = parents[0];
    if (const auto *function = node.get<FunctionDecl>())
      return function;
    if (node.get<LambdaExpr>())
      return nullptr;
  }
}

} // namespace

std::set<const Stmt *> SectionShape::exitStatements() const {
  std::set<const Stmt *> statements;
  for (const SectionExit &exit : exits) {
    statements.insert(exit.release);
    statements.insert(exit.rest.begin(), exit.rest.end());
  }
  return statements;
}

bool SectionShape::hasRests() const {
  return std::ranges::any_of(exits, [](const SectionExit &exit) { return !exit.rest.empty(); });
}

std::optional<TextRange> statementText(const Stmt &statement, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  const SourceRange whole(sources.getExpansionLoc(statement.getBeginLoc()),
                          sources.getExpansionRange(statement.getEndLoc()).getEnd());
  std::optional<TextRange> text = textOf(whole, context);
  if (!text || isa<CompoundStmt>(statement))
    return text;
  const llvm::StringRef after =
      sources.getBufferData(sources.getFileID(whole.getBegin())).drop_front(text->end());
  const std::size_t next = after.find_first_not_of(" \t\r\n");
  if (next != llvm::StringRef::npos && after[next] == ';')
    text->length += static_cast<unsigned>(next) + 1;
  return text;
}

CallSection callSection(const CallExpr &call, const Stmt &acquire, const Expr &lock,
                        const std::string &lockText, const LockApi &api, ASTContext &context) {
  SectionShape shape;
  const auto parents = context.getParents(acquire);
  shape.block = parents.size() == 1 ? parents[0].get<CompoundStmt>() : nullptr;
  shape.acquire = &acquire;
  shape.function = functionAround(acquire, context);
  CallSection section;
  if (shape.block && shape.function) {
    section = SectionWriter(shape, api, context).run(call, lock, lockText);
  } else {
    section.gate = Gate::sectionShape;
    section.place = placeOfUse(call.getBeginLoc(), context);
    section.detail = "it does not begin in a block of a function";
    section.access = {"", section.gate, section.place, section.detail};
  }
  section.call = placeOfUse(call.getBeginLoc(), context);
  return section;
}

} // namespace qdadvise
