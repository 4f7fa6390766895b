// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/ClassNetwork.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

/// Erlang's loss formula for a number of servers that need not be whole. The last 128 steps of its
/// recursion are enough: before, 1/B is 1/(1 - servers/offered), or about sqrt(pi offered/2).
double lossOf(double servers, double offered) {
  constexpr double mostSteps = 128;
  double at = servers - std::min(std::floor(servers), mostSteps);
  double inverse = at < 1 ? std::pow(1 + 1 / offered, at)
                          : 1 / std::max(1 - at / offered, 1 / std::sqrt(1.6 * offered));
  while (at < servers - 0.5)
    inverse = 1 + (at += 1) / offered * inverse;
  return 1 / inverse;
}

/// The probability that none of so many threads is at a station where so many of them are on the
/// mean (CL13).
double nobodyThere(double threads, double present) {
  if (present <= 0)
    return 1;
  if (threads <= 1)
    return std::max(0.0, 1 - present);
  const double elsewhere = threads - present;
  if (elsewhere <= 0)
    return 0;
  return lossOf(threads, elsewhere * (1 + present - present / threads) / present);
}

} // namespace

double cyclesPerNs(const ClassNetwork &network, const ClassLoad &load, double threads,
                   const std::vector<double> &waitNs) {
  double cycleNs = load.delayNs + load.computeNs;
  for (std::size_t i = 0; i < waitNs.size(); ++i)
    cycleNs += network.stations[i].count * load.at[i].directVisits *
               (load.at[i].holdNs + load.at[i].directExtraNs + waitNs[i]);
  return threads / cycleNs;
}

ClassWork workOf(const ClassStation &station, const ClassVisits &visits, double threads,
                 double cyclesPerNs, double waitNs) {
  const double each = visits.holdNs + station.overheadNs;
  if (each <= 0)
    return {};
  const double rate = cyclesPerNs * visits.visits;
  const double present = std::min(threads, rate * (visits.holdNs + waitNs));
  const double served = std::min({1.0, present, rate * each});
  const double rest = (each + visits.cv2 * visits.holdNs * visits.holdNs / each) / 2;
  return {each * present - served * (each - rest), present, served, each, rest};
}

void OthersThere::add(const OthersThere &more, double weight) {
  threads += weight * more.threads;
  present += weight * more.present;
  workNs += weight * more.workNs;
  waitNs += weight * more.waitNs;
}

double OthersThere::met(double sinceNs, double eachNs) const {
  const double freeNs = std::max(0.0, sinceNs - waitNs), nobody = nobodyThere(threads, present);
  const double somebody = (1 - nobody) * freeNs;
  const double without = nobody * workNs * eachNs / (eachNs + freeNs);
  return somebody > 0 ? somebody / (somebody + without) : 1;
}

} // namespace qdadvise
