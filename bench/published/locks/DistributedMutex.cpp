// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/published/locks/DistributedMutex.h"

#include "bench/published/locks/LockParts.h"

#include <cstdint>
#include <random>

namespace qdadvise::publication {
namespace {

/// Who arrives exchanges the word for its own record, which leads to the
/// one before. Who leaves takes the list of those who came meanwhile and gives it to the last of
/// them, who passes the rest on. Combining, it executes their sections instead. Theirs passes over
/// who has no processor, by when it last looked at its record, and over who has waited for long and
/// sleeps. Ours over those who have waited for as long.
template <bool combines, bool passesOver> class Distributed final : public SimulatedLock {
public:
  explicit Distributed(Multicore &machine) : machine(machine) {}
  void exclusive(Operation operation) override {
    Record &mine = records.of(machine.threadIndex());
    while (!attempt(mine, operation))
      // Who was passed over is asleep, and theirs then waits for its turn at a futex.
      machine.block(sim::picoseconds(std::uniform_real_distribution<double>(0, sleepNs)(random)));
  }
  bool isTaken() const override {
    return observed([this] { return word.load(relaxed) != nullptr; });
  }

private:
  static constexpr std::uint32_t waiting = 0, granted = 1, done = 2, skipped = 3;
  static constexpr double longestNs = 40'000 / 2.4; ///< 40000 cycles at 2.4 GHz
  static constexpr double sleepNs = 550'000;        ///< half a millisecond, and Linux' slack
  struct Record {
    SimulatedAtomic<std::uint32_t> state{0};
    Operation *operation = nullptr;
    // On the line of `state`, which whoever looks at them has read.
    Record *next = nullptr, *end = nullptr;
    sim::Time since = 0;
  };

  /// False where it was passed over.
  bool attempt(Record &mine, Operation &operation) {
    mine.operation = &operation;
    mine.since = machine.clock();
    mine.state.store(waiting, relaxed);
    Record *const before = word.exchange(&mine, std::memory_order_acq_rel);
    // Those behind `others` up to `end` have come earlier and wait.
    Record *others = nullptr, *end = nullptr, *last = &mine;
    if (before) {
      mine.next = before == &held ? nullptr : before;
      await(machine, mine.state, waiting, SpinTurn::pauseThenYield); // theirs sleeps
      const std::uint32_t state = mine.state.load(acquire);
      if (state == done || state == skipped)
        return state == done;
      others = mine.next;
      end = mine.end;
      last = &held;
    }
    operation();
    while (true) {
      if (others == end) {
        Record *expected = last;
        if (word.compare_exchange_strong(expected, nullptr, release, relaxed))
          return true;
        others = word.exchange(&held, std::memory_order_acq_rel);
        end = last == &held ? nullptr : last;
        last = &held;
      }
      // There is one: either it was left over, or the word held more than who has the lock.
      Record *const one = others;
      (void)one->state.load(acquire); // NOLINT(clang-analyzer-core.CallAndMessage)
      if constexpr (combines) {
        (*one->operation)(); // NOLINT(clang-analyzer-core.CallAndMessage)
        others = one->next;
        one->state.store(done, release);
      } else {
        if (passesOver && machine.clock() - one->since > sim::picoseconds(longestNs)) {
          others = one->next;
          one->state.store(skipped, release);
          continue;
        }
        one->end = end; // NOLINT(clang-analyzer-core.NullDereference)
        one->state.store(granted, release);
        return true;
      }
    }
  }

  Multicore &machine;
  alignas(64) SimulatedAtomic<Record *> word{nullptr};
  Record held; ///< stands in the word for a holder whose record is not known there
  PerThread<Record> records;
  std::mt19937 random{1};
};

} // namespace

std::unique_ptr<SimulatedLock> makeDistributedMutex(Multicore &machine) {
  return make<Distributed<false, true>>(machine);
}
std::unique_ptr<SimulatedLock> makeStrictDistributedMutex(Multicore &machine) {
  return make<Distributed<false, false>>(machine);
}
std::unique_ptr<SimulatedLock> makeCombiningDistributedMutex(Multicore &machine) {
  return make<Distributed<true, false>>(machine);
}

} // namespace qdadvise::publication
