// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/InactiveCode.h"

#include "rewrite/Locations.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Token.h"

using namespace clang;

namespace qdadvise {
namespace {

class Collector : public PPCallbacks {
public:
  Collector(const Preprocessor &thePreprocessor, std::set<Mention> &found)
      : preprocessor(thePreprocessor), sources(thePreprocessor.getSourceManager()),
        mentions(found) {}

  void SourceRangeSkipped(SourceRange range, SourceLocation) override {
    if (sources.isInSystemHeader(range.getBegin()) || range.getBegin().isMacroID())
      return;
    const auto [file, begin] = sources.getDecomposedLoc(range.getBegin());
    const unsigned end = sources.getFileOffset(range.getEnd());
    const llvm::StringRef buffer = sources.getBufferData(file);
    Lexer lexer(sources.getLocForStartOfFile(file), preprocessor.getLangOpts(), buffer.begin(),
                buffer.begin() + begin, buffer.end());
    Token token;
    for (bool isLast = false; !isLast;) {
      isLast = lexer.LexFromRawLexer(token);
      if (sources.getFileOffset(token.getLocation()) >= end)
        break;
      if (token.is(tok::raw_identifier))
        add(token.getRawIdentifier(), token.getLocation(), Gate::inactiveCode);
    }
  }

  void MacroDefined(const Token &name, const MacroDirective *directive) override {
    if (name.getLocation().isInvalid() || sources.isInSystemHeader(name.getLocation()) ||
        sources.isWrittenInBuiltinFile(name.getLocation()) ||
        sources.isWrittenInCommandLineFile(name.getLocation()))
      return;
    for (const Token &token : directive->getMacroInfo()->tokens())
      if (const IdentifierInfo *identifier = token.getIdentifierInfo())
        add(identifier->getName(), token.getLocation(), Gate::macro);
  }

private:
  void add(llvm::StringRef name, SourceLocation at, Gate gate) {
    Mention mention;
    mention.name = name.str();
    const auto [file, offset] = sources.getDecomposedLoc(at);
    mention.text.file = pathOf(file, sources);
    mention.text.offset = offset;
    mention.text.line = sources.getLineNumber(file, offset);
    mention.text.column = sources.getColumnNumber(file, offset);
    mention.gate = gate;
    mentions.insert(std::move(mention));
  }

  const Preprocessor &preprocessor;
  const SourceManager &sources;
  std::set<Mention> &mentions;
};

} // namespace

std::unique_ptr<PPCallbacks> mentionsCollector(const Preprocessor &preprocessor,
                                               std::set<Mention> &mentions) {
  return std::make_unique<Collector>(preprocessor, mentions);
}

} // namespace qdadvise
