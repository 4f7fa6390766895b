// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/advice/AdviceReporter.h"

#include "advisor/advice/DiagnosticText.h"
#include "advisor/advice/Placement.h"
#include "advisor/advice/Suppression.h"
#include "advisor/support/SectionFactNames.h"
#include "plugin/locksets/LockNames.h"
#include "plugin/options/UserFiles.h"
#include "runtime/abi/lock_algorithms.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace qdadvise;
using clang::DiagnosticsEngine;
using clang::LangOptions;
using clang::SourceLocation;
using clang::SourceManager;
using llvm::StringRef;

namespace {

DiagnosticsEngine::Level levelOf(Severity severity) {
  switch (severity) {
  case Severity::off:
    return DiagnosticsEngine::Ignored;
  case Severity::remark:
    return DiagnosticsEngine::Remark;
  case Severity::warning:
    return DiagnosticsEngine::Warning;
  case Severity::error:
    return DiagnosticsEngine::Error;
  }
  llvm_unreachable("all severities are handled");
}

/// The message is an argument, so that a `%` in a name is no directive.
void reportAt(DiagnosticsEngine &diagnostics, DiagnosticsEngine::Level level, SourceLocation at,
              StringRef message) {
  const unsigned id = level == DiagnosticsEngine::Note
                          ? diagnostics.getCustomDiagID(DiagnosticsEngine::Note, "%0")
                          : diagnostics.getCustomDiagID(level, "%0 [qdadvise]");
  diagnostics.Report(at, id) << message;
}

/// The names of all files of the compilation, as sites have them.
std::vector<std::string> includedFiles(const SourceManager &sources, const LangOptions &language) {
  std::vector<std::string> names;
  for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it)
    names.push_back(mappedPath(it->first.getName(), language));
  return names;
}

/// The sites that take a lock, as they stand in the source.
std::vector<const LockSite *> sitesInOrder(const LockTable &table, const SourceManager &sources) {
  std::vector<const LockSite *> sites;
  for (const LockSite &site : table.sites)
    if (takesLock(site.role))
      sites.push_back(&site);
  std::sort(sites.begin(), sites.end(), [&](const LockSite *a, const LockSite *b) {
    if (a->location != b->location)
      return sources.isBeforeInTranslationUnit(a->location, b->location);
    return a < b;
  });
  return sites;
}

std::vector<SiteIdentity> identitiesOf(const std::vector<const LockSite *> &sites) {
  std::vector<SiteIdentity> identities;
  identities.reserve(sites.size());
  for (const LockSite *site : sites)
    identities.push_back(
        {site->file, site->function, site->expression, site->ordinal, site->sectionHash});
  return identities;
}

/// Names the advice that has lost its place, of that which would have been printed.
std::string goneMessage(const AdviceFile &file, const std::vector<std::size_t> &gone) {
  constexpr std::size_t most = 3;
  std::string message = "advice is stale for code that no longer takes its lock: ";
  for (std::size_t i = 0; i != std::min(most, gone.size()); ++i) {
    const Advice &advice = file.advice[gone[i]];
    message += (i ? ", '" : "'") + advice.expression + "' in '" + advice.function + "' (was " +
               advice.file + ":" + std::to_string(advice.line) + ")";
  }
  if (gone.size() > most)
    message += " and " + std::to_string(gone.size() - most) + " more";
  return message + "; record and advise again";
}

/// Reports the facts of a section where the source shows them.
void reportFacts(DiagnosticsEngine &diagnostics, const LockSite &site, const Advice &advice) {
  const LockAlgorithm *algorithm = findLockAlgorithm(algorithmNamed(advice.advised));
  const bool delegates = algorithm && algorithm->delegates;
  for (const ShownFact &shown : site.shownFacts) {
    if (shown.fact == factOneIntegerUpdate)
      reportAt(diagnostics, DiagnosticsEngine::Note, shown.location,
               "this section is one integer update: an atomic would do");
    for (const SectionFactRow &row : sectionFactTable)
      if (delegates && row.hindersDelegating && shown.fact == row.fact)
        reportAt(diagnostics, DiagnosticsEngine::Note, shown.location,
                 ("this section cannot be delegated as it stands: " + StringRef(shown.what) +
                  row.atSource)
                     .str());
  }
}

/// A line of source: that of a place, or one above it.
StringRef lineOf(const SourceManager &sources, SourceLocation place, int offset) {
  const auto [file, position] = sources.getDecomposedLoc(sources.getExpansionLoc(place));
  StringRef text = sources.getBufferData(file);
  std::size_t end = text.find('\n', position);
  for (; offset < 0; ++offset) {
    const std::size_t before = text.take_front(std::min<std::size_t>(end, text.size())).rfind('\n');
    if (before == StringRef::npos)
      return "";
    end = before;
  }
  const StringRef upTo = text.take_front(std::min<std::size_t>(end, text.size()));
  return upTo.substr(upTo.rfind('\n') + 1);
}

