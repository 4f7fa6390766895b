// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of a lock operation in IR: where its lock is, how it says that it took it,
// and where the program goes on after it.
#pragma once

#include "plugin/sites/LockSites.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"

namespace qdadvise {

/// The lock that `path` leads to, loaded in front of the call; null if the call
/// has no such pointer.
llvm::Value *lockAddress(llvm::IRBuilder<> &builder, const llvm::CallBase &call,
                         const AddressPath &path);

/// Whether the guard that is argument 0 owns its lock; `offset` is its field for that.
llvm::Value *ownsLock(llvm::IRBuilder<> &builder, const llvm::CallBase &call, std::uint64_t offset);

/// Whether the call, which has returned, took the lock; null if it always did.
llvm::Value *succeeded(llvm::IRBuilder<> &builder, llvm::CallBase &call,
                       const LockOperation &operation);

/// Where the program goes on after a call.
struct Continuation {
  llvm::CallBase *call;       ///< an invoke now, where it was a call that may unwind
  llvm::Instruction *normal;  ///< first of what runs only when the call has returned
  llvm::Instruction *unwound; ///< first of what runs only when it has unwound; null: it does not
};

/// Makes room after a call. A call that may unwind out of its function becomes an
/// invoke; `personality` is for a function that has none.
Continuation continuationOf(llvm::CallBase *call, llvm::StringRef personality);

} // namespace qdadvise
