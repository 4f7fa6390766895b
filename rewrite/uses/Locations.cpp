// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/uses/Locations.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <utility>

using namespace clang;

namespace qdadvise {
namespace {

TextRange rangeInFile(SourceLocation begin, unsigned length, const SourceManager &sources) {
  const auto [file, offset] = sources.getDecomposedLoc(begin);
  TextRange text;
  text.file = pathOf(file, sources);
  text.offset = offset;
  text.length = length;
  text.line = sources.getLineNumber(file, offset);
  text.column = sources.getColumnNumber(file, offset);
  return text;
}

} // namespace

std::string pathOf(FileID file, const SourceManager &sources) {
  const OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
  if (!entry)
    return "";
  llvm::SmallString<256> path = entry->getFileEntry().tryGetRealPathName();
  if (path.empty()) {
    path = entry->getName();
    sources.getFileManager().makeAbsolutePath(path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  }
  return path.str().str();
}

TextRange placeOfUse(SourceLocation location, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  return rangeInFile(sources.getExpansionLoc(location), 0, sources);
}

LockUse gatedAt(SourceLocation at, Gate gate, std::string detail, const ASTContext &context) {
  return gatedUse(gate, at.isValid() ? placeOfUse(at, context) : TextRange(), std::move(detail));
}

std::optional<TextRange> textOf(SourceRange tokens, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  if (tokens.isInvalid() || tokens.getBegin().isMacroID() || tokens.getEnd().isMacroID() ||
      sources.getFileID(tokens.getBegin()) != sources.getFileID(tokens.getEnd()))
    return std::nullopt;
  const SourceLocation end =
      Lexer::getLocForEndOfToken(tokens.getEnd(), 0, sources, context.getLangOpts());
  if (end.isInvalid())
    return std::nullopt;
  const unsigned begin = sources.getFileOffset(tokens.getBegin());
  return rangeInFile(tokens.getBegin(), sources.getFileOffset(end) - begin, sources);
}

SourceRange inFile(SourceRange tokens, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  const CharSourceRange range = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(tokens),
                                                         sources, context.getLangOpts());
  if (tokens.getBegin().isFileID() || range.isInvalid() ||
      !sources.isMacroArgExpansion(tokens.getBegin()))
    return tokens;
  return {sources.getFileLoc(tokens.getBegin()), sources.getFileLoc(tokens.getEnd())};
}

llvm::StringRef spelled(const TextRange &text, SourceLocation in, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  return sources.getBufferData(sources.getFileID(sources.getExpansionLoc(in)))
      .substr(text.offset, text.length);
}

std::optional<MacroUse> macroAround(SourceRange tokens, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  if (tokens.isInvalid() || !tokens.getBegin().isMacroID() || !tokens.getEnd().isMacroID())
    return std::nullopt;
  const CharSourceRange first = sources.getExpansionRange(tokens.getBegin());
  const CharSourceRange last = sources.getExpansionRange(tokens.getEnd());
  if (first.getBegin() != last.getBegin() || first.getEnd() != last.getEnd())
    return std::nullopt;
  const std::optional<TextRange> text = textOf(first.getAsRange(), context);
  if (!text)
    return std::nullopt;
  return MacroUse{spelled(*text, first.getBegin(), context).str(), *text};
}

} // namespace qdadvise
