// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/uses/Branches.h"

#include "rewrite/uses/Locations.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>

using namespace clang;

namespace qdadvise {
namespace {

class Collector : public PPCallbacks {
public:
  Collector(const SourceManager &theSources, std::set<Branch> &found)
      : sources(theSources), branches(found) {}

  void If(SourceLocation at, SourceRange condition, ConditionValueKind) override {
    begin(at, textOf(condition), /*isNegated=*/false);
  }
  void Ifdef(SourceLocation at, const Token &name, const MacroDefinition &) override {
    begin(at, definedOf(name), /*isNegated=*/false);
  }
  void Ifndef(SourceLocation at, const Token &name, const MacroDefinition &) override {
    begin(at, definedOf(name), /*isNegated=*/true);
  }
  void Elif(SourceLocation at, SourceRange condition, ConditionValueKind,
            SourceLocation opening) override {
    next(at, opening, textOf(condition));
  }
  void Else(SourceLocation at, SourceLocation opening) override { next(at, opening, ""); }
  void Endif(SourceLocation at, SourceLocation opening) override {
    if (const auto open = chains.find(opening.getRawEncoding()); open != chains.end()) {
      close(at, open->second);
      chains.erase(open);
    }
  }

private:
  /// The branches of one `#if` as far as they are read.
  struct Chain {
    Branch branch;         ///< the one that is open
    std::string condition; ///< its own; "" after `#else`
    bool isNegated = false;
    std::set<std::string> held; ///< by what the branches before it were not compiled
  };

  static std::string definedOf(const Token &name) {
    const IdentifierInfo *identifier = name.getIdentifierInfo();
    return "defined(" + (identifier ? identifier->getName().str() : std::string()) + ")";
  }

  std::string textOf(SourceRange condition) const {
    if (condition.isInvalid())
      return "";
    const llvm::StringRef file = sources.getBufferData(sources.getFileID(condition.getBegin()));
    const unsigned from = sources.getFileOffset(condition.getBegin());
    std::string text;
    for (const char c : file.drop_front(from)) {
      if (c == '\n' && !llvm::StringRef(text).ends_with("\\"))
        break;
      if (!llvm::isSpace(c))
        text += c;
    }
    return text;
  }

  void begin(SourceLocation at, std::string condition, bool isNegated) {
    if (at.isMacroID() || sources.isInSystemHeader(at))
      return;
    Chain &chain = chains[at.getRawEncoding()];
    chain.condition = std::move(condition);
    chain.isNegated = isNegated;
    open(at, chain);
  }

  void next(SourceLocation at, SourceLocation opening, std::string condition) {
    const auto found = chains.find(opening.getRawEncoding());
    if (found == chains.end())
      return;
    Chain &chain = found->second;
    close(at, chain);
    (chain.isNegated ? chain.held : chain.branch.fails).insert(chain.condition);
    if (chain.isNegated)
      chain.branch.fails.erase(chain.condition);
    chain.condition = std::move(condition);
    chain.isNegated = false;
    open(at, chain);
  }

  void open(SourceLocation at, Chain &chain) {
    chain.branch.text.file = pathOf(sources.getFileID(at), sources);
    chain.branch.text.offset = sources.getFileOffset(at);
    chain.branch.holds = chain.held;
    if (!chain.condition.empty())
      (chain.isNegated ? chain.branch.fails : chain.branch.holds).insert(chain.condition);
  }

  void close(SourceLocation at, Chain &chain) {
    chain.branch.text.length = sources.getFileOffset(at) - chain.branch.text.offset;
    branches.insert(chain.branch);
  }

  const SourceManager &sources;
  std::set<Branch> &branches;
  std::map<unsigned, Chain> chains; ///< by where the `#if` is
};

/// Does a condition hold in one and fail in the other?
bool contradicts(const Branch &one, const Branch &other) {
  const auto isIn = [](const std::set<std::string> &all) {
    return [&all](const std::string &condition) { return all.contains(condition); };
  };
  return std::ranges::any_of(one.holds, isIn(other.fails)) ||
         std::ranges::any_of(other.holds, isIn(one.fails));
}

} // namespace

bool areExclusive(const TextRange &one, const TextRange &other, const std::set<Branch> &branches) {
  const auto has = [](const Branch &branch, const TextRange &place) {
    return branch.text.file == place.file && branch.text.offset <= place.offset &&
           place.offset < branch.text.end();
  };
  for (const Branch &around : branches)
    if (has(around, one))
      for (const Branch &also : branches)
        if (has(also, other) && contradicts(around, also))
          return true;
  return false;
}

std::unique_ptr<PPCallbacks> branchCollector(const SourceManager &sources,
                                             std::set<Branch> &found) {
  return std::make_unique<Collector>(sources, found);
}

} // namespace qdadvise
