// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/BranchPremises.h"

#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace qdadvise {

std::optional<Premise> premiseOfEdge(const CFGBlock &block, unsigned successor,
                                     const ASTContext &context) {
  const Stmt *branch = block.succ_size() == 2 ? block.getTerminatorStmt() : nullptr;
  const Expr *condition = branch ? block.getLastCondition() : nullptr;
  if (!condition || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(branch))
    return std::nullopt;
  const std::optional<PlainCondition> plain = plainCondition(*condition, context);
  return plain ? std::optional(Premise{plain->hash, (successor == 0) != plain->negated})
               : std::nullopt;
}

std::vector<std::optional<Premises>> premisesOfBlocks(const CFG &graph, const ASTContext &context) {
  std::vector<std::optional<Premises>> premises(graph.getNumBlockIDs());
  premises[graph.getEntry().getBlockID()].emplace();
  bool changed = true;
  constexpr unsigned mostRounds = 4;
  for (unsigned round = 0; changed && round < mostRounds; ++round) {
    changed = false;
    // Blocks are numbered from the exit, 0, to the entry.
    for (unsigned id = graph.getNumBlockIDs(); id-- > 0;) {
      const CFGBlock *block = *(graph.begin() + id);
      if (!premises[block->getBlockID()])
        continue;
      for (unsigned i = 0; i < block->succ_size(); ++i) {
        const CFGBlock *next = (block->succ_begin() + i)->getReachableBlock();
        if (!next)
          continue;
        Premises along = *premises[block->getBlockID()];
        if (const std::optional<Premise> premise = premiseOfEdge(*block, i, context))
          along.push_back(*premise);
        std::optional<Premises> &known = premises[next->getBlockID()];
        if (!known) {
          known = along;
          changed = true;
          continue;
        }
        const std::size_t before = known->size();
        llvm::erase_if(*known, [&](const Premise &one) { return !llvm::is_contained(along, one); });
        changed |= known->size() != before;
      }
    }
  }
  return premises;
}

} // namespace qdadvise
