// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/InactiveCode.h"

#include "rewrite/uses/Locations.h"

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
    Token token, before, object; // `object -> token`
    before.startToken(), object.startToken();
    for (bool isLast = false; !isLast;) {
      isLast = lexer.LexFromRawLexer(token);
      if (sources.getFileOffset(token.getLocation()) >= end)
        break;
      if (token.is(tok::raw_identifier)) {
        Mention mention = mentionOf(token.getRawIdentifier(), token.getLocation());
        mention.isMember = before.isOneOf(tok::period, tok::arrow);
        if (mention.isMember && object.is(tok::raw_identifier))
          mention.object = object.getRawIdentifier().str();
        mentions.insert(std::move(mention));
      }
      object = before;
      before = token;
    }
  }

  void MacroDefined(const Token &name, const MacroDirective *directive) override {
    if (name.getLocation().isInvalid() || sources.isInSystemHeader(name.getLocation()) ||
        sources.isWrittenInBuiltinFile(name.getLocation()) ||
        sources.isWrittenInCommandLineFile(name.getLocation()))
      return;
    for (const Token &token : directive->getMacroInfo()->tokens())
      if (const IdentifierInfo *identifier = token.getIdentifierInfo())
        addMacro(identifier->getName(), token.getLocation());
  }

private:
  void addMacro(llvm::StringRef name, SourceLocation at) {
    Mention mention = mentionOf(name, at);
    mention.gate = Gate::macro;
    mentions.insert(std::move(mention));
  }

  Mention mentionOf(llvm::StringRef name, SourceLocation at) const {
    Mention mention;
    mention.name = name.str();
    const auto [file, offset] = sources.getDecomposedLoc(at);
    mention.text.file = pathOf(file, sources);
    mention.text.offset = offset;
    mention.text.line = sources.getLineNumber(file, offset);
    mention.text.column = sources.getColumnNumber(file, offset);
    return mention;
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
