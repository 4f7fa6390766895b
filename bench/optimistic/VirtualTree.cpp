// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bench/optimistic/VirtualTree.h"

#include "advisor/sim/Distributions.h"
#include "advisor/sim/SimulatedLocks.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <unordered_map>

namespace qdadvise::optimistic {
namespace {

using sim::Time;

/// Memory that records the accesses to it, and can undo them.
class Recording {
public:
  Word read(const Word &place) {
    accesses.push_back({const_cast<Word *>(&place), false});
    return place;
  }
  void write(Word &place, Word value) {
    accesses.push_back({&place, true});
    written.push_back({&place, place});
    place = value;
  }

  struct Value {
    Word *place;
    Word value;
  };
  /// Forgets the accesses. Memory stays as it is.
  void clear() {
    accesses.clear();
    written.clear();
  }
  /// Undoes the writes, and returns what `commit` would write.
  std::vector<Value> takeBack() {
    std::vector<Value> after;
    for (const Value &before : written)
      after.push_back({before.place, *before.place});
    for (auto before = written.rbegin(); before != written.rend(); ++before)
      *before->place = before->value;
    return after;
  }

  std::vector<Access> accesses;

private:
  std::vector<Value> written; ///< the values before the writes, in order
};

class VirtualTree {
public:
  VirtualTree(const TreeProgram &program, const sim::MulticoreCosts &costs, int threads,
              std::uint64_t operations, std::uint64_t seed)
      : program(program), machine(costs, seed), local(program.local),
        tree(program.mix.keys, program.mix.counts, memory), wanted(operations),
        warmUp(operations / 10) {
    fill(tree, program.mix);
    for (int i = 0; i < threads; ++i)
      machine.addThread([this, own = seed * 1000 + static_cast<std::uint64_t>(i)] { work(own); });
  }

  void useLock(const sim::SimulatedKind &kind, Time extraTime) {
    lock = kind.make(machine);
    extra = extraTime;
  }

  TreeRun run() {
    machine.run();
    const double counted = static_cast<double>(wanted - warmUp);
    return {counted / sim::nanoseconds(end - begin) * 1e9,
            static_cast<double>(attempts) / static_cast<double>(completed), tree.isValid()};
  }

private:
  void work(std::uint64_t seed) {
    Operations operations(program.mix, seed);
    sim::Random random(seed);
    while (completed < wanted) {
      machine.compute(local.draw(random));
      const Operation &operation = operations.next();
      if (lock)
        exclusively(operation);
      else
        optimistically(operation);
      complete();
    }
  }

  void exclusively(const Operation &operation) {
    machine.reach();
    auto section = [&] { machine.compute(extra + execute(operation)); };
    lock->exclusive(section);
    ++attempts;
  }

  void optimistically(const Operation &operation) {
    for (;;) {
      machine.reach();
      const std::uint64_t start = commits;
      const Time time = execute(operation);
      const std::vector<Access> accesses = memory.accesses;
      const std::vector<Recording::Value> values = memory.takeBack();
      machine.compute(time);
      machine.reach();
      ++attempts;
      if (std::any_of(accesses.begin(), accesses.end(),
                      [&](const Access &access) { return committed[access.place] > start; }))
        continue;
      if (!values.empty())
        ++commits;
      for (const Recording::Value &after : values) {
        *after.place = after.value;
        committed[after.place] = commits;
      }
      return;
    }
  }

  /// Executes the operation at once, while no other thread runs. Returns how long it takes.
  Time execute(const Operation &operation) {
    memory.clear();
    apply(tree, operation);
    return sim::picoseconds(static_cast<double>(memory.accesses.size()) *
                            program.accessNs[operation.kind]);
  }

  void complete() {
    machine.reach();
    if (++completed == warmUp)
      begin = machine.clock();
    else if (completed == wanted)
      end = machine.clock();
  }

  const TreeProgram &program;
  sim::Multicore machine;
  sim::TimeSampler local;
  Recording memory;
  Tree<Recording> tree;
  std::unique_ptr<sim::SimulatedLock> lock; ///< null for optimistic operations
  Time extra = 0;                           ///< the lock's time beside its simulated accesses
  std::uint64_t wanted, warmUp, completed = 0, attempts = 0;
  Time begin = 0, end = 0;
  std::uint64_t commits = 0;
  std::unordered_map<const Word *, std::uint64_t>
      committed; ///< the last commit that wrote the word
};

} // namespace

void traceOneThread(const Mix &mix, std::uint64_t operations, std::uint64_t seed,
                    const Traced &traced) {
  Recording memory;
  Tree<Recording> tree(mix.keys, mix.counts, memory);
  fill(tree, mix);
  Operations drawn(mix, seed);
  for (std::uint64_t i = 0; i < operations; ++i) {
    memory.clear();
    const Operation &operation = drawn.next();
    apply(tree, operation);
    traced(operation, memory.accesses);
  }
}

Expected<TreeRun> runTree(const TreeProgram &program, LockKind kind, const Machine &machine,
                          int threads, std::uint64_t operations, std::uint64_t seed) {
  if (kind == LockKind::unknown)
    return VirtualTree(program, sim::MulticoreCosts::ideal(threads), threads, operations, seed)
        .run();
  const sim::SimulatedKind *const row = sim::findSimulatedKind(kind);
  if (!row)
    return makeError(fmt::format("lock algorithm '{}' cannot be simulated", nameOf(kind)));
  const auto costs = TRY(sim::costsOf(machine, {.sleeps = algorithmOf(kind).sleeps()}));
  const auto overhead = TRY(machine.require(kind, "lock_overhead_ns"));
  VirtualTree tree(program, costs, threads, operations, seed);
  tree.useLock(*row, sim::picoseconds(std::max(0.0, overhead - sim::uncontendedNs(*row, costs))));
  return tree.run();
}

} // namespace qdadvise::optimistic
