// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See accounts.h.
#include "runtime/replay/accounts.h"

namespace qdadvise::runtime {

void Accounts::chargeBlocked(double ticks) {
  blockedTicks += ticks;
  if (!times)
    return;
  times->blockedNs += ticks * context.nsPerTick;
  times->windows[window].blockedNs += ticks * context.nsPerTick;
}

void Accounts::enterWindow(std::uint64_t stamp) {
  const std::uint64_t since = stamp > context.startStamp ? stamp - context.startStamp : 0;
  window = tables.windowAt(since);
  windowEnd = context.startStamp + (std::uint64_t{window + 1} << tables.windowShift);
  times = tables.threadClass(classIndex);
  if (times)
    times->windows[window].note(threadNumber);
}

} // namespace qdadvise::runtime
