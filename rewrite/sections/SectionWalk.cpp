// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/sections/SectionWalk.h"

#include "plugin/ast/DeclNames.h"

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

class ErrnoWalk : public RecursiveASTVisitor<ErrnoWalk> {
public:
  bool found = false;
  bool VisitDeclRefExpr(DeclRefExpr *name) {
    found |= nameOf(*name->getDecl()) == "__errno_location";
    return !found;
  }
};

} // namespace

bool looksAtErrno(const FunctionDecl &function) {
  ErrnoWalk walk;
  walk.TraverseStmt(function.getBody());
  return walk.found;
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

} // namespace qdadvise
