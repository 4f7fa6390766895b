// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/accuracy/Tables.h"

#include "bench/accuracy/Replications.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace qdadvise::accuracy {

namespace {

/// The errors of one cell: those of the whole program's throughput, and of each lock's R and W.
struct Cell {
  Errors throughput, residence, wait;
  std::vector<double> throughputNoise, waitNoise; ///< half-widths over values
  std::size_t chance = 0, locks = 0;

  void add(const Scored &scored, const Region &region) {
    const auto &throughputPerS = scored.simulated.throughputPerS;
    if (region.has(scored, nullptr)) {
      throughput.add(scored.predicted.throughputPerS, throughputPerS.value);
      throughputNoise.push_back(throughputPerS.half / throughputPerS.value);
    }
    for (std::size_t i = 0; i < scored.simulated.locks.size(); ++i) {
      const Simulated::Lock &lock = scored.simulated.locks[i];
      if (!region.has(scored, &lock) || lock.residenceNs <= 0)
        continue;
      ++locks;
      chance += lock.chance ? 1 : 0;
      if (lock.chance)
        continue;
      residence.add(scored.predicted.locks[i].residenceNs, lock.residenceNs);
      if (!waitIsScored(lock))
        continue;
      wait.add(scored.predicted.locks[i].waitNs, lock.waitNs.value);
      waitNoise.push_back(lock.waitNs.half / lock.waitNs.value);
    }
  }
};

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// An algorithm as one model predicts it.
struct Column {
  std::string kind, model, label;

  bool has(const Scored &one) const { return one.kind == kind && one.model == model; }
};

/// The columns with scores, in the order of the table of algorithms, and then of the models. The
/// model is named where there are several.
std::vector<Column> columnsIn(const std::vector<Scored> &scored) {
  std::vector<std::string> models;
  for (const Scored &one : scored)
    if (std::find(models.begin(), models.end(), one.model) == models.end())
      models.push_back(one.model);
  std::vector<Column> columns;
  for (const LockAlgorithm &algorithm : lockAlgorithms)
    for (const std::string &model : models) {
      Column column{algorithm.name, model, fmt::format("`{}`", algorithm.name)};
      if (models.size() > 1)
        column.label += fmt::format(", `{}`", model);
      if (std::any_of(scored.begin(), scored.end(),
                      [&](const Scored &one) { return column.has(one); }))
        columns.push_back(std::move(column));
    }
  return columns;
}

Cell cellOf(const std::vector<Scored> &scored, const std::string &machine, const Column &column,
            const Region &region) {
  Cell cell;
  for (const Scored &one : scored)
    if (one.machine == machine && column.has(one))
      cell.add(one, region);
  return cell;
}

std::string row(const std::vector<std::string> &cells) {
  std::string text = "|";
  for (const std::string &cell : cells)
    text += " " + cell + " |";
  return text + "\n";
}

std::string rule(std::size_t columns) { return row(std::vector<std::string>(columns, "---")); }

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string byAlgorithm(const std::vector<Scored> &scored, const std::string &machine,
                        const std::vector<Column> &columns) {
  std::string text =
      row({"algorithm", "cases", "X mean", "median", "95th", "bias", "locks", "R mean", "median",
           "95th", "W scored", "W mean", "median", "95th", "bias", "noise of X", "of W"}) +
      rule(17);
  for (const Column &column : columns) {
    const Cell cell = cellOf(scored, machine, column, regions().front());
    std::vector<std::string> cells{column.label};
    const auto add = [&](const Errors &errors, bool bias) {
      cells.push_back(std::to_string(errors.count()));
      cells.push_back(percent(errors.mean()));
      cells.push_back(percent(errors.percentile(0.5)));
      cells.push_back(percent(errors.percentile(0.95)));
      if (bias)
        cells.push_back(fmt::format("{:+.1f}", 100 * errors.bias()));
    };
    add(cell.throughput, true);
    add(cell.residence, false);
    add(cell.wait, true);
    cells.push_back(percent(median(cell.throughputNoise)));
    cells.push_back(percent(median(cell.waitNoise)));
    text += row(cells);
  }
  return text;
}

/// How many locks are missing from the table above.
std::string leftOut(const std::vector<Scored> &scored, const std::string &machine,
                    const std::vector<Column> &columns) {
  std::string text;
  for (const Column &column : columns) {
    const Cell cell = cellOf(scored, machine, column, regions().front());
    if (cell.chance > 0 && column.model == columns.front().model)
      text += fmt::format("{} `{}` {} of {}", text.empty() ? "" : ",", column.kind, cell.chance,
                          cell.locks);
  }
  return text.empty() ? ""
                      : fmt::format("\nLocks left out, as replications tell W to no better than {} "
                                    "%:{}.\n",
                                    100 * knownWaitShare, text);
}

std::string byRegion(const std::vector<Scored> &scored, const std::string &machine,
                     const std::vector<Column> &columns) {
  std::vector<std::string> head{"region", "cases"};
  for (const Column &column : columns)
    head.push_back(column.label);
  std::string text = row(head) + rule(head.size());
  for (const Region &region : regions()) {
    std::vector<std::string> cells{region.name, ""};
    std::size_t most = 0, least = ~std::size_t{0};
    for (const Column &column : columns) {
      const Cell cell = cellOf(scored, machine, column, region);
      most = std::max(most, cell.throughput.count());
      least = std::min(least, cell.throughput.count());
      const auto shown = [](const Errors &errors) {
        return errors.count() == 0 ? std::string("-") : percent(errors.mean());
      };
      cells.push_back(shown(cell.throughput) + " / " + shown(cell.residence) + " / " +
                      shown(cell.wait));
      if (cell.wait.count() > 0)
        cells.back() += fmt::format(" ({:.0f})", 100 * cell.wait.percentile(0.95));
    }
    // The load, and with it the region, differs from algorithm to algorithm.
    cells[1] = least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
    if (most > 0)
      text += row(cells);
  }
  return text;
}

std::string decisions(const std::vector<Scored> &scored, const std::string &machine,
                      const std::vector<Column> &columns) {
  const std::vector<Regret> regrets = regretsOf(scored);
  if (regrets.empty())
    return "";
  std::vector<std::string> head{"region",    "cases",     "within 2 %", "within 5 %",
                                "mean lost", "95th lost", "worst"};
  for (const Column &column : columns)
    if (column.kind != nameOf(LockKind::ideal))
      head.push_back("always " + column.label);
  std::string text =
      "\nDecisions: simulated throughput lost by following the predictions, in %, against the\n"
      "best single algorithm for all locks; beside it what is lost by always taking one:\n\n" +
      row(head) + rule(head.size());
  // The simulation of the best algorithm decides the region.
  std::map<std::pair<std::string, std::string>, const Scored *> best;
  for (const Scored &one : scored)
    best[{one.which->name, one.machine + " " + one.kind}] = &one;
  for (const Region &region : regions()) {
    std::vector<double> lost;
    std::map<std::string, double> always;
    for (const Regret &regret : regrets) {
      if (regret.machine != machine ||
          !region.has(*best.at({regret.which->name, machine + " " + regret.best}), nullptr))
        continue;
      lost.push_back(regret.lost);
      for (const auto &[kind, perS] : regret.simulatedPerS)
        always[kind] += 1 - perS / regret.simulatedPerS.at(regret.best);
    }
    if (lost.empty())
      continue;
    std::sort(lost.begin(), lost.end());
    const auto count = static_cast<double>(lost.size());
    const auto within = [&](double share) {
      return static_cast<double>(std::upper_bound(lost.begin(), lost.end(), share) - lost.begin()) /
             count;
    };
    double sum = 0;
    for (const double one : lost)
      sum += one;
    const auto rank = static_cast<std::size_t>(std::ceil(0.95 * count)) - 1;
    std::vector<std::string> cells{region.name,           std::to_string(lost.size()),
                                   percent(within(0.02)), percent(within(0.05)),
                                   percent(sum / count),  percent(lost[rank]),
                                   percent(lost.back())};
    for (const Column &column : columns)
      if (column.kind != nameOf(LockKind::ideal))
        cells.push_back(always.count(column.kind) ? percent(always[column.kind] / count) : "-");
    text += row(cells);
  }
  return text;
}

} // namespace

