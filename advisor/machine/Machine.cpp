// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/Machine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace qdadvise {

double KindCosts::delegationOverhead(double k) const {
  const auto &points = delegationOverheadNs;
  if (points.empty() || !(k > 0))
    return 0;
  const auto &[firstK, firstCost] = points.front();
  if (k <= firstK || points.size() == 1)
    return firstCost * k / firstK;
  const auto above = std::find_if(points.begin() + 1, points.end() - 1,
                                  [k](const auto &point) { return point.first >= k; });
  const auto &[k0, cost0] = *(above - 1);
  const auto &[k1, cost1] = *above;
  const double slope = (cost1 - cost0) / (k1 - k0);
  if (k > k1)
    return cost1 + std::max(0.0, slope) * (k - k1);
  return cost0 + slope * (k - k0);
}

namespace {

Unexpected missing(const Machine &machine, const std::string &figure) {
  return makeError("machine description '" + machine.name + "' has no figure " + figure +
                   "; add it, or run 'qdadvise calibrate' on the machine");
}

} // namespace

Expected<double> Machine::require(const std::string &kind, const std::string &key) const {
  if (const auto costs = kinds.find(kind); costs != kinds.end()) {
    if (key == "delegation_overhead_ns" && !costs->second.delegationOverheadNs.empty())
      return costs->second.delegationOverhead(1);
    const auto &figures = costs->second.figures;
    if (const auto figure = figures.find(key); figure != figures.end())
      return figure->second.value;
  }
  return missing(*this, "kind." + kind + "." + key);
}

Expected<double> Machine::requireScheduler(const std::string &key) const {
  if (key == "wakeup_ns" && !wakeup.empty())
    return wakeup.front().latencyNs;
  if (const auto figure = scheduler.find(key); figure != scheduler.end())
    return figure->second.value;
  return missing(*this, "scheduler." + key);
}

double Machine::lineTransferNs(int threads) const {
  const auto same = line.find("transfer_same_socket_ns");
  if (same == line.end())
    return 0;
  const auto cross = line.find("transfer_cross_socket_ns");
  const int present = std::min(threads, cores), each = std::max(1, cores / sockets);
  double ofPairs = 0, onOneSocket = 0; // of all present^2
  for (int left = present; left > 0; left -= each) {
    const double here = std::min(left, each);
    ofPairs += here * (here - 1);
    onOneSocket += here * here;
  }
  const double all = static_cast<double>(present) * present;
  return (ofPairs * same->second.value +
          (all - onOneSocket) * (cross == line.end() ? same : cross)->second.value) /
         all;
}

WakeupCost Machine::wakeupAfter(double sleptNs) const {
  if (wakeup.empty())
    return {sleptNs, 0, 0};
  const auto above = std::find_if(wakeup.begin(), wakeup.end(), [sleptNs](const WakeupCost &row) {
    return row.sleptNs >= sleptNs;
  });
  if (above == wakeup.begin() || above == wakeup.end()) {
    const WakeupCost &row = above == wakeup.end() ? wakeup.back() : *above;
    return {sleptNs, row.latencyNs, row.wakerNs};
  }
  const WakeupCost &low = *(above - 1), &high = *above;
  const double part = std::log(sleptNs / low.sleptNs) / std::log(high.sleptNs / low.sleptNs);
  return {sleptNs, low.latencyNs + part * (high.latencyNs - low.latencyNs),
          low.wakerNs + part * (high.wakerNs - low.wakerNs)};
}

std::string userMachinePath() {
  // The XDG specification: a relative path there is invalid and ignored.
  if (const char *config = std::getenv("XDG_CONFIG_HOME"); config && config[0] == '/')
    return std::string(config) + "/qdadvise/machine.toml";
  if (const char *home = std::getenv("HOME"); home && home[0] != '\0')
    return std::string(home) + "/.config/qdadvise/machine.toml";
  return "";
}

} // namespace qdadvise
