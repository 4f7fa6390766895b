// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The speed of the virtual multicore: simulated accesses to shared memory and critical sections per
// second of one host core, by lock and number of threads, with a core for each thread.
#include "advisor/machine/BundledMachines.h"
#include "advisor/sim/Simulate.h"
#include "advisor/sim/SimulatedLocks.h"

#include <benchmark/benchmark.h>

namespace {

using namespace qdadvise;
using namespace qdadvise::sim;

Network oneLock(double hold, double local) {
  Network network;
  network.locks.push_back({"lock", LockKind::pthreadMutex, 1, {}});
  Section section;
  section.name = "section";
  section.hold.mean = hold;
  network.sections.push_back(section);
  network.classes.push_back({"worker"});
  Transition transition;
  transition.probability = 1;
  transition.local.mean = local;
  network.transitions.push_back(transition);
  return network;
}

/// Sections take 500 ns, and 5000 ns lie between two of them. The arguments are the row in the
/// table of simulated locks and the number of threads.
void simulateLock(benchmark::State &state) {
  const SimulatedKind &kind = simulatedKinds()[static_cast<std::size_t>(state.range(0))];
  const Network network = oneLock(500, 5000);
  Machine machine = genericMachine();
  machine.cores = 256;
  SimulateOptions options;
  options.precision = 0; // the number of steps decides
  options.mostSteps = 1'000'000;
  double accesses = 0, sections = 0;
  for (auto unused : state) {
    const auto simulation =
        simulate(network, {kind.kind}, machine, static_cast<int>(state.range(1)), options);
    if (!simulation) {
      state.SkipWithError(simulation.error().message.c_str());
      return;
    }
    accesses += static_cast<double>(simulation->accesses);
    sections += static_cast<double>(simulation->sections);
  }
  state.counters["accesses/s"] = benchmark::Counter(accesses, benchmark::Counter::kIsRate);
  state.counters["sections/s"] = benchmark::Counter(sections, benchmark::Counter::kIsRate);
  state.SetLabel(nameOf(kind.kind));
}

} // namespace

int main(int argc, char **argv) {
  for (std::size_t kind = 0; kind < simulatedKinds().size(); ++kind)
    for (const int threads : {2, 16, 64, 256})
      benchmark::RegisterBenchmark("simulate", simulateLock)
          ->ArgNames({"kind", "threads"})
          ->Args({static_cast<std::int64_t>(kind), threads})
          ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
}
