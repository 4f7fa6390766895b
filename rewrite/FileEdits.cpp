// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/FileEdits.h"

#include "clang/Format/Format.h"
#include "clang/Tooling/Inclusions/HeaderIncludes.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;
using tooling::Replacement;
using tooling::Replacements;

namespace qdadvise {
namespace {

/// A statement with its semicolon; with its line, if nothing else is in it.
Replacement withoutStatement(const Edit &edit, llvm::StringRef code) {
  unsigned begin = edit.text.offset, end = edit.text.end();
  while (end < code.size() && llvm::isSpace(code[end]))
    ++end;
  if (end < code.size() && code[end] == ';')
    ++end;
  else
    end = edit.text.end();
  if (edit.replacement.empty()) {
    const std::size_t lineBegin = code.take_front(begin).rfind('\n') + 1;
    const std::size_t lineEnd = code.find('\n', end);
    if (code.slice(lineBegin, begin).trim().empty() && lineEnd != llvm::StringRef::npos &&
        code.slice(end, lineEnd).trim().empty()) {
      begin = static_cast<unsigned>(lineBegin);
      end = static_cast<unsigned>(lineEnd) + 1;
    } else if (code.take_front(begin).rtrim(" ").ends_with("{") &&
               code.drop_front(end).ltrim(" ").starts_with("}")) { // nothing is left in the braces
      begin = static_cast<unsigned>(code.take_front(begin).rtrim(" ").size());
      end = static_cast<unsigned>(code.size() - code.drop_front(end).ltrim(" ").size());
    }
  }
  return {edit.text.file, begin, end - begin, edit.replacement};
}

/// Two insertions at one place, one after the other.
Replacements withBoth(const Replacements &all, const Replacement &insertion) {
  Replacements both;
  for (const Replacement &known : all) {
    const bool isThere = known.getOffset() == insertion.getOffset() && known.getLength() == 0;
    llvm::cantFail(both.add(isThere ? Replacement(known.getFilePath(), known.getOffset(), 0,
                                                  known.getReplacementText().str() +
                                                      insertion.getReplacementText().str())
                                    : known));
  }
  return both;
}

/// Adds a replacement; one that is there already will do.
bool addTo(Replacements &all, const Replacement &replacement) {
  for (const Replacement &known : all) {
    if (known == replacement)
      return true;
    if (replacement.getLength() == 0 && known.getLength() == 0 &&
        known.getOffset() == replacement.getOffset()) {
      all = withBoth(all, replacement);
      return true;
    }
  }
  llvm::Error error = all.add(replacement);
  const bool isGood = !error;
  llvm::consumeError(std::move(error));
  return isGood;
}

format::FormatStyle styleOf(const std::string &path, llvm::StringRef code) {
  llvm::Expected<format::FormatStyle> style =
      format::getStyle("file", path, /*FallbackStyle=*/"none", code);
  if (style)
    return *style;
  llvm::consumeError(style.takeError());
  return format::getNoStyle();
}

} // namespace

Expected<std::string> readText(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return makeError("cannot read " + path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

bool FileEdits::add(const LockPlan &plan) {
  std::map<std::string, Replacements> changed = files;
  for (const Edit &edit : plan.edits) {
    const Expected<std::string> code = readText(edit.text.file);
    if (!code || !addTo(changed[edit.text.file],
                        edit.takesSemicolon ? withoutStatement(edit, *code)
                                            : Replacement(edit.text.file, edit.text.offset,
                                                          edit.text.length, edit.replacement)))
      return false;
  }
  for (const auto &[path, header] : plan.includes) {
    const Expected<std::string> code = readText(path);
    if (!code)
      return false;
    const tooling::HeaderIncludes includes(path, *code, styleOf(path, *code).IncludeStyle);
    const auto line = includes.insert(llvm::StringRef(header).trim("<>"), /*IsAngled=*/true,
                                      tooling::IncludeDirective::Include);
    if (!line)
      continue; // it is there
    // Two locks may bring two headers to one place.
    Replacements &ofFile = changed[path];
    bool isThere = false;
    for (const Replacement &known : ofFile)
      isThere |= known.getOffset() == line->getOffset() && known.getLength() == 0 &&
                 llvm::StringRef(known.getReplacementText()).contains(line->getReplacementText());
    if (isThere)
      continue;
    Replacement here = *line;
    if (llvm::Error error = ofFile.add(here)) {
      llvm::consumeError(std::move(error));
      here = Replacement(path, ofFile.getShiftedCodePosition(line->getOffset()), 0,
                         line->getReplacementText());
      ofFile = ofFile.merge(Replacements(here));
    }
  }
  files = std::move(changed);
  return true;
}

Expected<std::map<std::string, std::string>> FileEdits::apply() const {
  std::map<std::string, std::string> texts;
  for (const auto &[path, replacements] : files) {
    const std::string code = TRY(readText(path));
    const format::FormatStyle style = styleOf(path, code);
    llvm::Expected<Replacements> formatted = format::formatReplacements(code, replacements, style);
    if (!formatted)
      return makeError(path + ": " + llvm::toString(formatted.takeError()));
    llvm::Expected<std::string> text =
        tooling::applyAllReplacements(code, style.DisableFormat ? replacements : *formatted);
    if (!text)
      return makeError(path + ": " + llvm::toString(text.takeError()));
    texts[path] = std::move(*text);
  }
  return texts;
}

} // namespace qdadvise
