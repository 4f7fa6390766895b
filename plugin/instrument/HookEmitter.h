// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a hook is: a call of the site's thunk (XRay), or, while hooks are on, of the runtime.
#pragma once

#include "plugin/instrument/SiteRecords.h"
#include "plugin/options/Options.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace qdadvise {

class HookEmitter {
public:
  HookEmitter(llvm::Module &owner, SiteRecords &allRecords, HookMode hookMode)
      : module(owner), records(allRecords), mode(hookMode) {}

  /// Inserts the hook of one instant of `site` where `builder` stands.
  void emit(llvm::IRBuilder<> &builder, Site &site, Instant instant, llvm::Value *address);

  /// Keeps the thunks' arguments. Call when all hooks are in.
  void finish();

private:
  llvm::Function *createThunk(const Site &site, Instant instant);
  llvm::Function *callHook();

  llvm::Module &module;
  SiteRecords &records;
  HookMode mode;
  llvm::SmallVector<llvm::GlobalValue *, 32> thunks;
  llvm::Function *hook = nullptr; ///< hooks=call: calls the runtime if it wants to know
};

/// Puts the test whether hooks are on in the place of each hook of `hooks=call`. After all
/// optimisation, whose decisions are so the same with hooks as without. Returns whether there
/// are any.
bool expandCallHooks(llvm::Module &module);

} // namespace qdadvise
