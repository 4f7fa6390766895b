// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/memory/MemoryChains.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

using llvm::LoadInst;
using llvm::Value;

namespace {

/// The values that an address is computed from. The search ends at so many of them.
using Sources = llvm::SmallSetVector<const Value *, 16>;
constexpr unsigned mostSources = 256;

bool isArithmetic(const Value *value) {
  return llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::PHINode, llvm::SelectInst,
                   llvm::BinaryOperator, llvm::FreezeInst>(value);
}

/// All values that `of` is computed from, itself among them. `throughLoads`: also those that the
/// addresses of loads are computed from.
Sources sourcesOf(const Value *of, bool throughLoads) {
  Sources sources;
  sources.insert(of);
  for (unsigned i = 0; i < sources.size() && sources.size() < mostSources; ++i) {
    const Value *source = sources[i];
    if (isArithmetic(source))
      for (const Value *operand : llvm::cast<llvm::Instruction>(source)->operand_values())
        sources.insert(operand);
    else if (const auto *load = llvm::dyn_cast<LoadInst>(source); load && throughLoads)
      sources.insert(load->getPointerOperand());
  }
  return sources;
}

} // namespace

bool qdadvise::isChained(const Value *address) {
  return llvm::any_of(sourcesOf(address, /*throughLoads=*/false), [](const Value *source) {
    const auto *load = llvm::dyn_cast<LoadInst>(source);
    return load && sourcesOf(load->getPointerOperand(), /*throughLoads=*/true).contains(load);
  });
}
