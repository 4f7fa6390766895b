// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A red-black tree under one lock: what it would gain without, predicted from the accesses of one
// thread as the runtime sums them up, and simulated.

#include "advisor/decide/OptimisticRuns.h"
#include "advisor/machine/BundledMachines.h"
#include "bench/optimistic/VirtualTree.h"
#include "runtime/memory/memory_sums.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <set>

namespace qdadvise::optimistic {
namespace {

struct Plain {
  Word read(const Word &place) { return place; }
  void write(Word &place, Word value) { place = value; }
};

TEST(Tree, IsARedBlackTreeWithTheKeysOfASet) {
  for (const bool counts : {false, true}) {
    const Mix mix{200, 0.8, 1, counts};
    Plain memory;
    Tree<Plain> tree(mix.keys, mix.counts, memory);
    fill(tree, mix);
    std::set<Word> keys;
    for (Word key = 1; key <= mix.keys; key += 2)
      keys.insert(key);
    ASSERT_TRUE(tree.isValid());
    Operations operations(mix, 7);
    for (int i = 0; i < 20'000; ++i) {
      const Operation &operation = operations.next();
      const Word key = operation.keys[0];
      const std::size_t expected = operation.kind == insert  ? keys.insert(key).second
                                   : operation.kind == erase ? keys.erase(key)
                                                             : keys.count(key);
      ASSERT_EQ(apply(tree, operation), expected) << i;
      ASSERT_TRUE(tree.isValid()) << i;
    }
  }
}

TEST(Tree, NoticesThatItIsNoRedBlackTree) {
  struct Losing : Plain {
    int left = 0; ///< writes until they are lost
    void write(Word &place, Word value) {
      if (left-- > 0)
        place = value;
    }
  } memory{{}, 1'000'000};
  Tree<Losing> tree(100, false, memory);
  fill(tree, {100});
  ASSERT_TRUE(tree.isValid());
  memory.left = 2;
  tree.erase(51);
  EXPECT_FALSE(tree.isValid());
}

/// A program of which one thread has been recorded.
struct Recorded {
  TreeProgram program;
  Network network;
  std::vector<std::optional<SectionMemory>> memory;

  Recorded(const Mix &mix, double accessNs, double localNs) {
    program.mix = mix;
    program.accessNs.fill(accessNs);
    program.local = {localNs, 1, Distribution::exponential};
    const auto known = std::make_unique<runtime::MemoryKnowledge>();
    const auto trace = std::make_unique<runtime::MemoryTrace>();
    std::array<runtime::MemorySums, kinds> sums{};
    std::array<double, kinds> times{}, squares{};
    constexpr std::uint64_t operations = 20'000, lock = 1;
    traceOneThread(mix, operations, 1,
                   [&](const Operation &operation, const std::vector<Access> &accesses) {
                     trace->clear();
                     for (const Access &access : accesses)
                       trace->add(reinterpret_cast<std::uintptr_t>(access.place), sizeof(Word),
                                  access.writes ? accessWrite : accessRead);
                     runtime::addExecution(*trace, lock, 1, *known, sums[operation.kind]);
                     const double ns = accessNs * static_cast<double>(accesses.size());
                     times[operation.kind] += ns;
                     squares[operation.kind] += ns * ns;
                   });
    network.locks.push_back({"tree", LockKind::pthreadMutex, 1, {}});
    network.classes.push_back({"worker"});
    for (const Kind kind : {look, insert, erase}) {
      memory.emplace_back(sums[kind].decided());
      const auto count = static_cast<double>(memory.back()->executions);
      Section section;
      section.name = std::to_string(kind);
      const double mean = times[kind] / count;
      section.hold = {mean, std::sqrt(squares[kind] / count / (mean * mean) - 1)};
      network.sections.push_back(section);
      for (const Kind from : {look, insert, erase}) {
        Transition transition;
        transition.from = from;
        transition.to = kind;
        transition.probability = kind == look ? 1 - mix.updates : mix.updates / 2;
        transition.local = program.local;
        network.transitions.push_back(transition);
      }
    }
  }
};

TEST(OptimisticTree, GainsWhatIsPredictedFromOneThread) {
  Machine machine = genericMachine();
  machine.cores = 32;
  constexpr std::uint64_t operations = 30'000;
  for (const Recorded &recorded :
       {Recorded({1024, 0.2, 8}, 5, 3000), Recorded({128, 0.5, 4}, 5, 1000)})
    for (const int threads : {2, 8, 32}) {
      const LockKind kind = LockKind::mcs;
      const auto locked = runTree(recorded.program, kind, machine, threads, operations, 1);
      const auto free =
          runTree(recorded.program, LockKind::unknown, machine, threads, operations, 1);
      ASSERT_TRUE(locked && free);
      EXPECT_TRUE(locked->intact && free->intact);
      EXPECT_EQ(locked->runs, 1);
      const auto today = predict(recorded.network, {kind}, machine, threads);
      ASSERT_TRUE(today);
      const auto predicted =
          predictedOptimism(recorded.network, 0, conflictsAt(recorded.network, 0, recorded.memory),
                            {kind}, machine, *today, {});
      ASSERT_TRUE(predicted);
      const double speedup = free->throughputPerS / locked->throughputPerS;
      EXPECT_NEAR(predicted->speedup / speedup, 1, 0.15)
          << recorded.program.mix.keys << " keys, " << threads << " threads";
      EXPECT_NEAR(predicted->speedup * today->throughputPerS / free->throughputPerS, 1, 0.06)
          << recorded.program.mix.keys << " keys, " << threads << " threads";
    }
}

} // namespace
} // namespace qdadvise::optimistic
