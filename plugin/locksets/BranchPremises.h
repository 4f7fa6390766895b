// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the branches that led to a place say: behind `if (wanted)`, a lock that was taken where
// `wanted` was zero is not held.
#pragma once

#include "plugin/locksets/BranchOutcome.h"

#include "clang/AST/ASTContext.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace qdadvise {

/// A plain condition whose expression is known to be zero, or not.
struct Premise {
  std::uint64_t hash;
  bool nonZero;
  bool operator==(const Premise &) const = default;
};
using Premises = llvm::SmallVector<Premise, 2>;

/// The premise behind an edge out of a block. A loop's condition gives none, as its answer changes.
std::optional<Premise> premiseOfEdge(const clang::CFGBlock &block, unsigned successor,
                                     const clang::ASTContext &context);

/// The premises that hold whenever control reaches a block, by the block's number; nothing for a
/// block that control does not reach.
std::vector<std::optional<Premises>> premisesOfBlocks(const clang::CFG &graph,
                                                      const clang::ASTContext &context);

} // namespace qdadvise