/// Where the lock of a site is declared; invalid where nobody knows.
SourceLocation declarationOf(const LockSite &site, const clang::CompilerInstance &compiler) {
  const SourceManager &sources = compiler.getSourceManager();
  if (site.declFile.empty())
    return {};
  for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it)
    if (mappedPath(it->first.getName(), compiler.getLangOpts()) == site.declFile)
      return sources.translateFileLineCol(&it->first.getFileEntry(), site.declLine,
                                          std::max(1U, site.declColumn));
  return {};
}

} // namespace

bool AdviceReporter::load(const UserConfig &given) {
  config = given;
  severity = options.severity.value_or(config.severity.value_or(severity));
  const std::string &adviceOfConfig = config.advice;
  std::string path = options.advice;
  if (path.empty() && !adviceOfConfig.empty()) {
    // A tree is configured before it is advised: a file yet to be written is no error.
    if (!compiler.getFileManager().getOptionalFileRef(adviceOfConfig)) {
      if (!options.instrument && !compiler.getDiagnostics().getIgnoreAllWarnings())
        reportWithoutPlace(compiler.getDiagnostics(), DiagnosticsEngine::Remark,
                           "there is no advice yet: '" + adviceOfConfig +
                               "' does not exist; `qdadvise advise` writes it");
      return false;
    }
    path = adviceOfConfig;
  }
  if (path.empty())
    return false;
  const std::optional<std::string> text = readUserFile(compiler, path, "advice", options);
  if (!text)
    return false;
  Expected<AdviceFile> result = parseAdvice(*text, path);
  if (!result) {
    reportWithoutPlace(compiler.getDiagnostics(), DiagnosticsEngine::Error,
                       "cannot read advice: " + result.error().message +
                           "; `qdadvise advise` writes the file anew");
    return false;
  }
  file = *std::move(result);
  if (const auto entry = compiler.getFileManager().getOptionalFileRef(path))
    written = entry->getModificationTime();
  return !file.advice.empty() && severity != Severity::off;
}

void AdviceReporter::report(const LockTable &table) {
  DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  const bool silent = diagnostics.getIgnoreAllWarnings() && severity != Severity::error;
  if (silent || diagnostics.hasErrorOccurred())
    return;
  const SourceManager &sources = compiler.getSourceManager();
  const std::vector<const LockSite *> sites = sitesInOrder(table, sources);
  const LangOptions &language = compiler.getLangOpts();
  const Placements placements =
      placeAdvice(file, identitiesOf(sites), mappedPath(mainFileName(sources), language),
                  includedFiles(sources, language));
  reportPlaced(placements, sites);
  for (const std::size_t index : placements.byPlace)
    reportByPlace(file.advice[index]);
  std::vector<std::size_t> gone;
  std::copy_if(placements.gone.begin(), placements.gone.end(), std::back_inserter(gone),
               [&](std::size_t index) { return options.verbose || !file.advice[index].keep; });
  if (!gone.empty())
    reportAt(diagnostics, DiagnosticsEngine::Remark,
             sources.getLocForStartOfFile(sources.getMainFileID()), goneMessage(file, gone));
  if (suppressed != 0 && options.verbose)
    reportAt(diagnostics, DiagnosticsEngine::Remark,
             sources.getLocForStartOfFile(sources.getMainFileID()),
             "advice for " + std::to_string(suppressed) +
                 (suppressed == 1 ? " site is suppressed" : " sites is suppressed"));
}

