// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From lock operations in the AST's table to hooks in the IR: where they go.
// HookEmitter.h says what a hook is, SiteRecords.h what a site leaves in the object file, and
// HookPasses.h when all this happens.
#pragma once

#include "plugin/options/Options.h"
#include "plugin/sites/LockSites.h"

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace qdadvise {

struct HookSettings {
  HookMode mode = HookMode::call; ///< none that is automatic
  /// The personality that a function gets which has none.
  llvm::StringRef personality = "__gxx_personality_v0";
  /// The debug locations are there for the table of sites only, and go away afterwards.
  bool dropsLocations = false;
  /// The linker will inline functions of one module into others.
  bool isOptimisedAgain = false;
  /// expandHooks comes when all is inlined that will be.
  bool expandsLater = false;
  /// Functions that are not told their section are in one.
  bool sharesText = false;
  /// Memory accesses in critical sections are recorded, too (MemoryTrace.h).
  bool tracesMemory = false;
};

/// Inserts the hooks of every operation of `table` that `module` calls, and the
/// site records. A module that has them already is left alone. Returns whether
/// the module changed.
bool insertHooks(llvm::Module &module, const LockTable &table, const HookSettings &settings);

} // namespace qdadvise
