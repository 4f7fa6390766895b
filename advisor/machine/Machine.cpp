// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/Machine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace qdadvise {

namespace {

template <typename Value>
const Value *find(const std::map<std::string, Value> &table, const std::string &key) {
  const auto found = table.find(key);
  return found == table.end() ? nullptr : &found->second;
}

} // namespace

CostCurve::CostCurve(std::vector<std::pair<double, double>> rows, bool proportional)
    : rows(std::move(rows)), proportional(proportional) {}

double CostCurve::operator()(double threads) const {
  if (rows.empty())
    return 0;
  const auto &[first, firstCost] = rows.front();
  if (!(threads > first) || rows.size() == 1)
    return proportional ? (threads > 0 ? firstCost * threads / first : 0) : firstCost;
  const auto above = std::find_if(rows.begin() + 1, rows.end() - 1,
                                  [&](const auto &row) { return row.first >= threads; });
  const auto &[x0, y0] = *(above - 1);
  const auto &[x1, y1] = *above;
  const double slope = (y1 - y0) / (x1 - x0);
  return threads > x1 ? y1 + std::max(0.0, slope) * (threads - x1) : y0 + slope * (threads - x0);
}

double LineTransfer::elsewhere(double threads) const {
  const double present = std::min<double>(threads, cores);
  return present > 1 ? (present - 1) / present : 0;
}

double LineTransfer::fromOther(double threads) const {
  return sameSocketNs * spread(std::min<double>(threads, cores));
}

double LineTransfer::spread(double threads) const {
  const double present = std::min<double>(threads, cores), each = std::max(1, cores / sockets);
  if (present <= each || sameSocketNs <= 0)
    return 1;
  const double full = std::floor(present / each), rest = present - full * each;
  const double onOneSocket = full * each * each + rest * rest; // of all present^2
  const double crossing = (present * present - onOneSocket) / (present * (present - 1));
  return 1 + crossing * (crossSocketNs / sameSocketNs - 1);
}

CostCurve KindCosts::delegationCurve() const {
  const Curve *curve = find(curves, "delegation_overhead_ns");
  return curve ? CostCurve(curve->rows, true) : CostCurve();
}

CostCurve KindCosts::handoverCurve() const {
  const Figure *overhead = find(figures, "lock_overhead_ns");
  const double alone = overhead ? overhead->value : 0;
  std::vector<std::pair<double, double>> rows{{1, alone}};
  if (const Figure *constant = find(figures, "handover_ns")) {
    // From one thread to two, and no further.
    rows.insert(rows.end(), {{std::nextafter(1.0, 2.0), constant->value}, {2, constant->value}});
  } else if (const Curve *curve = find(curves, "handover_ns"); curve && !curve->rows.empty()) {
    if (curve->rows.front().first <= 1)
      rows.clear();
    rows.insert(rows.end(), curve->rows.begin(), curve->rows.end());
  } else if (const Figure *perWaiter = find(figures, "handover_per_waiter_ns")) {
    rows.emplace_back(2, alone + perWaiter->value / 2);
  }
  return {std::move(rows), false};
}

CostCurve KindCosts::shortHandoverCurve() const {
  const Curve *curve = find(curves, "handover_short_ns");
  return curve ? CostCurve(curve->rows, false) : CostCurve();
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

double Machine::pauseNs() const {
  const Figure *known = find(scheduler, "pause_ns");
  return known ? known->value : 40;
}

double Machine::yieldNs() const {
  // A system call that finds nothing to do.
  const Figure *known = find(scheduler, "yield_ns");
  if (!known)
    known = find(scheduler, "wake_ns");
  return known ? known->value : 150;
}

LineTransfer Machine::lineTransfer() const {
  const Figure *same = find(line, "transfer_same_socket_ns");
  if (!same)
    return {};
  const Figure *cross = find(line, "transfer_cross_socket_ns");
  return {same->value, (cross ? cross : same)->value, cores, sockets};
}

namespace {

CostCurve measuredOr(const Curve &curve, double transferNs) {
  if (!curve.rows.empty())
    return {curve.rows, true};
  return {{{1, transferNs}}, true};
}

} // namespace

CostCurve Machine::movedLinesNs() const {
  return measuredOr(movedLines, lineTransfer().sameSocketNs);
}

CostCurve Machine::chainedLinesNs() const {
  return measuredOr(chainedLines, lineTransfer().sameSocketNs);
}

WakeupCost Machine::wakeupAfter(double sleptNs) const {
  if (wakeup.empty())
    return {sleptNs};
  const auto rowAt = [this](std::size_t row) {
    WakeupCost cost = wakeup[row];
    if (row < wakeupSpread.size()) {
      // Spreads are between the quartiles.
      cost.latencyHalfNs = std::min(wakeupSpread[row].first, cost.latencyNs);
      cost.wakerHalfNs = std::min(wakeupSpread[row].second, cost.wakerNs);
    }
    return cost;
  };
  const auto above = static_cast<std::size_t>(
      std::find_if(wakeup.begin(), wakeup.end(),
                   [sleptNs](const WakeupCost &row) { return row.sleptNs >= sleptNs; }) -
      wakeup.begin());
  if (above == 0 || above == wakeup.size()) {
    WakeupCost cost = rowAt(std::min(above, wakeup.size() - 1));
    cost.sleptNs = sleptNs;
    return cost;
  }
  const WakeupCost low = rowAt(above - 1), high = rowAt(above);
  const double part = std::log(sleptNs / low.sleptNs) / std::log(high.sleptNs / low.sleptNs);
  return {sleptNs, std::lerp(low.latencyNs, high.latencyNs, part),
          std::lerp(low.wakerNs, high.wakerNs, part),
          std::lerp(low.latencyHalfNs, high.latencyHalfNs, part),
          std::lerp(low.wakerHalfNs, high.wakerHalfNs, part)};
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
