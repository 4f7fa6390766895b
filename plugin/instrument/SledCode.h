// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sled of `hooks=patch` on x86-64, as inline assembler: an instruction that does nothing, and
// behind the end of the code what a jump in its place leads to. The compiler sees one instruction
// that wants a register at most: it splits no block and calls nothing.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallInst;
} // namespace llvm

namespace qdadvise {

class SledSections;

/// Takes a hook away, and what was computed for it alone.
void eraseHook(llvm::CallInst &hook);
/// Where the program branches by whether a lock was acquired, and a hook of another acquisition
/// comes first on one side: puts a hook on either side in the place of this one. False if it stays.
bool splitByOutcome(llvm::CallInst &hook);
/// The hooks that one sled can lead to, of which the given one is the first: they are of one
/// instant, and nothing happens between them. A lock's function that calls another has several
/// where it was inlined.
llvm::SmallVector<llvm::CallInst *, 4> hooksOfOneSled(llvm::CallInst &first);
/// Puts a sled of x86-64 in the place of these calls of hooks, which go.
void becomeSled(llvm::ArrayRef<llvm::CallInst *> hooks, SledSections &sections);

} // namespace qdadvise
