// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise.so: registration, arguments, wiring. `-fplugin=` alone loads it; the
// pass reaches the back end through the compiler's own options.
#include "plugin/advice/AdviceReporter.h"
#include "plugin/api/LockApi.h"
#include "plugin/api/NameChecks.h"
#include "plugin/ast/Compat.h"
#include "plugin/instrument/HookPasses.h"
#include "plugin/options/CompilerCache.h"
#include "plugin/options/HookMode.h"
#include "plugin/options/Options.h"
#include "plugin/options/UserFiles.h"
#include "plugin/sites/LockSites.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "llvm/Support/Error.h"

using namespace qdadvise;

namespace {

/// Owns what lives as long as the translation unit: the action is gone by then.
class Consumer : public clang::ASTConsumer {
public:
  Consumer(clang::CompilerInstance &instance, PluginOptions given)
      : compiler(instance), options(std::move(given)), reporter(instance, options),
        table(std::make_shared<LockTable>()) {
    if (options.instrument)
      instrument();
  }

  void HandleTranslationUnit(clang::ASTContext &context) override {
    // A file that does not compile gets no object, and its AST has holes.
    if (context.getDiagnostics().hasUncompilableErrorOccurred())
      return;
    const std::optional<UserConfig> config = readUserConfig(compiler, options);
    if (!config)
      return;
    warnOfCcache(*config);
    const bool advises = reporter.load(*config);
    if ((options.instrument || advises) && !reportProblems(*config, context))
      return;
    if (options.instrument || advises)
      *table = findLockSites(context, LockApi(context, config->lockApis));
    if (advises)
      reporter.report(*table);
  }

private:
  void warnOfCcache(const UserConfig &config) {
    std::vector<std::string> files;
    for (const std::string &file :
         {config.path, options.advice.empty() ? config.advice : options.advice})
      if (!file.empty())
        files.push_back(file);
    const std::string lack = whatCcacheLacks(files);
    if (!lack.empty() && !compiler.getDiagnostics().getIgnoreAllWarnings())
      reportWithoutPlace(compiler.getDiagnostics(), clang::DiagnosticsEngine::Warning, lack);
  }

  void instrument() {
    llvm::Expected<HookMode> mode = chooseHookMode(options.hooks, options.memory, compiler);
    if (!mode) {
      reportWithoutPlace(compiler.getDiagnostics(), clang::DiagnosticsEngine::Error,
                         llvm::toString(mode.takeError()));
      return;
    }
    clang::CodeGenOptions &codeGen = compiler.getCodeGenOpts();
    HookSettings settings;
    // Locations for the instructions, and not a byte of debug information. They would slow
    // down all passes; only the notes of gcov are made of locations without -g.
    if (codeGen.getDebugInfo() == llvm::codegenoptions::NoDebugInfo) {
      codeGen.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
      settings.dropsLocations =
          codeGen.CoverageNotesFile.empty() && codeGen.CoverageDataFile.empty();
    }
    settings.mode = *mode;
    settings.tracesMemory = options.memory;
    settings.isOptimisedAgain = codeGen.PrepareForLTO || codeGen.PrepareForThinLTO;
    settings.expandsLater =
        !settings.isOptimisedAgain && !codeGen.DisableLLVMPasses && *mode != HookMode::xray;
    settings.sharesText =
        !codeGen.FunctionSections && (codeGen.BBSections.empty() || codeGen.BBSections == "none");
    if (!compiler.getLangOpts().CPlusPlus)
      settings.personality = "__gcc_personality_v0";
    const auto enlist = codeGen.DisableLLVMPasses ? registerHooksWithoutPipeline : registerHookPass;
    codeGen.PassBuilderCallbacks.push_back(
        [table = table, settings, enlist](llvm::PassBuilder &builder) {
          enlist(builder, table, settings);
        });
  }

  clang::CompilerInstance &compiler;
  PluginOptions options;
  AdviceReporter reporter;
  std::shared_ptr<LockTable> table;
};

class Action : public clang::PluginASTAction {
protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef) override {
    return std::make_unique<Consumer>(compiler, std::move(options));
  }

  bool ParseArgs(const clang::CompilerInstance &compiler,
                 const std::vector<std::string> &arguments) override {
    llvm::Expected<PluginOptions> parsed = parseOptions(arguments);
    if (!parsed) {
      reportWithoutPlace(compiler.getDiagnostics(), clang::DiagnosticsEngine::Error,
                         llvm::toString(parsed.takeError()));
      return false;
    }
    options = std::move(*parsed);
    return true;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  PluginOptions options;
};

const clang::FrontendPluginRegistry::Add<Action>
    registration("qdadvise", "finds lock sites: inserts profiling hooks, prints advice");

} // namespace
