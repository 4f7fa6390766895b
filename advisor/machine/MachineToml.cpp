// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/MachineToml.h"

#include "advisor/support/Toml.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <utility>

namespace qdadvise {
namespace {

constexpr std::string_view spreadSuffix = "_spread";
constexpr std::string_view sourceSuffix = "_source";
constexpr std::string_view wakeupKey = "wakeup_ns";
constexpr std::pair<std::string_view, Curve Machine::*> lineCurves[] = {
    {"moved_ns", &Machine::movedLines}, {"chained_ns", &Machine::chainedLines}};

/// A key of [kind.*] whose value is rows.
struct CurveKey {
  std::string_view key;
  bool orNumber; ///< the value may also be a number
};
constexpr CurveKey curveKeys[] = {
    {"delegation_overhead_ns", false}, {"handover_ns", true}, {"handover_short_ns", false}};

std::string with(std::string_view key, std::string_view suffix) {
  return std::string(key) + std::string(suffix);
}

/// The key that `key` qualifies ("read_ns" for "read_ns_spread"), or "".
std::string_view qualified(std::string_view key) {
  for (const std::string_view suffix : {spreadSuffix, sourceSuffix})
    if (key.size() > suffix.size() && key.ends_with(suffix))
      return key.substr(0, key.size() - suffix.size());
  return {};
}

/// Reads all figures of a table except under the keys that hold rows.
template <typename IsRows>
std::map<std::string, Figure> readFigures(TomlReader &in, const toml::table &table, IsRows isRows) {
  std::map<std::string, Figure> figures;
  for (const auto &[tomlKey, node] : table) {
    const std::string_view key = tomlKey.str();
    if (const std::string_view figure = qualified(key); !figure.empty()) {
      if (!table.get(figure))
        in.fail(node, "'" + std::string(key) + "' is about '" + std::string(figure) +
                          "', which this table does not have");
      continue;
    }
    if (isRows(key, node))
      continue;
    Figure figure;
    figure.value = in.number(node, key, 0).value_or(0);
    figure.spread = in.number(table, with(key, spreadSuffix), 0);
    figure.source = in.text(table, with(key, sourceSuffix)).value_or("");
    figures.emplace(key, std::move(figure));
  }
  return figures;
}

/// Reads `key = [[…], …]` with `columns` numbers a row, the first of which ascends from above zero.
std::vector<std::vector<double>> readRows(TomlReader &in, const toml::table &table,
                                          std::string_view key, std::size_t columns) {
  std::vector<std::vector<double>> rows;
  const toml::array *array = in.array(table, key);
  if (!array)
    return rows;
  for (const toml::node &node : *array) {
    const toml::array *row = node.as_array();
    if (!row || row->size() != columns) {
      in.fail(node, "a row of '" + std::string(key) + "' must be an array of " +
                        std::to_string(columns) + " numbers");
      return {};
    }
    std::vector<double> values;
    for (const toml::node &value : *row)
      values.push_back(in.number(value, key, 0).value_or(0));
    if (in.ok() && !(values[0] > (rows.empty() ? 0 : rows.back()[0])))
      in.fail(*row->get(0), "the rows of '" + std::string(key) +
                                "' must ascend in their first number, from above 0");
    rows.push_back(std::move(values));
  }
  return rows;
}

/// Reads the spreads of a table of `count` rows with `columns` numbers each. With one column the
/// rows are plain numbers.
std::vector<std::vector<double>> readSpreads(TomlReader &in, const toml::table &table,
                                             std::string_view key, std::size_t count,
                                             std::size_t columns) {
  std::vector<std::vector<double>> spreads;
  const std::string spreadKey = with(key, spreadSuffix);
  const toml::array *array = in.array(table, spreadKey);
  if (!array)
    return spreads;
  if (array->size() != count)
    in.fail(*array, "'" + spreadKey + "' must have as many rows as '" + std::string(key) + "'");
  for (const toml::node &node : *array) {
    std::vector<double> values;
    if (columns == 1) {
      values.push_back(in.number(node, spreadKey, 0).value_or(0));
    } else if (const toml::array *row = node.as_array(); row && row->size() == columns) {
      for (const toml::node &value : *row)
        values.push_back(in.number(value, spreadKey, 0).value_or(0));
    } else {
      in.fail(node, "a row of '" + spreadKey + "' must be an array of " + std::to_string(columns) +
                        " numbers");
      return {};
    }
    spreads.push_back(std::move(values));
  }
  return spreads;
}

void readPlacement(TomlReader &in, const toml::table &head, Machine &machine) {
  const auto name = in.text(head, "placement");
  if (!name)
    return;
  if (const auto placement = placementNamed(*name))
    machine.placement = *placement;
  else
    in.fail(*head.get("placement"), "'placement' is one of " + std::string(placementNames()));
}

void readHead(TomlReader &in, const toml::table &root, Machine &machine) {
  in.require(root, "machine");
  const toml::table *head = in.table(root, "machine");
  if (!head)
    return;
  machine.name = in.requiredText(*head, "name");
  machine.source = in.requiredText(*head, "source");
  in.require(*head, "cores");
  machine.cores = static_cast<int>(in.integer(*head, "cores", 1, 1 << 20).value_or(1));
  machine.sockets = static_cast<int>(in.integer(*head, "sockets", 1, 1 << 20).value_or(1));
  machine.threadsPerCore =
      static_cast<int>(in.integer(*head, "threads_per_core", 1, 64).value_or(1));
  readPlacement(in, *head, machine);
  machine.cpu = in.text(*head, "cpu").value_or("");
  machine.reference = in.text(*head, "reference").value_or("");
  if (!in.ok())
    return;
  if (machine.source != measured && machine.source != published && machine.source != assumed)
    in.fail(*head->get("source"), "'source' must be \"measured\", \"published\" or \"assumed\"");
  if (machine.source == published && machine.reference.empty())
    in.fail(*head->get("source"), "published figures need the key 'reference'");
  if (machine.sockets > machine.cores)
    in.fail(*head->get("sockets"), "'sockets' must be at most 'cores'");
  if (machine.cores % machine.threadsPerCore != 0)
    in.fail(*head->get("threads_per_core"),
            "'cores' counts hardware threads, so it must be a multiple of 'threads_per_core'");
  if (const toml::node *node = head->get("date")) {
    if (const auto *date = node->as_date()) {
      std::ostringstream text;
      text << date->get();
      machine.date = text.str();
    } else {
      in.fail(*node, "'date' must be a date such as 2026-11-20, without quotes");
    }
  }
}

Curve readCurve(TomlReader &in, const toml::table &table, std::string_view key) {
  Curve curve;
  for (const auto &numbers : readRows(in, table, key, 2))
    curve.rows.emplace_back(numbers[0], numbers[1]);
  for (const auto &numbers : readSpreads(in, table, key, curve.rows.size(), 1))
    curve.spread.push_back(numbers[0]);
  curve.source = in.text(table, with(key, sourceSuffix)).value_or("");
  return curve;
}

KindCosts &costsOf(Machine &machine, std::string_view name) {
  const LockKind kind = algorithmNamed(name);
  return kind == LockKind::unknown ? machine.unknownKinds[std::string(name)] : machine.kinds[kind];
}

KindCosts readKind(TomlReader &in, const toml::table &table) {
  const auto isCurve = [](const CurveKey &row, const toml::node &node) {
    return !row.orNumber || node.is_array();
  };
  KindCosts costs;
  costs.figures = readFigures(in, table, [&](std::string_view key, const toml::node &node) {
    return std::any_of(std::begin(curveKeys), std::end(curveKeys),
                       [&](const CurveKey &row) { return row.key == key && isCurve(row, node); });
  });
  for (const CurveKey &row : curveKeys) {
    const toml::node *node = table.get(row.key);
    if (!node || !isCurve(row, *node))
      continue;
    costs.curves[std::string(row.key)] = readCurve(in, table, row.key);
  }
  return costs;
}

void printFigures(std::ostream &out, const std::map<std::string, Figure> &figures) {
  for (const auto &[key, figure] : figures) {
    out << key << " = " << tomlText(figure.value) << "\n";
    if (figure.spread)
      out << key << spreadSuffix << " = " << tomlText(*figure.spread) << "\n";
    if (!figure.source.empty())
      out << key << sourceSuffix << " = " << tomlText(figure.source) << "\n";
  }
}

void printRow(std::ostream &out, bool first, std::initializer_list<double> values) {
  out << (first ? "[" : ", [");
  const char *separator = "";
  for (const double value : values) {
    out << separator << tomlText(value);
    separator = ", ";
  }
  out << "]";
}

void printText(std::ostream &out, const std::string &key, const std::string &value) {
  if (!value.empty())
    out << key << " = " << tomlText(value) << "\n";
}

void printWakeup(std::ostream &out, const Machine &machine) {
  if (machine.wakeup.empty())
    return;
  out << wakeupKey << " = [";
  for (const WakeupCost &row : machine.wakeup)
    printRow(out, &row == &machine.wakeup.front(), {row.sleptNs, row.latencyNs, row.wakerNs});
  out << "]\n";
  if (!machine.wakeupSpread.empty()) {
    out << wakeupKey << spreadSuffix << " = [";
    for (const auto &row : machine.wakeupSpread)
      printRow(out, &row == &machine.wakeupSpread.front(), {row.first, row.second});
    out << "]\n";
  }
  printText(out, with(wakeupKey, sourceSuffix), machine.wakeupSource);
}

void printCurve(std::ostream &out, std::string_view key, const Curve &curve) {
  if (curve.rows.empty())
    return;
  out << key << " = [";
  for (const auto &row : curve.rows)
    printRow(out, &row == &curve.rows.front(), {row.first, row.second});
  out << "]\n";
  if (!curve.spread.empty()) {
    out << key << spreadSuffix << " = ";
    const char *separator = "[";
    for (const double spread : curve.spread) {
      out << separator << tomlText(spread);
      separator = ", ";
    }
    out << "]\n";
  }
  printText(out, with(key, sourceSuffix), curve.source);
}

void printKind(std::ostream &out, const std::string &name, const KindCosts &costs) {
  out << "\n[kind." << name << "]\n";
  printFigures(out, costs.figures);
  for (const auto &[key, curve] : costs.curves)
    printCurve(out, key, curve);
}

} // namespace

Expected<Machine> parseMachine(const std::string &toml, const std::string &name) {
  TomlReader in(name);
  const toml::table root = in.parse(toml);
  Machine machine;
  if (in.ok())
    readHead(in, root, machine);
  if (const auto *timer = in.table(root, "timer"))
    machine.timer =
        readFigures(in, *timer, [](std::string_view, const toml::node &) { return false; });
  if (const auto *line = in.table(root, "line")) {
    machine.line = readFigures(in, *line, [](std::string_view key, const toml::node &) {
      return std::any_of(std::begin(lineCurves), std::end(lineCurves),
                         [&](const auto &curve) { return curve.first == key; });
    });
    for (const auto &[key, curve] : lineCurves)
      machine.*curve = readCurve(in, *line, key);
  }
  if (const auto *scheduler = in.table(root, "scheduler")) {
    machine.scheduler = readFigures(
        in, *scheduler, [](std::string_view key, const toml::node &) { return key == wakeupKey; });
    for (const auto &row : readRows(in, *scheduler, wakeupKey, 3))
      machine.wakeup.push_back({row[0], row[1], row[2]});
    for (const auto &row : readSpreads(in, *scheduler, wakeupKey, machine.wakeup.size(), 2))
      machine.wakeupSpread.emplace_back(row[0], row[1]);
    machine.wakeupSource = in.text(*scheduler, with(wakeupKey, sourceSuffix)).value_or("");
  }
  if (const auto *kinds = in.table(root, "kind"))
    for (const auto &[key, node] : *kinds)
      if (const auto *kind = in.table(*kinds, key.str()))
        costsOf(machine, key.str()) = readKind(in, *kind);
  if (!in.ok())
    return makeError(in.error());
  return machine;
}

Expected<Machine> readMachine(const std::string &path) {
  return parseMachine(TRY(readTextFile(path)), path);
}

std::string printMachine(const Machine &machine) {
  std::ostringstream out;
  out << "# Costs of lock algorithms on one machine; times in nanoseconds, medians of\n"
         "# measured figures, `_spread` how much they vary.\n"
         "[machine]\n"
      << "name = " << tomlText(machine.name) << "\n";
  printText(out, "cpu", machine.cpu);
  out << "cores = " << machine.cores << "\nsockets = " << machine.sockets
      << "\nthreads_per_core = " << machine.threadsPerCore
      << "\nsource = " << tomlText(machine.source) << "\n";
  if (machine.placement != ThreadPlacement::spread)
    printText(out, "placement", nameOf(machine.placement));
  printText(out, "reference", machine.reference);
  if (!machine.date.empty())
    out << "date = " << machine.date << "\n";
  if (!machine.timer.empty()) {
    out << "\n[timer]\n";
    printFigures(out, machine.timer);
  }
  if (!machine.line.empty() || !machine.movedLines.rows.empty() ||
      !machine.chainedLines.rows.empty()) {
    out << "\n[line]\n";
    printFigures(out, machine.line);
    for (const auto &[key, curve] : lineCurves)
      printCurve(out, key, machine.*curve);
  }
  if (!machine.scheduler.empty() || !machine.wakeup.empty()) {
    out << "\n[scheduler]\n";
    printFigures(out, machine.scheduler);
    printWakeup(out, machine);
  }
  for (const auto &[name, costs] : machine.kindsByName())
    printKind(out, name, *costs);
  return out.str();
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
