// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/UserCall.h"

#include "plugin/sites/LockTable.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace qdadvise {

const llvm::CallBase &callByUser(const llvm::CallBase &call) {
  const auto isLibrarys = [](const llvm::Function &function) {
    return LockTable::isLibraryName(function.getName());
  };
  if (!isLibrarys(*call.getFunction()))
    return call;
  // Breadth first, so that the nearest user is found; by the order of the module.
  llvm::SmallVector<const llvm::Function *, 8> reached = {call.getFunction()};
  llvm::SmallPtrSet<const llvm::Function *, 8> seen = {call.getFunction()};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const llvm::CallBase *best = nullptr;
    for (const llvm::User *user : reached[i]->users()) {
      const auto *caller = llvm::dyn_cast<llvm::CallBase>(user);
      if (!caller || caller->getCalledOperand() != reached[i])
        continue;
      const llvm::Function *function = caller->getFunction();
      if (!isLibrarys(*function))
        best = caller; // uses are listed last first
      else if (seen.insert(function).second)
        reached.push_back(function);
    }
    if (best)
      return *best;
  }
  return call;
}

} // namespace qdadvise
