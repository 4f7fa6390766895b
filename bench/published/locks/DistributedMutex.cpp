// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/published/locks/DistributedMutex.h"

#include "bench/published/locks/LockParts.h"

#include <cstdint>

namespace qdadvise::publication {
namespace {

/// Who arrives exchanges the word for its own record, which leads to the
/// one before. Who leaves takes the list of those who came meanwhile and gives it to the last of
/// them, who passes the rest on. Combining, it executes their sections instead.
template <bool combines> class Distributed final : public SimulatedLock {
public:
  explicit Distributed(Multicore &machine) : machine(machine) {}
  void exclusive(Operation operation) override {
    Record &mine = records.of(machine.threadIndex());
    mine.operation = &operation;
    mine.state.store(waiting, relaxed);
    Record *const before = word.exchange(&mine, std::memory_order_acq_rel);
    // Those behind `others` up to `end` have come earlier and wait.
    Record *others = nullptr, *end = nullptr, *last = &mine;
    if (before) {
      mine.next = before == &held ? nullptr : before;
      await(machine, mine.state, waiting, SpinTurn::pauseThenYield); // theirs parks
      if (mine.state.load(acquire) == done)
        return;
      others = mine.next;
      end = mine.end;
      last = &held;
    }
    operation();
    while (true) {
      if (others == end) {
        Record *expected = last;
        if (word.compare_exchange_strong(expected, nullptr, release, relaxed))
          return;
        others = word.exchange(&held, std::memory_order_acq_rel);
        end = last == &held ? nullptr : last;
        last = &held;
      }
      // There is one: either it was left over, or the word held more than who has the lock.
      Record *const one = others;
      if constexpr (combines) {
        (void)one->state.load(acquire); // NOLINT(clang-analyzer-core.CallAndMessage)
        (*one->operation)();            // NOLINT(clang-analyzer-core.CallAndMessage)
        others = one->next;
        one->state.store(done, release);
      } else {
        one->end = end; // NOLINT(clang-analyzer-core.NullDereference)
        one->state.store(granted, release);
        return;
      }
    }
  }
  bool isTaken() const override {
    return observed([this] { return word.load(relaxed) != nullptr; });
  }

private:
  static constexpr std::uint32_t waiting = 0, granted = 1, done = 2;
  struct Record {
    SimulatedAtomic<std::uint32_t> state{0};
    Operation *operation = nullptr;
    // On the line of `state`, which whoever looks at them has read.
    Record *next = nullptr, *end = nullptr;
  };
  Multicore &machine;
  alignas(64) SimulatedAtomic<Record *> word{nullptr};
  Record held; ///< stands in the word for a holder whose record is not known there
  PerThread<Record> records;
};

} // namespace

std::unique_ptr<SimulatedLock> makeDistributedMutex(Multicore &machine) {
  return make<Distributed<false>>(machine);
}
std::unique_ptr<SimulatedLock> makeCombiningDistributedMutex(Multicore &machine) {
  return make<Distributed<true>>(machine);
}

} // namespace qdadvise::publication
