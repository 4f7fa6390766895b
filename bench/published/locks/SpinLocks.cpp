// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/published/locks/SpinLocks.h"

#include "bench/published/locks/LockParts.h"

#include <algorithm>
#include <cstdint>
#include <random>

namespace qdadvise::publication {
namespace {

/// A lock of a single word, which is 0 while it is free.
class OneWord {
public:
  explicit OneWord(Multicore &machine) : machine(machine) {}
  void unlock() { word.store(0, release); }
  bool looksTaken() const { return word.load(relaxed) != 0; }

protected:
  bool exchange() { return word.exchange(taken, acquire) == 0; }

  static constexpr std::uint32_t taken = 1;
  Multicore &machine;
  SimulatedAtomic<std::uint32_t> word{0};
};

template <unsigned pauses> class TestAndSet : public OneWord {
public:
  using OneWord::OneWord;
  void lock() {
    while (!exchange())
      machine.backOff(pauses);
  }
};

class TestAndSetWithBackOff : public OneWord {
public:
  using OneWord::OneWord;
  void lock() {
    for (word.load(relaxed); !exchange(); word.load(relaxed))
      backOff();
  }

private:
  /// A random number of cycles, below a limit that a thread doubles each time up to 1000 and never
  /// lowers. It is soon there. At 2.2 GHz.
  void backOff() {
    const double cycles = std::uniform_real_distribution<double>(0, 1000)(random);
    machine.compute(sim::picoseconds(cycles / 2.2));
  }
  std::mt19937 random{1};
};

template <SpinTurn turn> class TestTestAndSet : public OneWord {
public:
  using OneWord::OneWord;
  void lock() {
    do
      await(machine, word, taken, turn);
    while (!exchange());
  }
};

/// How folly's spinlocks wait: with a pause, and after 4000 turns with a sleep of half a
/// millisecond in each.
class SpinThenSleep : public OneWord {
public:
  using OneWord::OneWord;

protected:
  static constexpr unsigned mostTurns = 4000;
  void sleep() { machine.block(sim::picoseconds(500'000 + timerSlackNs)); }

private:
  static constexpr double timerSlackNs = 50'000; // Linux's default
};

class MicroSpin : public SpinThenSleep {
public:
  using SpinThenSleep::SpinThenSleep;
  void lock() {
    unsigned turns = 0;
    for (std::uint32_t seen = 0; !word.compare_exchange_strong(seen, taken, acquire, relaxed);
         seen = 0)
      while (word.load(relaxed) != 0)
        if (turns < mostTurns)
          machine.spin({&word, &taken, sizeof(taken), nullptr, SpinTurn::pause}, turns);
        else
          sleep();
  }
};

/// It sets its bit in each turn, and clears it with an atomic instruction.
class PicoSpin : public SpinThenSleep {
public:
  using SpinThenSleep::SpinThenSleep;
  void lock() {
    for (unsigned turns = 0; !exchange(); ++turns)
      if (turns < mostTurns)
        machine.backOff(1);
      else
        sleep();
  }
  void unlock() { word.exchange(0, release); }
};

} // namespace

std::unique_ptr<SimulatedLock> makeTestAndSet(Multicore &machine) {
  return make<Exclusive<TestAndSet<0>>>(machine);
}
std::unique_ptr<SimulatedLock> makeTestAndSetWithPause(Multicore &machine) {
  return make<Exclusive<TestAndSet<1>>>(machine);
}
std::unique_ptr<SimulatedLock> makeTestAndSetWithBackOff(Multicore &machine) {
  return make<Exclusive<TestAndSetWithBackOff>>(machine);
}
std::unique_ptr<SimulatedLock> makeTestTestAndSet(Multicore &machine) {
  return make<Exclusive<TestTestAndSet<SpinTurn::nothing>>>(machine);
}
std::unique_ptr<SimulatedLock> makeTestTestAndSetWithPause(Multicore &machine) {
  return make<Exclusive<TestTestAndSet<SpinTurn::pause>>>(machine);
}
std::unique_ptr<SimulatedLock> makeMicroSpin(Multicore &machine) {
  return make<Exclusive<MicroSpin>>(machine);
}
std::unique_ptr<SimulatedLock> makePicoSpin(Multicore &machine) {
  return make<Exclusive<PicoSpin>>(machine);
}

} // namespace qdadvise::publication
