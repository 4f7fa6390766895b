// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sections/SectionExtent.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

#include <string>

using namespace clang;

namespace qdadvise {

SourceRange criticalSection(llvm::ArrayRef<const Stmt *> path, SectionEnd end,
                            llvm::function_ref<bool(const Stmt &)> releases) {
  const auto compound =
      std::find_if(path.rbegin(), path.rend(), [](const Stmt *s) { return isa<CompoundStmt>(s); });
  if (path.empty())
    return {};
  if (compound == path.rend() || compound == path.rbegin())
    return path.front()->getSourceRange();
  const auto &scope = cast<CompoundStmt>(**compound);
  const Stmt *first = *std::prev(compound);
  if (end == SectionEnd::statement)
    return first->getSourceRange();
  if (end == SectionEnd::unlock) {
    bool inside = false;
    for (const Stmt *statement : scope.body()) {
      if (inside && releases(*statement))
        return {first->getBeginLoc(), statement->getEndLoc()};
      inside = inside || statement == first;
    }
  }
  return {first->getBeginLoc(), scope.getEndLoc()};
}

std::optional<FileText> textOf(SourceRange range, const SourceManager &sources,
                               const LangOptions &language) {
  if (range.isInvalid())
    return std::nullopt;
  // Arguments of a macro are where they are written, the rest is where it is used.
  const SourceLocation begin = sources.getFileLoc(range.getBegin());
  SourceLocation end = range.getEnd();
  while (end.isMacroID())
    end = sources.isMacroArgExpansion(end) ? sources.getImmediateSpellingLoc(end)
                                           : sources.getImmediateExpansionRange(end).getEnd();
  const auto [file, beginOffset] = sources.getDecomposedLoc(begin);
  const auto [endFile, endOffset] = sources.getDecomposedLoc(end);
  const bool isOrdered = endFile == file && endOffset >= beginOffset;
  const unsigned last = isOrdered ? endOffset : beginOffset;
  return FileText{file, beginOffset, last,
                  last + Lexer::MeasureTokenLength(isOrdered ? end : begin, sources, language)};
}

std::uint64_t tokenHash(SourceRange range, const SourceManager &sources,
                        const LangOptions &language) {
  const std::optional<FileText> part = textOf(range, sources, language);
  if (!part)
    return 0;
  bool invalid = false;
  const llvm::StringRef text = sources.getBufferData(part->file, &invalid);
  if (invalid)
    return 0;

  std::string spelled;
  Lexer lexer(sources.getLocForStartOfFile(part->file), language, text.begin(),
              text.begin() + part->begin, text.end());
  Token token;
  while (true) {
    lexer.LexFromRawLexer(token);
    const unsigned offset = sources.getFileOffset(token.getLocation());
    if (token.is(tok::eof) || offset > part->last)
      break;
    spelled += text.substr(offset, token.getLength());
    spelled += '\n'; // apart, so that `a b` is not `ab`
  }
  const std::uint64_t hash = llvm::xxh3_64bits(spelled);
  return hash ? hash : 1;
}

} // namespace qdadvise
