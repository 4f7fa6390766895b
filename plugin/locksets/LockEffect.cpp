// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/LockEffect.h"

#include "plugin/locksets/BranchPremises.h"
#include "plugin/locksets/LockTransfer.h"
#include "plugin/locksets/PointerAliases.h"

#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/CFG.h"

#include <memory>
#include <vector>

using namespace clang;

namespace qdadvise {
namespace {

/// The fixpoint over a function's control flow graph.
class BodyAnalysis {
public:
  BodyAnalysis(const FunctionDecl &analysed, const CFG &flowGraph, const PointerAliases &aliases,
               CallKnowledge &knowledge)
      : graph(flowGraph), premises(premisesOfBlocks(graph, analysed.getASTContext())),
        entries(graph.getNumBlockIDs()), transfer(analysed, knowledge, aliases) {}

  LockEffect run() {
    solve();
    return conclude();
  }

private:
  LockSet behind(const CFGBlock &block, LockSet held) {
    return transfer.through(block, premises[block.getBlockID()].value_or(Premises()), held);
  }

  void solve() {
    entries[graph.getEntry().getBlockID()] = 0;
    bool changed = true;
    constexpr unsigned mostRounds = 8;
    for (unsigned round = 0; changed && round < mostRounds; ++round) {
      changed = false;
      for (unsigned id = graph.getNumBlockIDs(); id-- > 0;) {
        const CFGBlock *block = *(graph.begin() + id);
        const std::optional<LockSet> entry = entries[block->getBlockID()];
        if (!entry)
          continue;
        const LockSet held = behind(*block, *entry);
        for (unsigned i = 0; i < block->succ_size(); ++i) {
          const CFGBlock *next = (block->succ_begin() + i)->getReachableBlock();
          if (!next)
            continue;
          std::optional<LockSet> &known = entries[next->getBlockID()];
          const LockSet joined = known.value_or(0) | transfer.alongEdge(*block, i, held);
          changed |= known != joined;
          known = joined;
        }
      }
    }
  }

  LockEffect conclude() {
    LockTransfer::Findings findings;
    transfer.collectInto(findings);
    for (const CFGBlock *block : graph)
      if (entries[block->getBlockID()])
        behind(*block, *entries[block->getBlockID()]);

    LockEffect effect;
    effect.releases = std::move(findings.releases);
    const LockSet held = entries[graph.getExit().getBlockID()].value_or(0);
    bool first = true;
    effect.shared = effect.reacquired = true;
    transfer.facts().forEach(held, [&](const LockFact &fact) {
      if (!fact.outlivesFunction())
        return;
      effect.takes = true;
      effect.inResult |= fact.owner.kind == Owner::Kind::result;
      effect.shared &= fact.shared;
      effect.reacquired &= fact.reacquired;
      if (first)
        effect.taken = fact.path;
      else if (effect.taken != fact.path)
        effect.taken.reset();
      first = false;
    });
    effect.shared &= effect.takes;
    effect.reacquired &= effect.takes;
    effect.success = effect.takes ? findings.returned.success() : Success::always;
    return effect;
  }

  const CFG &graph;
  std::vector<std::optional<Premises>> premises; ///< by the block's number
  std::vector<std::optional<LockSet>> entries;   ///< likewise
  LockTransfer transfer;
};

} // namespace

LockEffect effectOfBody(const FunctionDecl &function, CallKnowledge &knowledge) {
  const FunctionDecl *definition = nullptr;
  if (!function.hasBody(definition) || definition->isDependentContext() ||
      isa<CoroutineBodyStmt>(definition->getBody()))
    return {};
  CFG::BuildOptions options;
  options.AddInitializers = true;
  options.AddImplicitDtors = true;
  options.AddRichCXXConstructors = true;
  options.MarkElidedCXXConstructors = true;
  ASTContext &context = definition->getASTContext();
  const std::unique_ptr<CFG> graph =
      CFG::buildCFG(definition, definition->getBody(), &context, options);
  if (!graph)
    return {};
  PointerAliases aliases(context);
  aliases.find(*graph);
  return BodyAnalysis(*definition, *graph, aliases, knowledge).run();
}

} // namespace qdadvise
