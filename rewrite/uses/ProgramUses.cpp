// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/uses/ProgramUses.h"

#include <algorithm>

namespace qdadvise {

std::string ProgramUses::innerOf(const OtherLock &lock) const {
  const auto found = innerLocks.find(lock.type);
  if (!lock.innerKey.empty() || found == innerLocks.end() || found->second.size() != 1)
    return lock.innerKey;
  return *found->second.begin();
}

void ProgramUses::add(const std::string &key, const LockUse &use) {
  std::vector<LockUse> &uses = locks[key].uses;
  const auto at = std::lower_bound(uses.begin(), uses.end(), use);
  if (at == uses.end() || use < *at)
    uses.insert(at, use);
}

} // namespace qdadvise
