// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory accesses of one instruction: where, how many bytes, of which kind.
#pragma once

#include "runtime/abi/site_record.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace qdadvise {

struct MemoryAccess {
  llvm::Value *address;
  llvm::Value *bytes; ///< 64 bits
  std::uint32_t what; ///< AccessFlags
};
using MemoryAccesses = llvm::SmallVector<MemoryAccess, 2>;

/// Whether `memoryAccesses` finds any.
bool accessesMemory(const llvm::Instruction &instruction);

/// The accesses of a load, a store, an atomic operation, an intrinsic or a call of libc's
/// memory and string functions. What has to be computed for them is emitted with `builder`,
/// which stands where the operands of the instruction are known.
MemoryAccesses memoryAccesses(llvm::Instruction &instruction, llvm::IRBuilder<> &builder);

} // namespace qdadvise
