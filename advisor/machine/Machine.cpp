// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/Machine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace qdadvise {

namespace {

using Rows = std::vector<std::pair<double, double>>;

/// Linear between two rows at least, and beyond; not falling beyond the last.
double along(const Rows &rows, double at) {
  const auto above = std::find_if(rows.begin() + 1, rows.end() - 1,
                                  [at](const auto &row) { return row.first >= at; });
  const auto &[x0, y0] = *(above - 1);
  const auto &[x1, y1] = *above;
  const double slope = (y1 - y0) / (x1 - x0);
  return at > x1 ? y1 + std::max(0.0, slope) * (at - x1) : y0 + slope * (at - x0);
}

template <typename Value>
const Value *find(const std::map<std::string, Value> &table, const std::string &key) {
  const auto found = table.find(key);
  return found == table.end() ? nullptr : &found->second;
}

} // namespace

double KindCosts::delegationOverhead(double k) const {
  const Curve *curve = find(curves, "delegation_overhead_ns");
  if (!curve || curve->rows.empty() || !(k > 0))
    return 0;
  const auto &[firstK, firstCost] = curve->rows.front();
  if (k <= firstK || curve->rows.size() == 1)
    return firstCost * k / firstK;
  return along(curve->rows, k);
}

double KindCosts::handover(double j) const {
  const Figure *overhead = find(figures, "lock_overhead_ns");
  const double alone = overhead ? overhead->value : 0;
  if (!(j > 1))
    return alone;
  if (const Figure *constant = find(figures, "handover_ns"))
    return constant->value;
  if (const Curve *curve = find(curves, "handover_ns"); curve && !curve->rows.empty()) {
    Rows rows = curve->rows;
    if (rows.front().first > 1)
      rows.insert(rows.begin(), {1, alone});
    return along(rows, j);
  }
  const Figure *perWaiter = find(figures, "handover_per_waiter_ns");
  return alone + (perWaiter ? perWaiter->value * (j - 1) / 2 : 0);
}

namespace {

Unexpected missing(const Machine &machine, const std::string &figure) {
  return makeError("machine description '" + machine.name + "' has no figure " + figure +
                   "; add it, or run 'qdadvise calibrate' on the machine");
}

} // namespace

Expected<double> Machine::require(const std::string &kind, const std::string &key) const {
  if (const KindCosts *costs = find(kinds, kind)) {
    if (const Curve *curve = find(costs->curves, key); curve && !curve->rows.empty())
      return curve->rows.front().second;
    if (const Figure *figure = find(costs->figures, key))
      return figure->value;
  }
  return missing(*this, "kind." + kind + "." + key);
}

Expected<KindCosts> Machine::requireHandover(const std::string &kind) const {
  if (const auto overhead = require(kind, "lock_overhead_ns"); !overhead)
    return tl::unexpected(overhead.error());
  if (const auto given = require(kind, "handover_ns");
      !given && !require(kind, "handover_per_waiter_ns"))
    return tl::unexpected(given.error());
  return kinds.at(kind);
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
