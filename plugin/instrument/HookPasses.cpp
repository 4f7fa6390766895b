// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/HookPasses.h"

#include "plugin/instrument/HookExpansion.h"
#include "plugin/memory/MemoryTrace.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"

using namespace qdadvise;

namespace {

struct HookPass : llvm::PassInfoMixin<HookPass> {
  std::shared_ptr<const LockTable> table;
  HookSettings settings;

  HookPass(std::shared_ptr<const LockTable> lockTable, HookSettings hookSettings)
      : table(std::move(lockTable)), settings(hookSettings) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    return insertHooks(module, *table, settings) ? llvm::PreservedAnalyses::none()
                                                 : llvm::PreservedAnalyses::all();
  }

  /// It also runs at -O0 and on functions that want no optimisation.
  static bool isRequired() { return true; }
};

struct ExpandHooksPass : llvm::PassInfoMixin<ExpandHooksPass> {
  HookSettings settings;

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) const {
    return expandHooks(module, settings) ? llvm::PreservedAnalyses::none()
                                         : llvm::PreservedAnalyses::all();
  }
};

struct MemoryTracePass : llvm::PassInfoMixin<MemoryTracePass> {
  static llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    return traceMemory(module) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }

  static bool isRequired() { return true; }
};

} // namespace

void qdadvise::registerHookPass(llvm::PassBuilder &builder,
                                const std::shared_ptr<const LockTable> &table,
                                HookSettings settings) {
  builder.registerPipelineStartEPCallback(
      [table, settings](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
        passes.addPass(HookPass(table, settings));
      });
  builder.registerOptimizerLastEPCallback(
      [settings](llvm::ModulePassManager &passes, llvm::OptimizationLevel level, auto...) {
        // Before the hooks are expanded, whose accesses are not the program's.
        if (settings.tracesMemory)
          passes.addPass(MemoryTracePass());
        if (level != llvm::OptimizationLevel::O0)
          passes.addPass(ExpandHooksPass{{}, settings});
      });
}

void qdadvise::registerHooksWithoutPipeline(llvm::PassBuilder &builder,
                                            const std::shared_ptr<const LockTable> &table,
                                            HookSettings settings) {
  llvm::PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks();
  if (!callbacks)
    return;
  callbacks->registerBeforeNonSkippedPassCallback(
      [table, settings](llvm::StringRef, llvm::Any unit) {
        // A pass sees its module as constant here; the compiler owns it, and it is not.
        if (const auto *constant = llvm::any_cast<const llvm::Module *>(&unit)) {
          auto &module = const_cast<llvm::Module &>(**constant);
          insertHooks(module, *table, settings);
          if (settings.tracesMemory)
            traceMemory(module);
        }
      });
}
