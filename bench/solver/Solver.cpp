// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the solvers take: one prediction, sweeps over numbers of threads as
// `predict` and `advise` make them, and the growth with threads and locks.
#include "advisor/machine/BundledMachines.h"
#include "advisor/model/Predict.h"
#include "advisor/model/mva/Mva.h"
#include "advisor/model/uncertainty/Confidence.h"
#include "advisor/model/uncertainty/Gain.h"
#include "runtime/abi/lock_algorithms.h"

#include <benchmark/benchmark.h>
#include <numeric>

namespace {

using namespace qdadvise;

/// `locks` locks of different lengths, each as likely as the others.
Network networkOf(int locks) {
  Network network;
  for (int i = 0; i < locks; ++i) {
    Lock lock;
    lock.name = "lock" + std::to_string(i);
    lock.kind = LockKind::pthreadMutex;
    network.locks.push_back(lock);
    Section section;
    section.name = "section" + std::to_string(i);
    section.lock = static_cast<std::size_t>(i);
    section.hold.mean = 200 + 37 * (i % 11);
    network.sections.push_back(section);
  }
  network.classes.push_back({"worker"});
  // A ring, so that the routing is sparse as a program's is.
  for (int i = 0; i < locks; ++i) {
    Transition transition;
    transition.from = static_cast<std::size_t>(i);
    transition.to = static_cast<std::size_t>((i + 1) % locks);
    transition.probability = 1;
    transition.local.mean = 5000;
    network.transitions.push_back(transition);
  }
  return network;
}

Machine manyCores() {
  Machine machine = genericMachine();
  machine.cores = 4096;
  return machine;
}

const Machine &twoSockets() { return *findBundledMachine("two-socket-32-core"); }

LockKind kindOf(std::int64_t index) { return lockAlgorithms[static_cast<std::size_t>(index)].kind; }

/// The first two arguments are the algorithm and the threads.
void predictOn(benchmark::State &state, const Network &network, const Machine &machine) {
  const std::vector<LockKind> kinds(network.locks.size(), kindOf(state.range(0)));
  for (auto unused : state) {
    auto result = predict(network, kinds, machine, static_cast<int>(state.range(1)));
    if (!result)
      state.SkipWithError(result.error().message.c_str());
    benchmark::DoNotOptimize(result);
  }
  state.SetLabel(nameOf(kindOf(state.range(0))));
}

/// Arguments: algorithm, threads, locks.
void predictOne(benchmark::State &state) {
  predictOn(state, networkOf(static_cast<int>(state.range(2))), manyCores());
}

/// Mean value analysis by itself, of demands and visit ratios, as packages for queueing networks
/// offer it. Arguments: threads, locks.
void meanValueAnalysis(benchmark::State &state) {
  const Machine machine = manyCores();
  ClosedNetwork network{machine, 0, 5000, {}};
  const auto locks = static_cast<int>(state.range(1));
  for (int i = 0; i < locks; ++i)
    network.stations.push_back(
        {LockKind::ideal, {200.0 + 37 * (i % 11), 1, 1, 0}, 1.0 / locks, 1.0 / locks, 1});
  for (auto unused : state) {
    auto result = solveMva(network, {static_cast<int>(state.range(0))});
    if (!result)
      state.SkipWithError(result.error().message.c_str());
    benchmark::DoNotOptimize(result);
  }
}

/// QD locks by every method. Arguments: method, threads, locks.
void method(benchmark::State &state) {
  static const char *const models[] = {"qd-a", "qd-b", "qd-c"};
  const PredictOptions options{0, models[state.range(0)]};
  const Network network = networkOf(static_cast<int>(state.range(2)));
  const Machine machine = manyCores();
  const std::vector<LockKind> kinds(network.locks.size(), LockKind::qd);
  for (auto unused : state) {
    auto result = predict(network, kinds, machine, static_cast<int>(state.range(1)), options);
    if (!result)
      state.SkipWithError(result.error().message.c_str());
    benchmark::DoNotOptimize(result);
  }
  state.SetLabel(options.model);
}

/// Several thread classes of 8 threads each at ideal locks. Arguments: model, classes, locks.
void threadClasses(benchmark::State &state) {
  static const char *const models[] = {"reiser", "linearizer", "recursion", "marie"};
  const PredictOptions options{0, models[state.range(0)]};
  Network network = networkOf(static_cast<int>(state.range(2)));
  const std::vector<Transition> ring = network.transitions;
  for (std::size_t i = 1; i < static_cast<std::size_t>(state.range(1)); ++i) {
    network.classes.push_back({"worker" + std::to_string(i)});
    for (Transition transition : ring) {
      transition.threadClass = i;
      transition.local.mean *= static_cast<double>(i + 1);
      network.transitions.push_back(transition);
    }
  }
  const Machine machine = manyCores();
  const std::vector<LockKind> kinds(network.locks.size(), LockKind::ideal);
  for (auto unused : state) {
    auto result =
        predict(network, kinds, machine, static_cast<int>(8 * network.classes.size()), options);
    if (!result)
      state.SkipWithError(result.error().message.c_str());
    benchmark::DoNotOptimize(result);
  }
  state.SetLabel(options.model);
}

/// 1 to 64 threads. Arguments: algorithm, locks.
void sweep(benchmark::State &state) {
  const Network network = networkOf(static_cast<int>(state.range(1)));
  const Machine machine = manyCores();
  std::vector<int> threads(64);
  std::iota(threads.begin(), threads.end(), 1);
  for (auto unused : state) {
    auto result = predictSweep(network, kindOf(state.range(0)), machine, threads);
    if (!result)
      state.SkipWithError(result.error().message.c_str());
    benchmark::DoNotOptimize(result);
  }
  state.SetLabel(nameOf(kindOf(state.range(0))));
}

/// Twenty locks, cv 2.
Network varyingNetwork() {
  Network network = networkOf(20);
  for (Section &section : network.sections)
    section.hold.cv = 2;
  for (Transition &transition : network.transitions)
    transition.local.cv = 2;
  return network;
}

void addSamples(Network &network) {
  for (Section &section : network.sections)
    section.hold.samples = 1000;
  for (Transition &transition : network.transitions)
    transition.samples = transition.local.samples = 1000;
}

/// On the 32 cores of two sockets. Arguments: algorithm, threads.
void sharedCores(benchmark::State &state) { predictOn(state, varyingNetwork(), twoSockets()); }

/// The same with the intervals that samples give. Arguments: algorithm, threads.
void intervals(benchmark::State &state) {
  Network network = varyingNetwork();
  addSamples(network);
  const std::vector<LockKind> kinds(network.locks.size(), kindOf(state.range(0)));
  for (auto unused : state) {
    const auto prediction = predict(network, kinds, twoSockets(), static_cast<int>(state.range(1)));
    const auto result = prediction
                            ? confidenceIntervals(network, kinds, twoSockets(), {*prediction}, {})
                            : Unexpected(prediction.error());
    if (!result)
      state.SkipWithError(result.error().message.c_str());
    benchmark::DoNotOptimize(result);
  }
  state.SetLabel(nameOf(kindOf(state.range(0))));
}

/// Reader-writer locks that are read, alone or with all that come behind them in a row, on the 32
/// cores of two sockets; 33 to 64 threads. Argument: locks.
void nestedReaders(benchmark::State &state) {
  Network network = networkOf(static_cast<int>(state.range(0)));
  network.transitions.clear();
  network.sections.clear();
  const std::size_t locks = network.locks.size();
  std::vector<std::size_t> outermost;
  for (std::size_t first = 0; first < locks; ++first)
    for (std::size_t i = first; i < locks; ++i) {
      Section section;
      section.name = "section" + std::to_string(first) + "." + std::to_string(i);
      section.lock = i;
      section.shared = true;
      section.hold.mean = 200 + 37.0 * static_cast<double>(i % 11);
      if (i == first) {
        outermost.push_back(network.sections.size());
      } else {
        section.inside = network.sections.size() - 1;
        section.visits = 1;
      }
      network.sections.push_back(section);
    }
  for (const std::size_t from : outermost)
    for (const std::size_t to : outermost) {
      Transition transition;
      transition.from = from;
      transition.to = to;
      transition.probability = 1 / static_cast<double>(locks);
      transition.local.mean = 5000;
      network.transitions.push_back(transition);
    }
  const Machine &machine = twoSockets();
  std::vector<int> threads(32);
  std::iota(threads.begin(), threads.end(), 33);
  for (auto unused : state) {
    auto result = predictSweep(network, LockKind::pthreadRwlock, machine, threads);
    if (!result)
      state.SkipWithError(result.error().message.c_str());
    benchmark::DoNotOptimize(result);
  }
}

/// What a menu of algorithms costs: six of them, 1 to 64 threads, 100 locks. Argument: model.
void menu(benchmark::State &state) {
  static const char *const models[] = {"recursion", "auto"};
  const PredictOptions options{0, models[state.range(0)]};
  const Network network = networkOf(100);
  const Machine machine = manyCores();
  std::vector<int> threads(64);
  std::iota(threads.begin(), threads.end(), 1);
  for (auto unused : state)
    for (const LockKind kind : {LockKind::pthreadMutex, LockKind::spinlock, LockKind::ticket,
                                LockKind::mcs, LockKind::clh, LockKind::qd}) {
      auto result = predictSweep(network, kind, machine, threads, options);
      if (!result)
        state.SkipWithError(result.error().message.c_str());
      benchmark::DoNotOptimize(result);
    }
  state.SetLabel(options.model);
}

/// The interval of a gain: central differences over every measured mean.
void gain(benchmark::State &state) {
  Network network = networkOf(static_cast<int>(state.range(0)));
  addSamples(network);
  const Machine machine = manyCores();
  const std::vector<LockKind> from(network.locks.size(), LockKind::spinlock);
  const std::vector<LockKind> to(network.locks.size(), LockKind::qd);
  for (auto unused : state) {
    auto result = throughputGain(network, from, to, machine, 64);
    if (!result)
      state.SkipWithError(result.error().message.c_str());
    benchmark::DoNotOptimize(result);
  }
}

} // namespace

