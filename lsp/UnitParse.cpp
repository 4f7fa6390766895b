// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/UnitParse.h"

#include "lsp/Positions.h"
#include "plugin/advice/AdviceReporter.h"
#include "plugin/api/LockApi.h"
#include "plugin/api/NameChecks.h"
#include "plugin/options/UserFiles.h"
#include "plugin/sections/SectionExtent.h"
#include "rewrite/tooling/ReadOnce.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace qdadvise {
namespace {

/// A file of the unit and a part of it.
struct PlaceInFile {
  std::string file;
  Span span;
  llvm::StringRef text; ///< of the whole file
};

/// Where the compiler would point to: a macro's argument is where it is written.
std::optional<PlaceInFile> placeOf(SourceLocation location, const SourceManager &sources,
                                   const LangOptions &language) {
  if (location.isInvalid())
    return std::nullopt;
  const SourceLocation at = sources.getFileLoc(location);
  const auto [file, offset] = sources.getDecomposedLoc(at);
  const OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
  bool isInvalid = false;
  const llvm::StringRef text = sources.getBufferData(file, &isInvalid);
  if (!entry || isInvalid)
    return std::nullopt;
  llvm::SmallString<256> path(entry->getName());
  sources.getFileManager().makeAbsolutePath(path);
  return PlaceInFile{
      realPath(path), {offset, offset + Lexer::MeasureTokenLength(at, sources, language)}, text};
}

llvm::lsp::DiagnosticSeverity severityOf(DiagnosticsEngine::Level level) {
  using Severity = llvm::lsp::DiagnosticSeverity;
  if (level >= DiagnosticsEngine::Error)
    return Severity::Error;
  return level == DiagnosticsEngine::Warning ? Severity::Warning : Severity::Information;
}

/// Keeps what the plugin's own code reports, and of all else whether it is an error.
class Keeper : public DiagnosticConsumer, public AdviceObserver {
public:
  explicit Keeper(UnitFindings &unitFindings) : findings(unitFindings) {}

  void BeginSourceFile(const LangOptions &options, const Preprocessor *) override {
    language = options;
  }

  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    llvm::SmallString<128> formatted;
    diagnostic.FormatDiagnostic(formatted);
    llvm::StringRef text = formatted.str();
    if (diagnostic.getID() < diag::DIAG_UPPER_LIMIT) {
      last = nullptr;
      if (level >= DiagnosticsEngine::Error && firstError.empty())
        firstError = text;
      return;
    }
    text.consume_back(" [qdadvise]");
    const auto place =
        diagnostic.hasSourceManager()
            ? placeOf(diagnostic.getLocation(), diagnostic.getSourceManager(), language)
            : std::nullopt;
    if (!place) {
      findings.remarks.push_back(text.str());
    } else if (level == DiagnosticsEngine::Note) {
      if (last)
        last->notes.push_back({place->file, rangeOf(place->text, place->span), text.str()});
    } else {
      add({place->span, severityOf(level), text.str(), {}, {}}, place->file);
    }
  }

  void placed(const PlacedAdvice &place) override {
    const SourceManager &sources = *manager;
    const auto at = placeOf(place.at, sources, language);
    if (!at)
      return;
    AdvisedSite site;
    site.advice = place.advice;
    site.stale = place.stale;
    site.at = site.section = at->span;
    if (place.site)
      if (const auto part = textOf(place.site->section, sources, language);
          part && part->file == sources.getFileID(sources.getFileLoc(place.at)))
        site.section = {part->begin, part->end};
    if (const auto declaration = placeOf(place.declaration, sources, language);
        declaration && declaration->file == at->file)
      site.declaration = declaration->span;
    findings.files[at->file].sites.push_back(std::move(site));
  }

  const SourceManager *manager = nullptr;
  std::string firstError;

private:
  void add(Finding finding, const std::string &file) {
    FileFindings &ofFile = findings.files[file];
    for (std::size_t i = 0; i != ofFile.sites.size(); ++i)
      if (ofFile.sites[i].at == finding.at &&
          llvm::StringRef(finding.text).contains("'" + ofFile.sites[i].advice.lock + "'"))
        finding.site = i;
    ofFile.findings.push_back(std::move(finding));
    last = &ofFile.findings.back();
  }

