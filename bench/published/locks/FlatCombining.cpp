// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/published/locks/FlatCombining.h"

#include "bench/published/locks/LockParts.h"

#include <cstdint>

namespace qdadvise::publication {
namespace {

class FlatCombining final : public SimulatedLock {
public:
  explicit FlatCombining(Multicore &machine) : machine(machine) {}
  void exclusive(Operation operation) override {
    Record &mine = records.of(machine.threadIndex());
    mine.operation = &operation;
    mine.waits.store(1, release);
    if (!mine.isListed)
      enlist(mine);
    while (true) {
      // Those who wait look at the lock and at their own record in turns.
      while (taken.load(acquire) != 0 && mine.waits.load(acquire) != 0)
        machine.backOff(pausesOfALook);
      if (mine.waits.load(acquire) == 0)
        return;
      if (std::uint32_t seen = 0; taken.compare_exchange_strong(seen, 1))
        break;
    }
    // Once over all records. Its own is among them.
    passes.store(passes.load(relaxed) + 1, relaxed);
    for (Record *one = newest.load(acquire); one; one = one->next)
      if (one->waits.load(acquire) != 0) {
        (*one->operation)();
        one->waits.store(0, release);
      }
    taken.store(0, release);
  }
  bool isTaken() const override {
    return observed([this] { return taken.load(relaxed) != 0; });
  }

private:
  /// One in theirs. With more the simulation has less to do, and a change is seen some 10 ns later.
  static constexpr unsigned pausesOfALook = 3;
  struct Record {
    SimulatedAtomic<std::uint32_t> waits{0};
    // On the line of `waits`, which whoever looks at them has read.
    Operation *operation = nullptr;
    Record *next = nullptr;
    bool isListed = false; ///< theirs leave the list when they have not been used for a while
  };
  void enlist(Record &mine) {
    mine.isListed = true;
    Record *before = newest.load(relaxed);
    do
      mine.next = before;
    while (!newest.compare_exchange_strong(before, &mine));
  }

  Multicore &machine;
  // On one line, as theirs.
  alignas(64) SimulatedAtomic<std::uint32_t> taken{0};
  SimulatedAtomic<std::uint32_t> passes{0};
  SimulatedAtomic<Record *> newest{nullptr};
  PerThread<Record> records;
};

class DedicatedCombining final : public SimulatedLock {
public:
  explicit DedicatedCombining(Multicore &machine) : machine(machine) {}
  void exclusive(Operation operation) override {
    if (std::uint32_t seen = 0; mutex.compare_exchange_strong(seen, 1)) {
      operation();
      unlock();
      return;
    }
    Record &mine = records.of(machine.threadIndex());
    mine.result.store(0, relaxed);
    mine.function.store(&operation, relaxed);
    mine.state.store(waiting, release);
    post();
    await(machine, mine.state, waiting, SpinTurn::pause);
    mine.result.load(relaxed);
  }
  bool isTaken() const override {
    return observed([this] { return mutex.load(relaxed) != 0; });
  }

  void serve() override {
    while (true) {
      awaitPending();
      pending.store(0, relaxed);
      if (dismissed)
        return;
      unsigned served = mostServed;
      while (served >= mostServed) {
        lock();
        served = combine();
        unlock();
      }
    }
  }
  void dismiss() override {
    dismissed = true;
    post();
  }

private:
  static constexpr std::uint32_t done = 0, waiting = 1;
  static constexpr std::uint32_t posted = 1, asleep = 2; ///< of `pending`
  static constexpr unsigned mostServed = 100;            ///< while it has the mutex
  /// Three lines: the words that say what is to be done, the function, and what it is to write, on
  /// the stack of the thread that waits.
  struct Record {
    alignas(64) SimulatedAtomic<std::uint32_t> state{done};
    alignas(64) SimulatedAtomic<Operation *> function{nullptr};
    alignas(64) SimulatedAtomic<std::uint32_t> result{0};
  };

  /// Passes over all records until one finds nothing. Theirs leave the list after some passes
  /// without a section, which ours do not.
  unsigned combine() {
    unsigned served = 0;
    for (unsigned before = 0; served < mostServed; before = served) {
      for (unsigned i = 0; i < records.size(); ++i) {
        Record &record = records.of(i);
        if (record.state.load(acquire) != waiting)
          continue;
        (*record.function.load(relaxed))();
        record.result.store(1, relaxed);
        record.state.store(done, release);
        ++served;
      }
      if (served == before)
        break;
    }
    return served;
  }

  /// A semaphore that many post and one waits for.
  void post() {
    std::uint32_t seen = 0;
    if (pending.compare_exchange_strong(seen, posted))
      return;
    while (seen != posted)
      if (const bool slept = seen == asleep; pending.compare_exchange_strong(seen, posted)) {
        if (slept)
          machine.futexWake(&pending, 1);
        return;
      }
    pending.load(relaxed); // after a fence
  }
  void awaitPending() {
    constexpr unsigned looks = 500, pauses = 6; // 10 us
    for (unsigned i = 0; i < looks; ++i) {
      if (pending.load(acquire) == posted)
        return;
      machine.backOff(pauses);
    }
    std::uint32_t seen = 0;
    if (pending.compare_exchange_strong(seen, asleep))
      while (pending.load(acquire) == asleep)
        machine.futexWait(&pending, asleep);
  }

  /// glibc's mutex, without its fields for the owner.
  void lock() {
    std::uint32_t seen = 0;
    if (mutex.compare_exchange_strong(seen, 1))
      return;
    while (mutex.exchange(2, acquire) != 0)
      machine.futexWait(&mutex, 2);
  }
  void unlock() {
    if (mutex.exchange(0, release) == 2)
      machine.futexWake(&mutex, 1);
  }

  Multicore &machine;
  alignas(64) SimulatedAtomic<std::uint32_t> mutex{0};
  alignas(64) SimulatedAtomic<std::uint32_t> pending{0};
  PerThread<Record> records;
  bool dismissed = false;
};

} // namespace

std::unique_ptr<SimulatedLock> makeFollyFlatCombining(Multicore &machine) {
  return make<DedicatedCombining>(machine);
}

std::unique_ptr<SimulatedLock> makeFlatCombining(Multicore &machine) {
  return make<FlatCombining>(machine);
}

} // namespace qdadvise::publication