int main(int argc, char **argv) {
  benchmark::RegisterBenchmark("predict", predictOne)
      ->ArgNames({"kind", "threads", "locks"})
      ->ArgsProduct({{0, 1, 2, 3}, {64}, {20}})
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("mean value analysis", meanValueAnalysis)
      ->ArgNames({"threads", "locks"})
      ->Args({64, 20})
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("method", method)
      ->ArgNames({"method", "threads", "locks"})
      ->ArgsProduct({{0, 1, 2}, {8, 64, 512}, {8}})
      ->ArgsProduct({{0, 1, 2}, {64}, {1, 100}})
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("classes", threadClasses)
      ->ArgNames({"model", "classes", "locks"})
      ->ArgsProduct({{0, 1, 2, 3}, {3}, {8, 57}})
      ->ArgsProduct({{1, 2, 3}, {8}, {8}})
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("sweep", sweep)
      ->ArgNames({"kind", "locks"})
      ->ArgsProduct({{0, 1, 2, 3}, {20, 100}})
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("menu", menu)
      ->ArgName("model")
      ->Arg(0)
      ->Arg(1)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("over threads", predictOne)
      ->ArgNames({"kind", "threads", "locks"})
      ->ArgsProduct({{0, 1, 2, 3}, {1, 4, 16, 64, 256, 1024, 4096}, {20}})
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("over locks", predictOne)
      ->ArgNames({"kind", "threads", "locks"})
      ->ArgsProduct({{0, 1, 2, 3}, {64}, {1, 3, 10, 30, 100, 300, 1000}})
      ->Unit(benchmark::kMicrosecond);
  const auto kinds = static_cast<std::int64_t>(std::size(lockAlgorithms));
  benchmark::RegisterBenchmark("shared cores", sharedCores)
      ->ArgNames({"kind", "threads"})
      ->ArgsProduct({benchmark::CreateDenseRange(0, kinds - 1, 1), {64, 4096}})
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("intervals", intervals)
      ->ArgNames({"kind", "threads"})
      ->ArgsProduct({benchmark::CreateDenseRange(0, kinds - 1, 1), {64, 4096}})
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("nested readers", nestedReaders)
      ->ArgName("locks")
      ->Arg(10)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("gain", gain)
      ->ArgName("locks")
      ->Arg(3)
      ->Arg(20)
      ->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
}