std::string printScores(const std::vector<Scored> &scored) {
  const std::vector<Column> columns = columnsIn(scored);
  std::set<std::string> machines;
  for (const Scored &one : scored)
    machines.insert(one.machine);
  std::string text =
      "Relative errors in %: of throughput (X), of the time at a lock per visit (R), and of the\n"
      "waiting time in it (W), which is scored where it is at least 2 % of the holding time. Bias\n"
      "is the median of the signed errors, noise the median half-width of the simulation's own 95 "
      "%\n"
      "intervals.\n";
  for (const std::string &machine : machines) {
    text += fmt::format("\n## {}\n\n{}", machine, byAlgorithm(scored, machine, columns));
    text += leftOut(scored, machine, columns);
    text += "\nMean errors of X / R / W by region, and W's 95th percentile:\n\n" +
            byRegion(scored, machine, columns);
    text += decisions(scored, machine, columns);
  }
  return text;
}

std::string printWorst(const std::vector<Scored> &scored, std::size_t count) {
  struct Line {
    double size;
    std::string text;
  };
  std::vector<Line> waits, lost;
  const bool several = std::any_of(scored.begin(), scored.end(), [&](const Scored &one) {
    return one.model != scored.front().model;
  });
  for (const Scored &one : scored)
    for (std::size_t i = 0; i < one.simulated.locks.size(); ++i) {
      const Simulated::Lock &lock = one.simulated.locks[i];
      if (!waitIsScored(lock))
        continue;
      const double predicted = one.predicted.locks[i].waitNs;
      waits.push_back({std::abs(std::log(std::max(predicted, 1e-3) / lock.waitNs.value)),
                       row({one.which->name, one.machine, "`" + one.kind + "`",
                            "`" + (several ? one.model : one.predicted.model) + "`",
                            one.which->network.locks[i].name, fmt::format("{:.0f}", predicted),
                            fmt::format("{:.0f}", lock.waitNs.value)})});
    }
  for (const Regret &regret : regretsOf(scored))
    lost.push_back(
        {regret.lost, row({regret.which->name, regret.machine, "`" + regret.advised + "`",
                           "`" + regret.best + "`", percent(regret.lost)})});
  const auto print = [&](std::vector<Line> &lines) {
    std::sort(lines.begin(), lines.end(), [](const Line &a, const Line &b) {
      return a.size != b.size ? a.size > b.size : a.text < b.text;
    });
    std::string text;
    for (std::size_t i = 0; i < std::min(count, lines.size()); ++i)
      text += lines[i].text;
    return text;
  };
  return "\n## The worst\n\n" +
         row({"case", "machine", "algorithm", "model", "lock", "W predicted, ns", "simulated"}) +
         rule(7) + print(waits) + "\n" +
         row({"case", "machine", "advised", "best", "throughput lost, %"}) + rule(5) + print(lost);
}

} // namespace qdadvise::accuracy
