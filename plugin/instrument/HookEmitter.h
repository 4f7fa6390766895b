// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a hook is: a call of the site's thunk (XRay), or, while hooks are on, of the runtime
// (HookExpansion.h).
#pragma once

#include "plugin/instrument/SiteRecords.h"
#include "plugin/options/Options.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace qdadvise {

class HookEmitter {
public:
  HookEmitter(llvm::Module &owner, HookMode hookMode) : module(owner), mode(hookMode) {}

  /// Inserts the hook of one instant of `site` where `builder` stands.
  void emit(llvm::IRBuilder<> &builder, Site &site, Instant instant, llvm::Value *address);

  /// Inserts one hook of Instant::acquire where `success` holds when the program runs, of
  /// Instant::fail else. False where that takes two, each behind a branch.
  bool emitEither(llvm::IRBuilder<> &builder, Site &site, llvm::Value *success,
                  llvm::Value *address);

  /// Inserts a hook of a function's own body that tells of its caller (siteByCaller): where the
  /// function is inlined, and the call has hooks, expandHooks leaves it out.
  void emitForCaller(llvm::IRBuilder<> &builder, Site &site, Instant instant, llvm::Value *caller);

  /// Keeps the thunks' arguments. Call when all hooks are in.
  void finish();

private:
  llvm::CallInst *emitCall(llvm::IRBuilder<> &builder, const Site &site, llvm::Value *instant,
                           llvm::Value *address);
  llvm::Function *createThunk(const Site &site, Instant instant);
  llvm::Function *callHook();

  llvm::Module &module;
  HookMode mode;
  llvm::SmallVector<llvm::GlobalValue *, 32> thunks;
  llvm::Function *hook = nullptr; ///< of all other modes: calls the runtime if it wants to know
};

} // namespace qdadvise
