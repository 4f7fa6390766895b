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
