// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/ClassNetwork.h"

#include <algorithm>

namespace qdadvise {

double cyclesPerNs(const ClassNetwork &network, const ClassLoad &load, double threads,
                   const std::vector<double> &waitNs) {
  double cycleNs = load.delayNs + load.computeNs;
  for (std::size_t i = 0; i < waitNs.size(); ++i)
    cycleNs += network.stations[i].count * load.at[i].directVisits *
               (load.at[i].holdNs + load.at[i].directExtraNs + waitNs[i]);
  return threads / cycleNs;
}

double workNs(const ClassStation &station, const ClassVisits &visits, double threads,
              double cyclesPerNs, double waitNs) {
  const double each = visits.holdNs + station.overheadNs;
  if (each <= 0)
    return 0;
  const double rate = cyclesPerNs * visits.visits;
  const double present = std::min(threads, rate * (visits.holdNs + waitNs));
  const double served = std::min({1.0, present, rate * each});
  const double variance = visits.cv2 * visits.holdNs * visits.holdNs;
  return each * present - served * (each - variance / each) / 2;
}

} // namespace qdadvise
