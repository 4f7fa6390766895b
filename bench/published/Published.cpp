// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench-published: published measurements of locks beside what the virtual multicore and the models
// say of the same locks on a description of the same machine. README.md says where the figures come
// from.
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/Simulate.h"
#include "advisor/support/ForEachIndex.h"
#include "bench/published/LockCosts.h"
#include "bench/published/Tables.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

namespace qdadvise::publication {
namespace {

struct Arguments {
  std::vector<std::string> tables, machines, locks;
  std::string data = QDADVISE_PUBLISHED_TABLES, descriptions = QDADVISE_MACHINES;
  /// With fewer, mutexes of many threads are not in a steady state yet.
  std::uint64_t steps = 8'000'000;
  bool predict = true, summaryOnly = false;
};

/// A published figure, and ours. 0 where there is none.
struct Outcome {
  Row row;
  double simulatedNs = 0, predictedNs = 0;
  std::string error = {};

  double errorOf(double Outcome::*figure) const {
    return row.publishedNs / (this->*figure) - 1; // of the throughput
  }
};

/// Descriptions with the costs of a lock on them.
class Machines {
public:
  explicit Machines(std::string folder) : folder(std::move(folder)) {}

  Expected<Machine> of(const Row &row) {
    Machine machine = TRY(readMachine(folder + "/" + row.machine + ".toml"));
    machine.placement = row.placement;
    return machine;
  }