  UnitFindings &findings;
  LangOptions language;
  Finding *last = nullptr; ///< what a note is about
};

/// What the plugin does after the parse, without hooks.
class Reader : public ASTConsumer {
public:
  Reader(CompilerInstance &instance, const PluginOptions &pluginOptions, Keeper &theKeeper,
         UnitFindings &unitFindings)
      : compiler(instance), options(pluginOptions), keeper(theKeeper), findings(unitFindings),
        reporter(instance, options, &keeper) {}

  void HandleTranslationUnit(ASTContext &context) override {
    keeper.manager = &context.getSourceManager();
    for (auto it = keeper.manager->fileinfo_begin(); it != keeper.manager->fileinfo_end(); ++it) {
      llvm::SmallString<256> path(it->first.getName());
      keeper.manager->getFileManager().makeAbsolutePath(path);
      findings.files[realPath(path)];
    }
    if (context.getDiagnostics().hasUncompilableErrorOccurred())
      return;
    const std::optional<UserConfig> config = readUserConfig(compiler, options);
    if (!config)
      return;
    findings.isParsed = true;
    if (reporter.load(*config) && reportProblems(*config, context))
      reporter.report(findLockSites(context, LockApi(context, config->lockApis)));
  }

private:
  CompilerInstance &compiler;
  const PluginOptions &options;
  Keeper &keeper;
  UnitFindings &findings;
  AdviceReporter reporter;
};

class Factory : public tooling::FrontendActionFactory {
public:
  Factory(const PluginOptions &pluginOptions, Keeper &theKeeper, UnitFindings &unitFindings)
      : options(pluginOptions), keeper(theKeeper), findings(unitFindings) {}

  std::unique_ptr<FrontendAction> create() override {
    class Action : public ASTFrontendAction {
    public:
      explicit Action(Factory &theFactory) : factory(theFactory) {}
      std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler,
                                                     llvm::StringRef) override {
        return std::make_unique<Reader>(compiler, factory.options, factory.keeper,
                                        factory.findings);
      }

    private:
      Factory &factory;
    };
    return std::make_unique<Action>(*this);
  }

private:
  const PluginOptions &options;
  Keeper &keeper;
  UnitFindings &findings;
};

} // namespace

Expected<PluginOptions> pluginOptionsOf(const tooling::CompileCommand &command) {
  std::vector<std::string> arguments;
  for (llvm::StringRef argument : command.CommandLine)
    if (argument.consume_front("-fplugin-arg-qdadvise-"))
      arguments.push_back(argument.str());
  llvm::Expected<PluginOptions> options = parseOptions(arguments);
  if (!options)
    return makeError(command.Filename + ": " + llvm::toString(options.takeError()));
  options->instrument = options->memory = false;
  options->dependencies = false;
  return *std::move(options);
}

UnitFindings parseUnit(const tooling::CompileCommand &command, const PluginOptions &options,
                       const std::map<std::string, std::string> &buffers) {
  constexpr unsigned stackBytes = 16U << 20; // deeply nested source recurses deeply
  UnitFindings findings;
  Keeper keeper(findings);
  Factory factory(options, keeper, findings);
  llvm::CrashRecoveryContext guard;
  const bool ended = guard.RunSafelyOnThread(
      [&] { readOnce(command, command.Filename, factory, keeper, buffers); }, stackBytes);
  if (!ended) {
    findings = {};
    findings.remarks.push_back(command.Filename + ": the compiler's parser crashed on it");
  } else if (!keeper.firstError.empty()) {
    findings.isParsed = false;
    findings.firstError = keeper.firstError;
  }
  return findings;
}

std::string realPath(llvm::StringRef path) {
  llvm::SmallString<256> real;
  return llvm::sys::fs::real_path(path, real) ? path.str() : real.str().str();
}

} // namespace qdadvise
