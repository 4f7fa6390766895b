// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the branches that led to a place say, to be held against what is asked there: behind
// `if (wanted)` a lock that was taken where `wanted` was zero is not held.
#pragma once

#include "plugin/locksets/BranchOutcome.h"

#include "clang/AST/ASTContext.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace qdadvise {

/// That a plain condition's expression is zero, or not.
struct Premise {
  std::uint64_t hash;
  bool nonZero;
  bool operator==(const Premise &) const = default;
};
using Premises = llvm::SmallVector<Premise, 2>;

/// What an edge out of a block says, if it may be asked again with the same answer: a loop's
/// condition is there to change.
std::optional<Premise> premiseOfEdge(const clang::CFGBlock &block, unsigned successor,
                                     const clang::ASTContext &context);

/// The premises that hold wherever control reaches a block, by its number; nothing: it does not.
std::vector<std::optional<Premises>> premisesOfBlocks(const clang::CFG &graph,
                                                      const clang::ASTContext &context);

} // namespace qdadvise
