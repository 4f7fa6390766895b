// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/mva/Mcc2012.h"

#include "advisor/model/mva/Mva.h"

namespace qdadvise {

Expected<std::vector<NetworkState>> solveMcc2012(const ClosedNetwork &network,
                                                 const std::vector<int> &threads) {
  ClosedNetwork servers = network;
  for (LockStation &lock : servers.stations) {
    double overheadNs = 0;
    if (lock.kind != LockKind::ideal) {
      const auto required = TRY(network.machine.require(lock.kind, "lock_overhead_ns"));
      overheadNs = required;
    }
    lock.kind = LockKind::ideal;
    lock.load.holdNs = (lock.load.holdNs + overheadNs) * lock.load.stretch;
    lock.load.cv2 = 1;
  }
  return solveMva(servers, threads);
}

} // namespace qdadvise
