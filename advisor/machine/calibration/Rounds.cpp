// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/calibration/Rounds.h"

#include "advisor/machine/calibration/Samples.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace qdadvise {

namespace {

/// The median of the measured figures. Assumed ones count only where no round could measure.
Figure medianOf(std::vector<Figure> figures) {
  const auto isAssumed = [](const Figure &one) { return one.source == assumed; };
  if (!std::all_of(figures.begin(), figures.end(), isAssumed))
    figures.erase(std::remove_if(figures.begin(), figures.end(), isAssumed), figures.end());
  std::vector<double> values, spreads;
  for (const Figure &one : figures) {
    values.push_back(one.value);
    if (one.spread)
      spreads.push_back(*one.spread);
  }
  Figure result = figures.front();
  result.value = summarize(values)->value;
  if (const auto spread = summarize(spreads)) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    result.spread = std::max(spread->value, *most - *least);
  }
  return result;
}

/// The medians row by row. `spread` has one for each.
Curve medianOf(const std::vector<Curve> &curves) {
  std::map<double, std::vector<Figure>> rows;
  for (const Curve &curve : curves)
    for (std::size_t i = 0; i < curve.rows.size(); ++i)
      rows[curve.rows[i].first].push_back({curve.rows[i].second, curve.spread[i], curve.source});
  Curve result;
  result.source = curves.front().source;
  for (const auto &[threads, figures] : rows) {
    const Figure figure = medianOf(figures);
    result.rows.emplace_back(threads, figure.value);
    result.spread.push_back(*figure.spread);
  }
  return result;
}

/// The medians by key of the tables that `of` finds in the rounds that have them.
template <typename Table, typename Of>
Table medianByKey(const std::vector<Machine> &rounds, Of of) {
  std::map<std::string, std::vector<typename Table::mapped_type>> all;
  for (const Machine &round : rounds)
    if (const Table *table = of(round))
      for (const auto &[key, value] : *table)
        all[key].push_back(value);
  Table result;
  for (auto &[key, values] : all)
    result[key] = medianOf(std::move(values));
  return result;
}

} // namespace

Machine medianOf(const std::vector<Machine> &rounds) {
  Machine result = rounds.front();
  using Figures = std::map<std::string, Figure>;
  for (const auto table : {&Machine::timer, &Machine::line, &Machine::scheduler})
    result.*table =
        medianByKey<Figures>(rounds, [&](const Machine &round) { return &(round.*table); });
  for (const auto lines : {&Machine::movedLines, &Machine::chainedLines}) {
    std::vector<Curve> curves;
    for (const Machine &round : rounds)
      curves.push_back(round.*lines);
    result.*lines = medianOf(curves);
  }
  std::set<LockKind> kinds;
  for (const Machine &round : rounds)
    for (const auto &entry : round.kinds)
      kinds.insert(entry.first);
  for (const LockKind kind : kinds) {
    const auto costsOf = [&](const Machine &round) {
      const auto found = round.kinds.find(kind);
      return found == round.kinds.end() ? nullptr : &found->second;
    };
    result.kinds[kind].figures = medianByKey<Figures>(rounds, [&](const Machine &round) {
      const KindCosts *costs = costsOf(round);
      return costs ? &costs->figures : nullptr;
    });
    result.kinds[kind].curves =
        medianByKey<std::map<std::string, Curve>>(rounds, [&](const Machine &round) {
          const KindCosts *costs = costsOf(round);
          return costs ? &costs->curves : nullptr;
        });
  }
  std::map<double, std::pair<std::vector<Figure>, std::vector<Figure>>> wakeups;
  for (const Machine &round : rounds)
    for (std::size_t i = 0; i < round.wakeup.size(); ++i) {
      auto &[latencies, wakers] = wakeups[round.wakeup[i].sleptNs];
      const auto &[latencySpread, wakerSpread] = round.wakeupSpread[i];
      latencies.push_back({round.wakeup[i].latencyNs, latencySpread, ""});
      wakers.push_back({round.wakeup[i].wakerNs, wakerSpread, ""});
    }
  result.wakeup.clear();
  result.wakeupSpread.clear();
  for (const auto &[slept, figures] : wakeups) {
    const Figure latency = medianOf(figures.first), waker = medianOf(figures.second);
    result.wakeup.push_back({slept, latency.value, waker.value});
    result.wakeupSpread.emplace_back(*latency.spread, *waker.spread);
  }
  return result;
}

void stateClock(Machine &machine, const std::vector<double> &ghz,
                std::optional<double> nominalGhz) {
  const auto [least, most] = std::minmax_element(ghz.begin(), ghz.end());
  const double share =
      std::max(*most, nominalGhz.value_or(0)) / std::min(*least, nominalGhz.value_or(*least)) - 1;
  const auto rounded = [](double value, double perUnit) {
    return std::round(value * perUnit) / perUnit;
  };
  const auto widened = [&](double spread, double value) {
    return rounded(std::max(spread, share * value), 10);
  };
  const auto widenAll = [&](std::map<std::string, Figure> &figures) {
    for (auto &[key, figure] : figures)
      if (figure.spread && key != "timeslice_ns") // a timer ends it
        figure.spread = widened(*figure.spread, figure.value);
  };
  widenAll(machine.timer);
  widenAll(machine.line);
  widenAll(machine.scheduler);
  const auto widenRows = [&](Curve &curve) {
    for (std::size_t i = 0; i < curve.rows.size(); ++i)
      curve.spread[i] = widened(curve.spread[i], curve.rows[i].second);
  };
  widenRows(machine.movedLines);
  widenRows(machine.chainedLines);
  for (auto &[kind, costs] : machine.kinds) {
    widenAll(costs.figures);
    for (auto &[key, curve] : costs.curves)
      widenRows(curve);
  }
  for (std::size_t i = 0; i < machine.wakeup.size(); ++i) {
    auto &[latency, waker] = machine.wakeupSpread[i];
    latency = widened(latency, machine.wakeup[i].latencyNs);
    waker = widened(waker, machine.wakeup[i].wakerNs);
  }
  machine.timer["clock_ghz"] = {rounded(summarize(ghz)->value, 100), rounded(*most - *least, 100),
                                ""};
  if (nominalGhz)
    machine.timer["nominal_clock_ghz"].value = rounded(*nominalGhz, 100);
}

} // namespace qdadvise
