// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/UnitReader.h"

#include "advisor/advice/Placement.h"
#include "plugin/api/LockApi.h"
#include "plugin/locksets/LockNames.h"
#include "plugin/options/UserFiles.h"
#include "plugin/sites/LockSites.h"
#include "rewrite/InactiveCode.h"
#include "rewrite/IntegerCollector.h"
#include "rewrite/PointerCollector.h"
#include "rewrite/UseCollector.h"
#include "rewrite/VariableCollector.h"
#include "rewrite/uses/Branches.h"
#include "rewrite/uses/Locations.h"
#include "rewrite/uses/LockTypes.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"

#include <algorithm>

using namespace clang;

namespace qdadvise {
namespace {

/// By number of the site: what it takes, if that is a lock of the program.
using SiteKeys = std::map<std::size_t, std::string>;

CodeFacts factsOf(SectionFactBits bits, const UnseenCode &unseen, const InnerSites &inner,
                  const LockTable &table, const SiteKeys &keys) {
  if (!unseen.isMore && !unseen.functions.empty())
    bits &= ~SectionFactBits{factCallsUnknown};
  CodeFacts facts{bits, unseen.functions, {}, inner.isOpen};
  for (const std::size_t site : inner.takes) {
    const auto key = keys.find(site);
    if (key != keys.end())
      facts.takes.insert(key->second);
    facts.isOpen |= key == keys.end() || table.sites[site].inner.isOpen;
  }
  return facts;
}

class Reader : public ASTConsumer {
public:
  Reader(CompilerInstance &instance, const AdviceFile &adviceFile, const WantedUses &wantedUses,
         ProgramUses &lockProgram)
      : compiler(instance), advice(adviceFile), wanted(wantedUses), program(lockProgram) {
    compiler.getPreprocessor().addPPCallbacks(
        mentionsCollector(compiler.getPreprocessor(), program.mentions));
    compiler.getPreprocessor().addPPCallbacks(
        branchCollector(compiler.getSourceManager(), program.branches));
  }

  void HandleTranslationUnit(ASTContext &context) override {
    const SourceManager &sources = context.getSourceManager();
    const std::string unit = pathOf(sources.getMainFileID(), sources);
    for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
      const llvm::StringRef path = file->first.getFileEntry().tryGetRealPathName();
      program.unitsOf[(path.empty() ? file->first.getName() : path).str()].insert(unit);
    }
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    const std::optional<UserConfig> config = readUserConfig(compiler, PluginOptions());
    if (!config)
      return;
    const LockApi api(context, config->lockApis);
    UseCollector(context, api, program).run();
    PointerCollector(context, api, program).run();
    if (wanted.integers)
      IntegerCollector(context, api, program).run();
    if (wanted.lasting)
      VariableCollector(context, api, program).run();
    const LockTable table = findLockSites(context, api, /*withFunctions=*/true);
    const SiteKeys keys = keysOf(context, table);
    // Two programs of one database may have a function each: either may be called.
    for (const auto &[name, function] : table.functions)
      program.functions[name].add(
          factsOf(function.facts, function.unseen, function.inner, table, keys));
    addSites(context, table, keys);
  }

private:
  SiteKeys keysOf(ASTContext &context, const LockTable &table) {
    SiteKeys keys;
    for (std::size_t i = 0; i < table.sites.size(); ++i) {
      const LockSite &site = table.sites[i];
      if (!takesLock(site.role) || context.getSourceManager().isInSystemHeader(site.location))
        continue;
      const auto operation = table.operations.find(site.callee);
      keys[i] =
          keyOfSite(site, operation != table.operations.end() && operation->second.waits, context);
    }
    return keys;
  }

  void addSites(ASTContext &context, const LockTable &table, const SiteKeys &keys) {
    const SourceManager &sources = context.getSourceManager();
    std::vector<SiteIdentity> identities;
    std::vector<std::string> keysInOrder;
    for (const auto &[number, key] : keys) {
      const LockSite &site = table.sites[number];
      const TextRange at = placeOfUse(site.location, context);
      // A unit that does not know speaks for all.
      CodeFacts facts = factsOf(site.facts, site.unseen, site.inner, table, keys);
      facts.bits |= site.facts & factsKnown ? 0 : factCallsUnknown;
      program.facts[{at.file, at.offset}].add(facts);
      program.keysAt[{at.file, at.offset}].insert(key);
      identities.push_back(
          {site.file, site.function, site.expression, site.ordinal, site.sectionHash});
      keysInOrder.push_back(key);
    }
    std::vector<std::string> headers;
    for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file)
      headers.push_back(mappedPath(file->first.getName(), context.getLangOpts()));
    const Placements placements = placeAdvice(
        advice, identities, mappedPath(mainFileName(sources), context.getLangOpts()), headers);
    for (const Placement &placed : placements.placed)
      program.advised[placed.advice].insert(keysInOrder[placed.site]);
  }

  /// The key of the lock that a site is of.
  std::string keyOfSite(const LockSite &site, bool waits, const ASTContext &context) {
    for (const auto &[key, lock] : program.locks)
      if (!site.declFile.empty() && lock.name == site.lockName &&
          std::ranges::any_of(lock.places, [&](const auto &place) {
            return place.second == site.declLine && sameFile(place.first, site.declFile);
          }))
        return key;
    OtherLock other;
    const bool isNamed = !site.lockName.empty();
    other.name = isNamed ? site.lockName : site.expression + " in " + site.function;
    other.type = site.lockType;
    other.gate = isNamed ? Gate::lockType : Gate::behindPointer;
    other.place = placeOfUse(site.location, context);
    other.waits = waits;
    std::string key = other.name + "|" + site.declFile + ":" + std::to_string(site.declLine);
    const std::pair at(other.place.file, other.place.offset);
    program.others.emplace(key, std::move(other)).first->second.places.insert(at);
    return key;
  }

  CompilerInstance &compiler;
  const AdviceFile &advice;
  const WantedUses &wanted;
  ProgramUses &program;
};

} // namespace

std::unique_ptr<ASTConsumer> unitReader(CompilerInstance &compiler, const AdviceFile &advice,
                                        const WantedUses &wanted, ProgramUses &program) {
  return std::make_unique<Reader>(compiler, advice, wanted, program);
}

} // namespace qdadvise
