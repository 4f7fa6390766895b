// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/sections/SectionContents.h"

#include "plugin/ast/DeclNames.h"
#include "rewrite/sections/SectionNames.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace qdadvise {
namespace {

/// Functions that mean the frame of who calls them.
constexpr llvm::StringRef frameFunctions[] = {"alloca",
                                              "__builtin_alloca",
                                              "setjmp",
                                              "_setjmp",
                                              "__sigsetjmp",
                                              "__builtin_setjmp",
                                              "longjmp",
                                              "__builtin_frame_address",
                                              "__builtin_return_address"};

/// Functions that only compute, and say by `errno` that they could not.
constexpr llvm::StringRef errnoFunctions[] = {"strtol", "strtoul", "strtoll", "strtoull",
                                              "strtod", "strtof",  "strtold"};

/// What begins with the signal mask, the processors and the priority of who starts it.
constexpr llvm::StringRef startFunctions[] = {"pthread_create", "thrd_create", "fork",
                                              "vfork",          "clone",       "posix_spawn"};

bool startsThread(const CXXRecordDecl &record) {
  return record.isInStdNamespace() && (nameOf(record) == "thread" || nameOf(record) == "jthread");
}

class SectionWalk : public RecursiveASTVisitor<SectionWalk> {
  using Base = RecursiveASTVisitor<SectionWalk>;

public:
  SectionWalk(const SourceManager &sourceManager, const std::set<const Stmt *> &without)
      : sources(sourceManager), skipped(without) {}

  SectionContents found;

  bool TraverseStmt(Stmt *statement) {
    return skipped.contains(statement) || Base::TraverseStmt(statement);
  }
  // What these contain is left by its own ends.
  bool TraverseLambdaExpr(LambdaExpr *lambda) {
    for (Expr *capture : lambda->capture_inits())
      TraverseStmt(capture);
    return true;
  }
  bool TraverseDecl(Decl *decl) {
    return isa_and_nonnull<TagDecl, FunctionDecl>(decl) ? true : Base::TraverseDecl(decl);
  }
  bool TraverseWhileStmt(WhileStmt *loop) {
    return within(breaks, continues, loop, &Base::TraverseWhileStmt);
  }
  bool TraverseDoStmt(DoStmt *loop) {
    return within(breaks, continues, loop, &Base::TraverseDoStmt);
  }
  bool TraverseForStmt(ForStmt *loop) {
    return within(breaks, continues, loop, &Base::TraverseForStmt);
  }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *loop) {
    return within(breaks, continues, loop, &Base::TraverseCXXForRangeStmt);
  }
  bool TraverseSwitchStmt(SwitchStmt *choice) {
    return within(breaks, switches, choice, &Base::TraverseSwitchStmt);
  }

  bool VisitReturnStmt(ReturnStmt *statement) {
    found.returns.push_back(statement);
    return true;
  }
  bool VisitBreakStmt(BreakStmt *statement) { return breaks > 0 || leaves(*statement, "break"); }
  bool VisitContinueStmt(ContinueStmt *statement) {
    return continues > 0 || leaves(*statement, "continue");
  }
  bool VisitSwitchCase(SwitchCase *label) { return switches > 0 || leaves(*label, "case"); }
  bool VisitGotoStmt(GotoStmt *statement) { return leaves(*statement, "goto"); }
  bool VisitIndirectGotoStmt(IndirectGotoStmt *statement) { return leaves(*statement, "goto"); }
  bool VisitLabelStmt(LabelStmt *label) { return leaves(*label, "a label"); }
  bool VisitGCCAsmStmt(GCCAsmStmt *assembly) {
    return !assembly->isAsmGoto() || leaves(*assembly, "asm goto");
  }
  bool VisitCoroutineSuspendExpr(CoroutineSuspendExpr *wait) { return leaves(*wait, "co_await"); }
  bool VisitCoreturnStmt(CoreturnStmt *statement) { return leaves(*statement, "co_return"); }
  // An assertion names the function that it is in, and does not depend on it.
  bool VisitPredefinedExpr(PredefinedExpr *name) {
    return sources.isInSystemMacro(name->getBeginLoc()) || ofFrame(*name, "__func__");
  }
  bool VisitVAArgExpr(VAArgExpr *argument) { return ofFrame(*argument, "va_arg"); }
  bool VisitAddrLabelExpr(AddrLabelExpr *label) { return ofFrame(*label, "a label's address"); }
  bool VisitVarDecl(VarDecl *variable) {
    if (variable->getType()->isVariablyModifiedType())
      found.obstacles.push_back(
          {Gate::stackFrame, variable->getLocation(), "an array of variable length"});
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *construct) {
    return !startsThread(*construct->getConstructor()->getParent()) || starts(*construct);
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) {
    if (llvm::is_contained(startFunctions, nameOf(*name->getDecl())))
      return starts(*name);
    if (name->getType()->isVariablyModifiedType())
      return ofFrame(*name, "an array of variable length");
    if (setsErrno(*name->getDecl()))
      found.obstacles.push_back({Gate::errnoSet, name->getBeginLoc(), "it sets errno"});
    return !meansItsFrame(*name->getDecl()) || ofFrame(*name, "a function that means its caller");
  }

private:
  template <typename Statement, typename Traverse>
  bool within(int &first, int &second, Statement *statement, Traverse traverse) {
    ++first, ++second;
    const bool goOn = (this->*traverse)(statement, nullptr);
    --first, --second;
    return goOn;
  }
  bool leaves(const Stmt &at, const char *what) {
    found.obstacles.push_back({Gate::controlFlow, at.getBeginLoc(), what});
    return true;
  }
  bool starts(const Stmt &at) {
    found.obstacles.push_back({Gate::threadLocal, at.getBeginLoc(), "it starts a thread"});
    return true;
  }
  bool ofFrame(const Stmt &at, const char *what) {
    found.obstacles.push_back({Gate::stackFrame, at.getBeginLoc(), what});
    return true;
  }

  const SourceManager &sources;
  const std::set<const Stmt *> &skipped;
  int breaks = 0, continues = 0, switches = 0;
};

} // namespace

bool looksAtErrno(const FunctionDecl &function) {
  return llvm::any_of(namesIn({function.getBody()}).calls, [](const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    return callee && nameOf(*callee) == "__errno_location";
  });
}

bool setsErrno(const NamedDecl &function) {
  return llvm::is_contained(errnoFunctions, nameOf(function));
}

bool meansItsFrame(const NamedDecl &function) {
  return llvm::is_contained(frameFunctions, nameOf(function));
}

std::optional<std::string> indentOf(const TextRange &text, SourceLocation in,
                                    const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  const llvm::StringRef before =
      sources.getBufferData(sources.getFileID(sources.getExpansionLoc(in))).take_front(text.offset);
  const llvm::StringRef line = before.substr(before.rfind('\n') + 1);
  return line.trim(" \t").empty() ? std::optional(line.str()) : std::nullopt;
}

SectionContents contentsOf(llvm::ArrayRef<const Stmt *> code, const SourceManager &sources,
                           const std::set<const Stmt *> &without) {
  SectionWalk walk(sources, without);
  for (const Stmt *one : code)
    walk.TraverseStmt(const_cast<Stmt *>(one));
  return std::move(walk.found);
}

} // namespace qdadvise