  /// With what the models need to know of the lock, from the virtual multicore.
  Expected<Machine> completed(const Row &row) {
    const std::tuple key(row.machine, std::string(row.lock->name), row.placement);
    Entry *entry = nullptr;
    {
      const std::lock_guard guard(oneAtATime);
      entry = &entries[key];
    }
    const std::lock_guard guard(entry->oneAtATime);
    if (!entry->machine) {
      Machine machine = TRY(of(row));
      entry->machine = TRY(withCostsOf(*row.lock, std::move(machine)));
    }
    return *entry->machine;
  }

private:
  struct Entry {
    std::mutex oneAtATime;
    std::optional<Machine> machine;
  };
  std::string folder;
  std::mutex oneAtATime;
  std::map<std::tuple<std::string, std::string, ThreadPlacement>, Entry> entries;
};

/// From one section to the next, at the busiest lock or of all locks.
double intervalNs(const Row &row, const Prediction &figures) {
  return 1e9 / (row.choice == LockChoice::own ? figures.locks.front().throughputPerS
                                              : figures.throughputPerS);
}

std::optional<Error> simulateRow(Outcome &outcome, Machines &machines, std::uint64_t steps) {
  const Row &row = outcome.row;
  const auto machine = machines.of(row);
  if (!machine)
    return machine.error();
  const Network network = networkOf(row);
  // Time slices are long.
  if (row.threads > machine->cores)
    steps *= 20;
  const auto found = sim::simulateLocks(network, {network.locks.size(), &row.lock->kind}, *machine,
                                        row.choice == LockChoice::own ? 1 : row.threads,
                                        {.precision = 0.03,
                                         .mostSteps = steps,
                                         .firstProcessor = row.lock->firstProcessor,
                                         .dataLines = row.lines});
  if (!found)
    return found.error();
  outcome.simulatedNs = intervalNs(row, found->figures);
  return std::nullopt;
}

std::optional<Error> predictRow(Outcome &outcome, Machines &machines) {
  const Row &row = outcome.row;
  const auto machine = machines.completed(row);
  if (!machine)
    return machine.error();
  // The models' locks yield where these keep their processors.
  if (row.threads > machine->cores && !row.lock->yields)
    return std::nullopt;
  Network network = networkOf(row);
  for (Section &section : network.sections)
    section.footprint = Footprint{{}, {{0, static_cast<double>(row.lines)}}};
  const std::vector<LockKind> kinds(network.locks.size(), row.lock->kind.kind);
  const auto found =
      predict(network, kinds, *machine, row.choice == LockChoice::own ? 1 : row.threads);
  if (!found)
    return found.error();
  outcome.predictedNs = intervalNs(row, *found);
  return std::nullopt;
}

void printRows(const std::vector<Outcome> &outcomes) {
  fmt::print("ns from one section to the next; the error is of the throughput, in %\n\n"
             "{:<20} {:<13} {:<28} {:>7} {:>5} {:>6} {:>6} | {:>9} {:>9} {:>6} {:>9} {:>6}\n",
             "table", "machine", "lock", "threads", "locks", "hold", "local", "published",
             "simulated", "error", "predicted", "error");
  for (const Outcome &one : outcomes) {
    const Row &row = one.row;
    fmt::print("{:<20} {:<13} {:<28} {:>7} {:>5} {:>6g} {:>6g} | {:>9.4g}", row.table, row.machine,
               row.lock->name, row.threads, row.locks, row.holdNs, row.localNs, row.publishedNs);
    for (const auto figure : {&Outcome::simulatedNs, &Outcome::predictedNs})
      if (one.*figure > 0)
        fmt::print(" {:>9.4g} {:>6.0f}", one.*figure, 100 * one.errorOf(figure));
      else
        fmt::print(" {:>9} {:>6}", "-", "-");
    fmt::print("{}{}\n", one.error.empty() ? "" : "  ", one.error);
  }
}

struct Errors {
  std::vector<double> all;
  void add(double error) { all.push_back(std::abs(error)); }
  std::string text() const {
    if (all.empty())
      return "- | -";
    double sum = 0;
    for (const double one : all)
      sum += one;
    return fmt::format("{:.0f} | {:.0f}", 100 * sum / static_cast<double>(all.size()),
                       100 * *std::max_element(all.begin(), all.end()));
  }
};

/// Mean and worst errors by what `nameOf` says of a row.
template <typename NameOf>
void printErrors(const char *title, const std::vector<Outcome> &outcomes, NameOf nameOf) {
  struct Line {
    int rows = 0;
    Errors simulated, predicted;
  };
  std::map<std::string, Line> lines;
  for (const Outcome &one : outcomes) {
    for (Line *line : {&lines[nameOf(one)], &lines["~ all"]}) {
      ++line->rows;
      if (one.simulatedNs > 0)
        line->simulated.add(one.errorOf(&Outcome::simulatedNs));
      if (one.predictedNs > 0)
        line->predicted.add(one.errorOf(&Outcome::predictedNs));
    }
  }
  fmt::print("\n| {} | rows | simulated: mean error % | worst | predicted: mean error % | worst |\n"
             "| --- | --- | --- | --- | --- | --- |\n",
             title);
  for (const auto &[name, line] : lines)
    fmt::print("| {} | {} | {} | {} |\n", name == "~ all" ? "all" : name, line.rows,
               line.simulated.text(), line.predicted.text());
}

/// Of two locks whose published figures for the same threads differ by more than a quarter, how
/// often is ours the same one?
void printOrder(const std::vector<Outcome> &outcomes) {
  int pairs = 0;
  int simulated = 0, simulatedPairs = 0, predicted = 0, predictedPairs = 0;
  const auto sameWork = [](const Row &a, const Row &b) {
    return a.table == b.table && a.machine == b.machine && a.threads == b.threads &&
           a.locks == b.locks && a.localNs == b.localNs && a.holdNs == b.holdNs;
  };
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Outcome &a = outcomes[i], &b = outcomes[j];
      const double ratio = a.row.publishedNs / b.row.publishedNs;
      if (!sameWork(a.row, b.row) || (ratio < 1.25 && ratio > 0.8))
        continue;
      ++pairs;
      const auto isRight = [&](double Outcome::*figure) {
        return (a.*figure > b.*figure) == (ratio > 1);
      };
      if (a.simulatedNs > 0 && b.simulatedNs > 0) {
        ++simulatedPairs;
        simulated += isRight(&Outcome::simulatedNs) ? 1 : 0;
      }
      if (a.predictedNs > 0 && b.predictedNs > 0) {
        ++predictedPairs;
        predicted += isRight(&Outcome::predictedNs) ? 1 : 0;
      }
    }
  const auto share = [](int part, int all) { return all > 0 ? 100.0 * part / all : 0; };
  fmt::print("\nOf {} pairs of locks that differ by more than 25 % as published, the order is "
             "right in {:.1f} % of {} as simulated, in {:.1f} % of {} as predicted.\n",
             pairs, share(simulated, simulatedPairs), simulatedPairs,
             share(predicted, predictedPairs), predictedPairs);
}

bool isWanted(const std::vector<std::string> &names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

int run(const Arguments &arguments) {
  const auto rows = readTables(arguments.data);
  if (!rows) {
    fmt::print(stderr, "bench-published: error: {}\n", rows.error().message);
    return 2;
  }
  std::vector<Outcome> outcomes;
  for (const Row &row : *rows)
    if (isWanted(arguments.tables, row.table) && isWanted(arguments.machines, row.machine) &&
        isWanted(arguments.locks, row.lock->name))
      outcomes.push_back({row});
  if (outcomes.empty()) {
    fmt::print(stderr, "bench-published: error: no row is of these tables, machines and locks\n");
    return 2;
  }
  Machines machines(arguments.descriptions);
  forEachIndex(outcomes.size(), [&](std::size_t i) {
    Outcome &outcome = outcomes[i];
    auto fault = simulateRow(outcome, machines, arguments.steps);
    if (!fault && arguments.predict && outcome.row.lock->isModelled)
      fault = predictRow(outcome, machines);
    if (fault)
      outcome.error = fault->message;
  });
  if (!arguments.summaryOnly)
    printRows(outcomes);
  printErrors("table", outcomes, [](const Outcome &one) { return one.row.table; });
  printErrors("machine", outcomes, [](const Outcome &one) { return one.row.machine; });
  printErrors("lock", outcomes, [](const Outcome &one) { return std::string(one.row.lock->name); });
  printErrors("family", outcomes,
              [](const Outcome &one) { return std::string(one.row.lock->family); });
  printOrder(outcomes);
  const bool failed = std::any_of(outcomes.begin(), outcomes.end(),
                                  [](const Outcome &one) { return !one.error.empty(); });
  return failed ? 1 : 0;
}

} // namespace
} // namespace qdadvise::publication

int main(int argc, char **argv) {
  qdadvise::publication::Arguments arguments;
  CLI::App app("Published measurements of locks beside simulated and predicted ones");
  app.add_option("--table", arguments.tables, "Only these tables")->delimiter(',');
  app.add_option("--machine", arguments.machines, "Only these machines")->delimiter(',');
  app.add_option("--lock", arguments.locks, "Only these locks")->delimiter(',');
  app.add_option("--steps", arguments.steps, "Sections and accesses to simulate for each row");
  app.add_option("--descriptions", arguments.descriptions, "The folder of machine descriptions");
  app.add_option("--tables", arguments.data, "The file of published measurements");
  app.add_flag("!--no-predictions", arguments.predict, "Only simulate");
  app.add_flag("--summary", arguments.summaryOnly, "Leave the single rows out");
  CLI11_PARSE(app, argc, argv);
  return qdadvise::publication::run(arguments);
}
