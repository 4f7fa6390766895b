// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sections/SectionState.h"

#include "plugin/sections/IntegerUpdate.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace qdadvise {

void SectionState::add(SectionFact fact, SourceLocation at, const char *what) {
  if (!(result.bits & fact))
    result.shown.push_back({fact, at, what});
  result.bits |= fact;
}

void SectionState::addContent(const Stmt &node) {
  if (!isContent(&node))
    contents.push_back(&node);
}

bool SectionState::isContent(const Stmt *node) const { return llvm::is_contained(contents, node); }

void SectionState::follow(const GotoStmt &jump) {
  if (held && llvm::is_contained(labels, jump.getLabel()))
    isCompound = true;
  else if (held)
    openGotos.push_back(&jump);
  else if (isWithin())
    add(factJumps, jump.getGotoLoc(), "'goto'");
  held = false;
}

void SectionState::arriveAt(const LabelDecl &label) {
  const auto arrives = [&](const GotoStmt *jump) { return jump->getLabel() == &label; };
  for (const GotoStmt *jump : openGotos)
    if (arrives(jump)) {
      if (!held) // the text of the section has ended before
        add(factJumps, jump->getGotoLoc(), "'goto'");
      held = true;
    }
  llvm::erase_if(openGotos, arrives);
  if (held)
    labels.push_back(&label);
}

void SectionState::addOpenGotos() {
  for (const GotoStmt *jump : openGotos)
    add(factJumps, jump->getGotoLoc(), "'goto'");
  openGotos.clear();
}

SectionFacts SectionState::conclude(const ASTContext &context) {
  if (!begun || !ended)
    return {};
  addOpenGotos();
  result.bits |= factsKnown;
  if (!isCompound && contents.empty())
    result.bits |= factEmpty;
  if (!isCompound && isOneIntegerUpdate(contents, context))
    add(factOneIntegerUpdate, contents.back()->getBeginLoc(), "");
  return std::move(result);
}

} // namespace qdadvise
