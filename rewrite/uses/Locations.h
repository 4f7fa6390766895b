// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From locations in the AST to pieces of files.
#pragma once

#include "rewrite/uses/LockUse.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace qdadvise {

/// The path of a file, absolute and without links.
std::string pathOf(clang::FileID file, const clang::SourceManager &sources);

/// Where something begins, for people: in a macro, where that is used.
TextRange placeOfUse(clang::SourceLocation location, const clang::ASTContext &context);

/// A use that cannot be changed, at a place that may be invalid.
LockUse gatedAt(clang::SourceLocation at, Gate gate, std::string detail,
                const clang::ASTContext &context);

/// The text of a range of tokens; nothing where it begins or ends in a macro.
std::optional<TextRange> textOf(clang::SourceRange tokens, const clang::ASTContext &context);

/// A range that is an argument of a macro, where that is written; others as they are.
clang::SourceRange inFile(clang::SourceRange tokens, const clang::ASTContext &context);

/// What stands there.
llvm::StringRef spelled(const TextRange &text, clang::SourceLocation in,
                        const clang::ASTContext &context);

/// The name of the macro of which the whole range is an expansion, and that name's text.
struct MacroUse {
  std::string name;
  TextRange text;
};
std::optional<MacroUse> macroAround(clang::SourceRange tokens, const clang::ASTContext &context);

} // namespace qdadvise
