// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/published/locks/Atomics.h"

#include "bench/published/locks/LockParts.h"

#include <cstdint>

namespace qdadvise::publication {
namespace {

/// From a load until its value can be used: five cycles of the first-level cache (Skylake), four
/// (Neoverse N1), in the processors' optimization manuals. Others have something else to do then.
constexpr double loadedNs = 1.6;

class FetchAdd final : public SimulatedLock {
public:
  explicit FetchAdd(Multicore & /*machine*/) {}
  void exclusive(Operation operation) override {
    word.store_add(1, relaxed);
    operation();
  }
  bool isTaken() const override { return false; }

private:
  alignas(64) SimulatedAtomic<std::uint64_t> word{0};
};

class IncrementDecrement final : public SimulatedLock {
public:
  explicit IncrementDecrement(Multicore & /*machine*/) {}
  void exclusive(Operation operation) override {
    word.fetch_add(1);
    operation();
    word.fetch_sub(1);
  }
  bool isTaken() const override { return false; }

private:
  alignas(64) SimulatedAtomic<std::uint64_t> word{0};
};

/// Changes the word in a loop of compare-and-swap, which goes on with the value that was found.
template <std::uint64_t (*changed)(std::uint64_t)>
class CompareAndSwapLoop final : public SimulatedLock {
public:
  explicit CompareAndSwapLoop(Multicore &machine) : machine(machine) {}
  void exclusive(Operation operation) override {
    std::uint64_t seen = word.load(relaxed);
    machine.compute(sim::picoseconds(loadedNs));
    while (!word.compare_exchange_strong(seen, changed(seen))) {
    }
    operation();
  }
  bool isTaken() const override { return false; }

private:
  Multicore &machine;
  alignas(64) SimulatedAtomic<std::uint64_t> word{0};
};

std::uint64_t plusOne(std::uint64_t value) { return value + 1; }

/// An exclusive or whose result is used, for which x86 has no instruction. All bits are inverted,
/// so that the word is one of two values, and whoever expects an old one is right every other time.
std::uint64_t inverted(std::uint64_t value) { return ~value; }

/// Adds and subtracts in such a loop, which loads the word anew in each turn.
class LockRef final : public SimulatedLock {
public:
  explicit LockRef(Multicore &machine) : machine(machine) {}
  void exclusive(Operation operation) override {
    add(1);
    operation();
    add(-1);
  }
  bool isTaken() const override { return false; }

private:
  void add(std::int64_t what) {
    std::int64_t seen = 0;
    do {
      seen = word.load(relaxed);
      machine.compute(sim::picoseconds(loadedNs));
    } while (!word.compare_exchange_strong(seen, seen + what));
  }
  Multicore &machine;
  alignas(64) SimulatedAtomic<std::int64_t> word{0};
};

} // namespace

std::unique_ptr<SimulatedLock> makeFetchAdd(Multicore &machine) { return make<FetchAdd>(machine); }
std::unique_ptr<SimulatedLock> makeIncrementDecrement(Multicore &machine) {
  return make<IncrementDecrement>(machine);
}
std::unique_ptr<SimulatedLock> makeCompareAndSwapLoop(Multicore &machine) {
  return make<CompareAndSwapLoop<plusOne>>(machine);
}
std::unique_ptr<SimulatedLock> makeFetchXor(Multicore &machine) {
  return make<CompareAndSwapLoop<inverted>>(machine);
}
std::unique_ptr<SimulatedLock> makeLockRef(Multicore &machine) { return make<LockRef>(machine); }

} // namespace qdadvise::publication
