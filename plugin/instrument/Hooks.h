// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From lock operations in the AST's table to hooks in the IR: where they go.
// What a hook is stands in HookEmitter.h, what a site leaves behind in
// SiteRecords.h.
#pragma once

#include "plugin/options/Options.h"
#include "plugin/sites/LockSites.h"

#include "llvm/ADT/StringRef.h"

#include <memory>

namespace llvm {
class Module;
class PassBuilder;
} // namespace llvm

namespace qdadvise {

struct HookSettings {
  HookMode mode = HookMode::call; ///< xray or call
  /// What unwinds through a function that has no personality yet.
  llvm::StringRef personality = "__gxx_personality_v0";
  /// Debug locations are there for the table of sites only: nothing needs them afterwards.
  bool dropsLocations = false;
  /// Memory accesses in critical sections are recorded, too (MemoryTrace.h).
  bool tracesMemory = false;
};

/// Inserts the hooks of every operation of `table` that `module` calls, and the
/// site records. A module that has them already is left alone. Returns whether
/// the module changed.
bool insertHooks(llvm::Module &module, const LockTable &table, const HookSettings &settings);

/// Has `insertHooks` run at the start of the pipeline, before anything is
/// inlined, at every optimisation level. `table` may be filled until then.
void registerHookPass(llvm::PassBuilder &builder, std::shared_ptr<const LockTable> table,
                      HookSettings settings);

/// The same where the pipeline is not run now but by a second compiler, which sees no
/// source (-save-temps, -Xclang -disable-llvm-passes): before the first pass, which
/// writes the bitcode.
void registerHooksWithoutPipeline(llvm::PassBuilder &builder,
                                  std::shared_ptr<const LockTable> table, HookSettings settings);

} // namespace qdadvise
