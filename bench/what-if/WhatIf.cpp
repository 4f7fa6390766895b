// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fixes gain at the lock where threads lose most time, for each network: predicted as
// `qdadvise advise` does it, and simulated. The machine is the generic one, with today's locks. A
// fix that shares reads is tried on the section that holds the lock longest, as if that section
// only read.
//
//   bench-what-if THREADS NETWORK.toml...
#include "advisor/decide/Decision.h"
#include "advisor/decide/Fixes.h"
#include "advisor/machine/BundledMachines.h"
#include "advisor/network/NetworkReader.h"
#include "advisor/sim/Simulate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace qdadvise;

struct Row {
  const char *name;
  LockKind kind; ///< the new algorithm of the lock; unknown where it stays
  std::function<Network(const Network &, std::size_t lock, std::size_t section)> fixed;
};

const std::vector<Row> rows{
    {"shrink=50", LockKind::unknown,
     [](const auto &n, std::size_t, std::size_t s) { return shrunk(n, s, 0.5); }},
    {"split=4", LockKind::unknown,
     [](const auto &n, std::size_t l, std::size_t) { return split(n, l, 4); }},
    {"split=16", LockKind::unknown,
     [](const auto &n, std::size_t l, std::size_t) { return split(n, l, 16); }},
    {"share-reads", LockKind::pthreadRwlock,
     [](const auto &n, std::size_t, std::size_t s) { return sharing(n, {s}); }},
    {"share-reads", LockKind::mrqd,
     [](const auto &n, std::size_t, std::size_t s) { return sharing(n, {s}); }},
};

/// Returns the value, or ends the program with the error.
template <typename T> T valueOf(Expected<T> result) {
  if (result)
    return std::move(*result);
  fmt::print(stderr, "bench-what-if: {}\n", result.error().message);
  std::exit(1);
}

struct Throughput {
  double predicted = 0, simulated = 0;
};

Throughput throughputOf(const Network &network, const Assignment &kinds, int threads) {
  PredictOptions options = DecisionOptions().predict;
  options.coresAlways = true;
  sim::SimulateOptions simulation;
  simulation.mostSteps = 1'000'000; // throughput is within some 1 % then
  return {valueOf(predict(network, kinds, genericMachine(), threads, options)).throughputPerS,
          valueOf(sim::simulate(network, kinds, genericMachine(), threads, simulation))
              .figures.throughputPerS};
}

} // namespace

int main(int argc, char **argv) {
  const int threads = argc > 2 ? std::atoi(argv[1]) : 0;
  if (threads < 1) {
    fmt::print(stderr, "usage: bench-what-if THREADS NETWORK.toml...\n");
    return 2;
  }
  fmt::print("| network | lock | fix | predicted | simulated | error |\n"
             "| --- | --- | --- | --- | --- | --- |\n");
  double sum = 0, most = 0;
  int compared = 0;
  for (int i = 2; i < argc; ++i) {
    const Network network = valueOf(readNetwork(argv[i]));
    Assignment kinds;
    for (const Lock &lock : network.locks)
      kinds.push_back(lock.kind.kind);
    const Prediction today = valueOf(predict(network, kinds, genericMachine(), threads));
    std::size_t lock = 0, section = network.sections.size();
    for (std::size_t at = 1; at < kinds.size(); ++at)
      if (lostShare(today, at, threads) > lostShare(today, lock, threads))
        lock = at;
    for (std::size_t at = 0; at < network.sections.size(); ++at)
      if (network.sections[at].lock == lock &&
          (section == network.sections.size() ||
           network.sections[at].hold.mean > network.sections[section].hold.mean))
        section = at;
    const Throughput before = throughputOf(network, kinds, threads);
    for (const Row &row : rows) {
      const Assignment then = row.kind != LockKind::unknown ? with(kinds, lock, row.kind) : kinds;
      const Throughput after = throughputOf(row.fixed(network, lock, section), then, threads);
      const double predicted = after.predicted / before.predicted;
      const double simulated = after.simulated / before.simulated;
      const double error = std::abs(predicted / simulated - 1);
      sum += error;
      most = std::max(most, error);
      ++compared;
      fmt::print("| {} | {} | {}{}{} | {:.2f}x | {:.2f}x | {:.1f} % |\n",
                 std::filesystem::path(argv[i]).stem().string(), network.locks[lock].name, row.name,
                 row.kind != LockKind::unknown ? ", " : "",
                 row.kind != LockKind::unknown ? nameOf(row.kind) : "", predicted, simulated,
                 100 * error);
      std::fflush(stdout);
    }
  }
  fmt::print("\nError of a gain: mean {:.1f} %, at most {:.1f} %.\n", 100 * sum / compared,
             100 * most);
}
