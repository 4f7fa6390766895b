// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a red-black tree under a lock would gain from optimistic concurrency. The gain is predicted,
// as `qdadvise predict` does it, from profiles of bench-optimistic-tree, which has one thread, and
// simulated.
//
//   bench-optimistic TIMES.qdprof DIAGNOSIS.qdprof KEYS UPDATES TOGETHER COUNTS
#include "advisor/decide/OptimisticRuns.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/network/construction/Construction.h"
#include "advisor/profile/format/Decode.h"
#include "advisor/profile/merge/MemoryTrace.h"
#include "bench/optimistic/VirtualTree.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace qdadvise;
using namespace qdadvise::optimistic;

constexpr LockKind lockKinds[] = {LockKind::pthreadMutex, LockKind::spinlock, LockKind::mcs};
constexpr int threadCounts[] = {2, 4, 8, 16, 32};
constexpr std::uint64_t operations = 100'000, seed = 1;
/// The functions of the program by kind of operation.
constexpr const char *functions[kinds] = {"::lookUp(", "::insert(", "::erase("};

int fail(const std::string &message) {
  fmt::print(stderr, "bench-optimistic: error: {}\n", message);
  return 2;
}

/// Returns the value, or ends the program with the error.
template <typename T> T valueOf(Expected<T> result) {
  if (result)
    return std::move(*result);
  std::exit(fail(result.error().message));
}

Kind kindOf(const Section &section) {
  for (const Kind kind : {look, insert, erase})
    if (section.site && section.site->function.find(functions[kind]) != std::string::npos)
      return kind;
  std::exit(fail(fmt::format("section '{}' is none of bench-optimistic-tree's", section.name)));
}

/// A program whose operations take virtual threads as long, on average, as they took the real
/// thread. Each access takes the same time, wherever its line is. So the network varies as these
/// operations do, and not as on a machine with caches and interruptions.
TreeProgram inVirtualTime(Construction &real, const Mix &mix) {
  TreeProgram program;
  program.mix = mix;
  std::array<double, kinds> count{}, sum{}, squares{};
  traceOneThread(mix, operations, seed,
                 [&](const Operation &operation, const std::vector<Access> &accesses) {
                   const auto all = static_cast<double>(accesses.size());
                   count[operation.kind] += 1;
                   sum[operation.kind] += all;
                   squares[operation.kind] += all * all;
                 });
  for (std::size_t i = 0; i != real.network.sections.size(); ++i) {
    Section &section = real.network.sections[i];
    if (!real.memory[i])
      std::exit(fail(fmt::format("section '{}' was not traced", section.name)));
    const SectionMemory &memory = *real.memory[i];
    const Kind kind = kindOf(section);
    const double accesses = sum[kind] / count[kind];
    const double recorded = memory.mean(memory.reads + memory.writes);
    // The real program also reads where its nodes are, once for each key.
    if (std::abs(recorded / accesses - 1) > 0.1)
      std::exit(fail(fmt::format("an execution of '{}' has {:.1f} accesses in the profile and "
                                 "{:.1f} here: they are of different programs",
                                 section.name, recorded, accesses)));
    program.accessNs[kind] = section.hold.mean / accesses;
    section.hold.cv = std::sqrt(squares[kind] / count[kind] / (accesses * accesses) - 1);
    section.hold.skewness = 2 * section.hold.cv; // about a gamma distribution
    section.footprint.reset();
  }
  double samples = 0, localNs = 0;
  for (const Transition &transition : real.network.transitions) {
    samples += static_cast<double>(transition.samples);
    localNs += static_cast<double>(transition.samples) * transition.local.mean;
  }
  program.local = {localNs / samples, 1, Distribution::exponential};
  for (Transition &transition : real.network.transitions)
    transition.local = program.local;
  return program;
}

Construction constructed(const char *times, const char *trace, const Machine &machine) {
  const Profile memory = valueOf(readProfile(trace));
  Construction result = valueOf(
      constructNetwork(valueOf(withMemoryTrace(valueOf(readProfile(times)), memory)), machine));
  if (result.network.locks.size() != 1)
    std::exit(fail("the profile is not of bench-optimistic-tree, which has one lock"));
  return result;
}

/// Prints `1.28 1.30 -1.5 %`.
std::string compared(double predicted, double simulated) {
  return fmt::format("{:.2f} {:.2f} {:+.1f} %", predicted, simulated,
                     100 * (predicted / simulated - 1));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 8) {
    fmt::print(stderr,
               "usage: bench-optimistic MACHINE.toml TIMES.qdprof DIAGNOSIS.qdprof KEYS UPDATES "
               "TOGETHER COUNTS\n");
    return 2;
  }
  const Machine machine = valueOf(readMachine(argv[1]));
  Construction real = constructed(argv[2], argv[3], machine);
  const Network &network = real.network;
  const TreeProgram program = inVirtualTime(real, mixOf(argv + 4));
  const std::vector<SectionConflicts> conflicts = conflictsAt(network, 0, real.memory);
  for (std::size_t i = 0; i != network.sections.size(); ++i)
    fmt::print("{}: {:.0f} ns, p_c {:.4f}, {:.0f} % write, of these {:.4f}\n",
               network.sections[i].name, network.sections[i].hold.mean, conflicts[i].probability,
               100 * conflicts[i].writers, conflicts[i].ofWriters);
  fmt::print("local computation: {:.0f} ns\n\n| threads | runs | without lock |",
             program.local.mean);
  for (const LockKind kind : lockKinds)
    fmt::print(" {} |", nameOf(kind));
  fmt::print("\n|");
  for (std::size_t i = 0; i != 3 + std::size(lockKinds); ++i)
    fmt::print(" --- |");
  for (const int threads : threadCounts) {
    const TreeRun free =
        valueOf(runTree(program, LockKind::unknown, machine, threads, operations, seed));
    fmt::print("\n| {} | {:.2f} |", threads, free.runs);
    bool isFirst = true;
    for (const LockKind kind : lockKinds) {
      const TreeRun locked = valueOf(runTree(program, kind, machine, threads, operations, seed));
      if (!free.intact || !locked.intact)
        return fail("the tree is broken");
      const Prediction today = valueOf(predict(network, {kind}, machine, threads));
      const auto without = predictedOptimism(network, 0, conflicts, {kind}, machine, today, {});
      if (!without)
        return fail("no prediction without the lock");
      if (std::exchange(isFirst, false))
        fmt::print(" {:+.1f} % |",
                   100 * (without->speedup * today.throughputPerS / free.throughputPerS - 1));
      fmt::print(" {} |", compared(without->speedup, free.throughputPerS / locked.throughputPerS));
    }
    std::fflush(stdout);
  }
  fmt::print("\n");
}