void AdviceReporter::reportPlaced(const Placements &placements,
                                  const std::vector<const LockSite *> &sites) {
  DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  const SourceManager &sources = compiler.getSourceManager();
  // Every instantiation of a template has its site, and all are one line of source.
  std::set<std::tuple<unsigned, unsigned, std::string, bool>> said;
  for (const Placement &placement : placements.placed) {
    const Advice &advice = file.advice[placement.advice];
    const LockSite &site = *sites[placement.site];
    // Nobody edits a system header.
    if (sources.isInSystemHeader(site.location))
      continue;
    const bool isSilent = advice.keep && !options.verbose;
    if (isSilent && !observer)
      continue;
    const SourceLocation at = sources.getExpansionLoc(site.location);
    if (!said.emplace(at.getRawEncoding(), site.ordinal, advice.lock, placement.stale).second)
      continue;
    const SourceLocation declaration = declarationOf(site, compiler);
    if (!isSilent && isSuppressed(advice, at, declaration))
      continue;
    if (observer)
      observer->placed({advice, site.location, &site, declaration, placement.stale});
    if (isSilent)
      continue;
    if (placement.stale)
      reportAt(diagnostics, DiagnosticsEngine::Remark, site.location, staleMessage(advice));
    else if (config.group == Grouping::lock && !advice.keep)
      byLock[advice.lock].emplace_back(&advice, &site);
    else
      print(advice, site);
  }
  for (const auto &[lock, taken] : byLock) {
    const auto &[advice, site] = taken.front();
    const SourceLocation declaration = declarationOf(*site, compiler);
    if (declaration.isInvalid() || sources.isInSystemHeader(declaration)) {
      for (const auto &[one, place] : taken)
        print(*one, *place);
      continue;
    }
    reportAt(diagnostics, levelOf(severity), declaration, adviceMessage(*advice));
    reportNotes(declaration, *advice);
    for (const auto &[one, place] : taken) {
      reportAt(diagnostics, DiagnosticsEngine::Note, place->location,
               "it is taken here, in '" + one->function + "'");
      reportFacts(diagnostics, *place, *one);
    }
  }
}

/// Reasons and obstacles are those of the lock, with all of its sections: once is enough.
void AdviceReporter::reportNotes(SourceLocation at, const Advice &advice) {
  DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  const std::string waits = waitNote(advice);
  if (!waits.empty())
    reportAt(diagnostics, DiagnosticsEngine::Note, at, waits);
  const auto sayOnce = [&](const std::vector<std::string> &notes) {
    for (const std::string &note : notes)
      if (noted.emplace(advice.lock, note).second)
        reportAt(diagnostics, DiagnosticsEngine::Note, at, note);
  };
  if (options.verbose)
    sayOnce(advice.reasons);
  sayOnce(advice.obstacles);
  if (const std::string apply = applyNote(advice); !apply.empty())
    sayOnce({apply});
}

void AdviceReporter::print(const Advice &advice, const LockSite &site) {
  DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  reportAt(diagnostics, advice.keep ? DiagnosticsEngine::Remark : levelOf(severity), site.location,
           adviceMessage(advice));
  reportNotes(site.location, advice);
  reportFacts(diagnostics, site, advice);
}

bool AdviceReporter::isSuppressed(const Advice &advice, SourceLocation at,
                                  SourceLocation declaration) {
  const SourceManager &sources = compiler.getSourceManager();
  std::optional<std::string> reason;
  // The profile may have seen the file from another folder.
  for (const std::string &path : {sources.getFilename(at).str(), advice.file})
    if (const Suppression *const found =
            suppressionOf(config.suppressions, advice.lock, path, advice.function))
      reason = found->reason;
  for (const SourceLocation place : {at, declaration})
    if (!reason && place.isValid())
      reason = keepCommentAt(lineOf(sources, place, -1), lineOf(sources, place, 0));
  if (!reason)
    return false;
  ++suppressed;
  if (options.verbose)
    reportAt(compiler.getDiagnostics(), DiagnosticsEngine::Remark, at,
             "advice for lock '" + advice.lock + "' is suppressed here" +
                 (reason->empty() ? "" : ": " + *reason));
  return true;
}

/// No token of the section is known, so that a source that is younger than the advice may
/// have anything there.
void AdviceReporter::reportByPlace(const Advice &advice) {
  const bool isSilent = advice.keep && !options.verbose;
  if (isSilent && !observer)
    return;
  DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  const SourceManager &sources = compiler.getSourceManager();
  for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it) {
    const clang::FileEntryRef entry = it->first;
    if (!sameFile(mappedPath(entry.getName(), compiler.getLangOpts()), advice.file))
      continue;
    const SourceLocation at = sources.translateFileLineCol(&entry.getFileEntry(), advice.line,
                                                           std::max(1U, advice.column));
    if (at.isInvalid() || sources.isInSystemHeader(at) ||
        (!isSilent && isSuppressed(advice, at, {})))
      continue;
    const bool isYounger = entry.getModificationTime() > written;
    if (observer)
      observer->placed({advice, at, nullptr, {}, isYounger});
    if (isSilent)
      return;
    if (isYounger) {
      reportAt(diagnostics, DiagnosticsEngine::Remark, at,
               "the advice for lock '" + advice.lock +
                   "' may be stale: only its line is known, and this file is younger; record and "
                   "advise again");
      return;
    }
    reportAt(diagnostics, advice.keep ? DiagnosticsEngine::Remark : levelOf(severity), at,
             adviceMessage(advice));
    reportNotes(at, advice);
    return;
  }
}
