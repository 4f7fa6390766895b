// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a hook that is no XRay thunk becomes when all optimisation is done: a call of the runtime
// that control reaches only while hooks are on. `hooks=call` tests a word; `hooks=patch` has one
// instruction that does nothing, which the runtime makes a jump.
#pragma once

#include "plugin/instrument/HookInserter.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"

namespace llvm {
class Module;
} // namespace llvm

namespace qdadvise {

/// What is called in the place of each hook until then: (record, instant, address).
inline constexpr llvm::StringLiteral hookFunctionName = "__qdadvise_hook";

/// Of a hook, the name of the function that it is the caller's of (HookEmitter::emitForCaller).
inline constexpr llvm::StringLiteral bodyAttribute = "qdadvise-body";

/// `__qdadvise_event` of the runtime, weak: it may not be there.
llvm::FunctionCallee eventFunction(llvm::Module &module);

/// Lets control reach the call of the runtime only if hooks are on, which a test says. It
/// tells of Instant::spawn in any case, so that threads are known by name when recording
/// begins later.
void guardByTest(llvm::CallInst &event);

/// Puts calls of the runtime, each with its guard, in the place of the hooks. After all
/// optimisation, whose decisions are so the same with hooks as without; but for the linker's, where
/// there is one. Returns whether there are any.
bool expandHooks(llvm::Module &module, const HookSettings &settings);

} // namespace qdadvise
