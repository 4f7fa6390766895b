// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/KindCosts.h"

#include <cmath>

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

double LineTransfer::present(double threads) const { return std::min<double>(threads, cores); }

/// How many of the threads have another one on their core.
double LineTransfer::siblings(double present) const {
  if (threadsPerCore == 1)
    return 0;
  if (placement == ThreadPlacement::compact) {
    const double onLastCore = std::fmod(present, threadsPerCore);
    return onLastCore > 1 ? present : present - onLastCore;
  }
  return std::min(present,
                  std::max(0.0, 2 * (present - static_cast<double>(cores) / threadsPerCore)));
}

double LineTransfer::alikeMeasured(double threads) const {
  if (placement != ThreadPlacement::compact)
    return threads;
  const double all = present(threads), full = std::floor(all / threadsPerCore);
  const double here = full + std::min(1.0, all - full * threadsPerCore);
  return threads * (here / std::min(all, static_cast<double>(cores) / threadsPerCore));
}

double LineTransfer::elsewhere(double threads) const {
  const double all = present(threads);
  return all > 1 ? (all - 1 - siblings(all) / all) / all : 0;
}

double LineTransfer::fromOther(double threads) const {
  return sameSocketNs * spread(present(threads));
}

/// Ordered pairs of threads, each with itself included, that are in one socket. Sockets are filled
/// one after the other, or all at a time; the cores of all come before any is shared.
double LineTransfer::pairsInOneSocket(double present) const {
  if (placement == ThreadPlacement::spread) {
    const double each = std::floor(present / sockets), more = present - each * sockets;
    return sockets * each * each + more * (2 * each + 1);
  }
  const double processors = static_cast<double>(cores) / sockets;
  const double each = placement == ThreadPlacement::sockets
                          ? std::max(processors / threadsPerCore, present / sockets)
                          : processors;
  const double full = std::floor(present / each), rest = present - full * each;
  return full * each * each + rest * rest;
}

double LineTransfer::spread(double threads) const {
  const double all = present(threads);
  if (all <= 1 || sockets == 1 || sameSocketNs <= 0)
    return 1;
  const double crossing = (all * all - pairsInOneSocket(all)) / (all * (all - 1));
  return 1 + std::clamp(crossing, 0.0, 1.0) * (crossSocketNs / sameSocketNs - 1);
}

CostCurve KindCosts::delegationCurve() const {
  const Curve *curve = find(curves, "delegation_overhead_ns");
  return curve ? CostCurve(curve->rows, true) : CostCurve();
}

CostCurve KindCosts::handoffCurve() const {
  const Figure *overhead = find(figures, "lock_overhead_ns");
  const double alone = overhead ? overhead->value : 0;
  std::vector<std::pair<double, double>> rows{{1, alone}};
  if (const Figure *constant = find(figures, "handover_ns")) {
    // The cost rises from one thread to two, and no further.
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

CostCurve KindCosts::shortHandoffCurve() const {
  const Curve *curve = find(curves, "handover_short_ns");
  return curve ? CostCurve(curve->rows, false) : CostCurve();
}

} // namespace qdadvise
