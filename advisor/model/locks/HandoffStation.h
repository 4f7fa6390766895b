// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/model/locks/LinePlace.h"

#include <algorithm>
#include <string>
#include <vector>

namespace qdadvise {

/// One lock that is handed from thread to thread: S(j) = s + h(j) with j threads there, h
/// by algorithm and machine (KindCosts::handover), and at least LO and the transfer of the
/// lock's line; and what its data take to come over. Load-dependent mean value analysis over the
/// marginal probabilities p(j), exact for c2 = 1 where the transfer does not depend on the number
/// of threads, and releases keep nobody. Where sums may be taken in any order, one instruction does
/// several terms.
class HandoffStation {
public:
  static constexpr bool sleeps = false;
  HandoffStation(const std::string &kind, const StationLoad &load, const KindCosts &costs,
                 const Machine &machine)
      : load(load), handoffNs(kind, costs, machine), line(load, machine.lineTransfer()) {
    prepareFree();
    prepare();
  }
  double residenceNs() const {
    // For c2 = 1, found = 1 + queue, and this is the sum over j S(j) p(j - 1).
    const double each = work / found;
    const double atMost = each * static_cast<double>(present.size()); // as in FcfsGroup
    return std::min(each * (1 + queue) - std::min(contention(0), queue) * each * (1 - load.cv2) / 2,
                    atMost) +
           releasing();
  }
  double occupancyNs() const { return occupancy; }
  double contention(double) const { return std::max(0.0, 1 - present[0]); }
  double elsewhere() const { return line.elsewhere(); }
  void update(double rate, double residence, double cycle, double) {
#pragma clang fp reassociate(on)
    line.update(static_cast<int>(present.size()) + 1, rate, residence, cycle);
    queue = rate * (residence - releasing());
    present.push_back(0);
    // The next thread finds it as that many leave it to each other: one alone always has it.
    prepareFree();
    double *const p = present.data();
    const double *const handoff = nearNs.data();
    const double heldNs = holdNs + spreadNs;
    double sum = 0;
    for (int j = static_cast<int>(present.size()) - 1; j > 1; --j) {
      const double next =
          (std::max(leastNs, heldNs + spread * handoff[j]) + coherenceMissNs) * rate * p[j - 1];
      p[j] = next > negligible ? next : 0;
      sum += p[j];
    }
    p[1] = freeNs * rate * p[0];
    sum += p[1];
    // Service times do not fall with j, so a lost digit of p(0) is never amplified.
    p[0] = std::max(0.0, 1 - sum);
    if (sum > 1)
      for (double &one : present)
        one /= sum;
    prepare();
  }

private:
  /// Processors take a hundred times as long for numbers that are next to nothing.
  static constexpr double negligible = 1e-280;

  /// Behind the section, on the mean.
  double releasing() const { return contention(0) * releaseNs; }

  void prepareFree() {
    const int threads = static_cast<int>(present.size());
    aloneNs = load.holdNs + handoffNs.alone(threads, line.elsewhere());
    freeNs = (aloneNs + load.coherenceMiss.free) * load.stretch;
  }

  /// What one thread more finds as it arrives.
  void prepare() {
#pragma clang fp reassociate(on)
    const int threads = static_cast<int>(present.size());
    for (int j = static_cast<int>(nearNs.size()); j <= threads; ++j) {
      const double queueLength = load.onCores(j);
      double near = handoffNs.near(queueLength, load.holdNs + handedNs, load.reacquisitions);
      if (j == 2)
        near += handoffNs.lateNs(load.holdNs + handoffNs.least(j), j);
      nearNs.push_back(
          std::max(load.reacquisitions.share > 0 ? nearNs.back() : 0, near * load.stretch));
    }
    spread = handoffNs.spread(threads);
    spreadNs = handoffNs.spreadNs(threads) * load.stretch;
    releaseNs = (handoffNs.releaseNs(threads) + handoffNs.lateNs(aloneNs, threads)) * load.stretch;
    leastNs = (load.holdNs + handoffNs.least(threads)) * load.stretch + load.absenceNs;
    const double *const p = present.data();
    const double *const handoff = nearNs.data();
    const double heldNs = holdNs + spreadNs;
    double mean = p[0] * freeNs, weighted = mean, atLock = p[0];
    for (int j = 2; j <= threads; ++j) {
      const double service =
          p[j - 1] * (std::max(leastNs, heldNs + spread * handoff[j]) + coherenceMissNs);
      mean += service;
      weighted += service * j;
      atLock += p[j - 1] * j;
    }
    occupancy = mean;
    work = weighted;
    found = atLock;
  }
  StationLoad load;
  HandoffTime handoffNs;
  LinePlace line;
  double holdNs = load.holdNs * load.stretch + load.absenceNs;
  double queue = 0;
  std::vector<double> present{1};   ///< p(j) of the population so far, from j = 0
  std::vector<double> nearNs{0, 0}; ///< h(j) for j > 1, on one socket
  double spread = 1, spreadNs = 0;  ///< h(j) among all there are
  double handedNs = handoffNs.handedNs(load.coherenceMiss, load.reacquisitions);
  double coherenceMissNs = handedNs * load.stretch;
  /// S(1), without the data and cores that others use, and with; S(j) for j > 1, the data apart, at
  /// least.
  double aloneNs = 0, freeNs = 0, leastNs = 0;
  double releaseNs = 0;
  // Sums over what an arrival finds: of S(j) p(j - 1), of j S(j) p(j - 1), of j p(j - 1).
  double occupancy = 0, work = 0, found = 0;
};

} // namespace qdadvise
