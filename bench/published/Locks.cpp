// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/published/Locks.h"

#include "advisor/sim/SimulatedMemory.h"
#include "runtime/locks/models/glibc_mutex.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <utility>

namespace qdadvise::publication {
namespace {

using sim::Multicore;
using sim::Operation;
using sim::SimulatedAtomic;
using sim::SimulatedLock;
using sim::SpinTurn;

constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto relaxed = std::memory_order_relaxed;

/// What waits here does so in a loop of its own: until `word` no longer holds `seen`.
template <typename T>
void await(Multicore &machine, const SimulatedAtomic<T> &word, T seen, SpinTurn turn) {
  unsigned turns = 0;
  while (word.load(acquire) == seen)
    machine.spin({&word, &seen, sizeof(T), nullptr, turn}, turns);
}

/// A value for each simulated thread, on lines of its own.
template <typename T> class PerThread {
public:
  T &of(unsigned thread) {
    while (values.size() <= thread)
      values.emplace_back();
    return values[thread].value;
  }
  std::size_t size() const { return values.size(); }

private:
  struct alignas(64) Padded {
    T value;
  };
  std::deque<Padded> values;
};

/// Locks with lock() and unlock(). `looksTaken` is for observers.
template <typename Lock> class Exclusive final : public SimulatedLock {
public:
  explicit Exclusive(Multicore &machine) : machine(machine), lock(machine) {}
  void exclusive(Operation operation) override {
    lock.lock();
    operation();
    lock.unlock();
  }
  bool isTaken() const override {
    // Without a machine, an access is an ordinary one.
    sim::VirtualMachine *const current = std::exchange(sim::VirtualMachine::current, nullptr);
    const bool taken = lock.looksTaken();
    sim::VirtualMachine::current = current;
    return taken;
  }

private:
  Multicore &machine;
  alignas(64) Lock lock;
};

/// What locks of a single word have in common: 0 is free.
class OneWord {
public:
  explicit OneWord(Multicore &machine) : machine(machine) {}
  void unlock() { word.store(0, release); }
  bool looksTaken() const { return word.load(relaxed) != 0; }

protected:
  bool exchange() { return word.exchange(taken, acquire) == 0; }
  void awaitFree(SpinTurn turn) { await(machine, word, taken, turn); }
  /// libslock's back-off, a random delay. Its limit has soon doubled from 100 cycles to 1000 and
  /// stays there. At 2.2 GHz.
  void backOff() {
    const double cycles = std::uniform_real_distribution<double>(0, 1000)(random);
    machine.compute(sim::picoseconds(cycles / 2.2));
  }

  static constexpr std::uint32_t taken = 1;
  Multicore &machine;
  SimulatedAtomic<std::uint32_t> word{0};

private:
  std::mt19937 random{1};
};

/// Test-and-set: an exchange in each turn. lockhammer's swap_mutex, and libslock's, which backs
/// off.
template <bool backsOff> class TestAndSet : public OneWord {
public:
  using OneWord::OneWord;
  void lock() {
    while (!exchange())
      if constexpr (backsOff)
        backOff();
  }
};

/// libslock's test-and-test-and-set lock.
class TestTestAndSetWithBackOff : public OneWord {
public:
  using OneWord::OneWord;
  void lock() {
    for (awaitFree(SpinTurn::nothing); !exchange(); awaitFree(SpinTurn::nothing))
      backOff();
  }
};

/// The textbook's test-and-test-and-set lock, with or without a pause.
template <SpinTurn turn> class TestTestAndSet : public OneWord {
public:
  using OneWord::OneWord;
  void lock() {
    while (!exchange())
      awaitFree(turn);
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

/// folly's MicroSpinLock looks before it tries.
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

/// folly's PicoSpinLock sets its bit in each turn, and clears it with an atomic instruction.
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

/// Tickets on one line. Linux' waits with a pause in each turn.
template <SpinTurn turn> class Ticket {
public:
  explicit Ticket(Multicore &machine) : machine(machine) {}
  void lock() {
    const std::uint32_t mine = next.fetch_add(1, acquire);
    for (std::uint32_t seen = serving.load(acquire); seen != mine; seen = serving.load(acquire))
      await(machine, serving, seen, turn);
  }
  void unlock() { serving.store(serving.load(relaxed) + 1, release); }
  bool looksTaken() const { return next.load(relaxed) != serving.load(relaxed); }

private:
  Multicore &machine;
  SimulatedAtomic<std::uint32_t> next{0};
  SimulatedAtomic<std::uint32_t> serving{0};
};

/// The queue lock of Mellor-Crummey and Scott, with a node for each thread. libslock's.
class Mcs {
public:
  explicit Mcs(Multicore &machine) : machine(machine) {}
  void lock() {
    Node &mine = nodes.of(machine.threadIndex());
    mine.next.store(nullptr, relaxed);
    mine.waits.store(1, relaxed);
    if (Node *const before = tail.exchange(&mine, std::memory_order_acq_rel)) {
      before->next.store(&mine, release);
      await(machine, mine.waits, std::uint32_t{1}, SpinTurn::pause);
    }
  }
  void unlock() {
    Node &mine = nodes.of(machine.threadIndex());
    if (!mine.next.load(acquire)) {
      Node *expected = &mine;
      if (tail.compare_exchange_strong(expected, nullptr, release, relaxed))
        return;
      await<Node *>(machine, mine.next, nullptr, SpinTurn::pause);
    }
    mine.next.load(relaxed)->waits.store(0, release);
  }
  bool looksTaken() const { return tail.load(relaxed) != nullptr; }

private:
  struct Node {
    SimulatedAtomic<Node *> next{nullptr};
    SimulatedAtomic<std::uint32_t> waits{0};
  };
  Multicore &machine;
  SimulatedAtomic<Node *> tail{nullptr};
  PerThread<Node> nodes;
};

/// Linux' queued spinlock: a locked byte and a pending bit for the first who waits; the others are
/// in a queue, whose head looks at the word. lockhammer's nodes have 16 bytes, four of them a line.
class LinuxQueued {
public:
  explicit LinuxQueued(Multicore &machine) : machine(machine) {}
  void lock() {
    announce(sim::AccessKind::compareExchange);
    if (word == 0) {
      word = locked;
      return;
    }
    if (word > locked) {
      enqueue();
      return;
    }
    announce(sim::AccessKind::update);
    const std::uint32_t before = std::exchange(word, word | pending);
    if (before > locked) { // others were faster
      if (!(before & pending)) {
        announce(sim::AccessKind::store);
        word &= ~pending;
      }
      enqueue();
      return;
    }
    awaitNone(locked);
    announce(sim::AccessKind::store);
    word = (word & ~pending) | locked;
  }
  void unlock() {
    announce(sim::AccessKind::store);
    word &= ~locked;
  }
  bool looksTaken() const { return (word & locked) != 0; }

private:
  static constexpr std::uint32_t locked = 1, pending = 1U << 8, tailUnit = 1U << 16;
  struct Node {
    SimulatedAtomic<Node *> next{nullptr};
    SimulatedAtomic<std::uint32_t> waits{0};
  };

  void enqueue() {
    const unsigned self = machine.threadIndex();
    Node &mine = nodeOf(self);
    mine.next.store(nullptr, relaxed);
    mine.waits.store(1, relaxed);
    const std::uint32_t tail = (self + 1) * tailUnit;
    announce(sim::AccessKind::update);
    const std::uint32_t before = std::exchange(word, word % tailUnit + tail) / tailUnit;
    if (before != 0) {
      nodeOf(before - 1).next.store(&mine, release);
      await(machine, mine.waits, std::uint32_t{1}, SpinTurn::pause);
    }
    awaitNone(locked | pending);
    if (word == tail) {
      announce(sim::AccessKind::compareExchange);
      if (word == tail) {
        word = locked;
        return;
      }
    }
    announce(sim::AccessKind::store);
    word |= locked;
    await<Node *>(machine, mine.next, nullptr, SpinTurn::pause);
    mine.next.load(relaxed)->waits.store(0, release);
  }
  /// Until none of these bits is set.
  void awaitNone(std::uint32_t bits) {
    unsigned turns = 0;
    for (announce(sim::AccessKind::load); word & bits; announce(sim::AccessKind::load)) {
      const std::uint32_t seen = word;
      machine.spin({&word, &seen, sizeof(seen), nullptr, SpinTurn::pause}, turns);
    }
  }
  /// The word's bytes are stored one by one, but exchanged together: what follows happens at once.
  void announce(sim::AccessKind kind) { machine.access({&word, sizeof(word), kind, release}); }
  Node &nodeOf(unsigned thread) {
    while (nodes.size() <= thread / 4)
      nodes.emplace_back();
    return nodes[thread / 4].nodes[thread % 4];
  }

  struct alignas(64) Nodes {
    Node nodes[4];
  };
  Multicore &machine;
  std::uint32_t word = 0;
  std::deque<Nodes> nodes;
};

/// One atomic addition instead of a lock.
class FetchAdd final : public SimulatedLock {
public:
  explicit FetchAdd(Multicore & /*machine*/) {}
  void exclusive(Operation operation) override {
    word.fetch_add(1);
    operation();
  }
  bool isTaken() const override { return false; }

private:
  alignas(64) SimulatedAtomic<std::uint64_t> word{0};
};

/// Two atomic additions: a reference is taken and given back.
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

/// A loop of load and compare-and-swap, once or (a reference taken and given back) twice.
template <bool twice> class CompareAndSwapLoop final : public SimulatedLock {
public:
  explicit CompareAndSwapLoop(Multicore & /*machine*/) {}
  void exclusive(Operation operation) override {
    add(1);
    operation();
    if constexpr (twice)
      add(-1);
  }
  bool isTaken() const override { return false; }

private:
  void add(std::int64_t what) {
    std::int64_t seen = word.load(relaxed);
    while (!word.compare_exchange_strong(seen, seen + what, acquire, relaxed)) {
    }
  }
  alignas(64) SimulatedAtomic<std::int64_t> word{0};
};

/// Flat combining (Hendler et al., SPAA 2010): who gets the lock executes what others have
/// published, in three passes over all of their records.
class FlatCombining final : public SimulatedLock {
public:
  explicit FlatCombining(Multicore &machine) : machine(machine) {}
  void exclusive(Operation operation) override {
    Record &mine = records.of(machine.threadIndex());
    mine.operation = &operation;
    mine.waits.store(1, release);
    while (true) {
      if (word.load(relaxed) == 0 && word.exchange(1, acquire) == 0) {
        combine();
        word.store(0, release);
        if (mine.waits.load(acquire) == 0)
          return;
      }
      // Its own record, and now and then the lock.
      for (int looks = 0; looks < 8 && mine.waits.load(acquire) != 0; ++looks)
        machine.backOff(2);
      if (mine.waits.load(acquire) == 0)
        return;
    }
  }
  bool isTaken() const override { return false; }

private:
  struct Record {
    SimulatedAtomic<std::uint32_t> waits{0};
    Operation *operation = nullptr;
  };
  void combine() {
    for (int pass = 0; pass < 3; ++pass)
      for (unsigned i = 0; i < records.size(); ++i) {
        Record &record = records.of(i);
        if (record.waits.load(acquire) == 0)
          continue;
        (*record.operation)();
        record.waits.store(0, release);
      }
  }
  Multicore &machine;
  alignas(64) SimulatedAtomic<std::uint32_t> word{0};
  PerThread<Record> records;
};

/// folly's DistributedMutex: who arrives exchanges the word for its own record, which leads to the
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
    sim::VirtualMachine *const current = std::exchange(sim::VirtualMachine::current, nullptr);
    const bool taken = word.load(relaxed) != nullptr;
    sim::VirtualMachine::current = current;
    return taken;
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

/// glibc's mutex is a model that the simulator has.
std::unique_ptr<SimulatedLock> makeMutex(Multicore &machine) {
  return sim::findSimulatedKind(LockKind::pthreadMutex)->make(machine);
}

template <typename Lock> std::unique_ptr<SimulatedLock> make(Multicore &machine) {
  return std::make_unique<Lock>(machine);
}

} // namespace

const std::vector<PublishedLock> &publishedLocks() {
  using enum LockKind;
  static const std::vector<PublishedLock> table{
      {"mutex", "mutex", {pthreadMutex, makeMutex}, true, true},
      {"tas", "test-and-set", {spinlock, make<Exclusive<TestAndSet<false>>>}, true},
      {"tas-backoff", "test-and-set", {spinlock, make<Exclusive<TestAndSet<true>>>}, true},
      {"ttas",
       "test-and-test-and-set",
       {spinlock, make<Exclusive<TestTestAndSet<SpinTurn::nothing>>>},
       true},
      {"ttas-pause",
       "test-and-test-and-set",
       {spinlock, make<Exclusive<TestTestAndSet<SpinTurn::pause>>>},
       true},
      {"ttas-backoff",
       "test-and-test-and-set",
       {spinlock, make<Exclusive<TestTestAndSetWithBackOff>>},
       true},
      {"micro-spin", "test-and-test-and-set", {spinlock, make<Exclusive<MicroSpin>>}, true, true},
      {"pico-spin", "test-and-set", {spinlock, make<Exclusive<PicoSpin>>}, true, true},
      {"ticket", "queue", {ticket, make<Exclusive<Ticket<SpinTurn::nothing>>>}, true},
      {"linux-ticket", "queue", {ticket, make<Exclusive<Ticket<SpinTurn::pause>>>}, true},
      {"mcs", "queue", {mcs, make<Exclusive<Mcs>>}, true},
      {"linux-queued", "queue", {mcs, make<Exclusive<LinuxQueued>>}, true},
      {"distributed-mutex", "queue", {mcs, make<Distributed<false>>}, true, true},
      {"distributed-mutex-combining", "delegation", {qd, make<Distributed<true>>}, true, true},
      {"flat-combining", "delegation", {qd, make<FlatCombining>}, true},
      {"fetch-add", "atomic", {spinlock, make<FetchAdd>}, false},
      {"incdec", "atomic", {spinlock, make<IncrementDecrement>}, false},
      {"cas-loop", "atomic", {spinlock, make<CompareAndSwapLoop<false>>}, false},
      {"cas-lockref", "atomic", {spinlock, make<CompareAndSwapLoop<true>>}, false},
  };
  return table;
}

const PublishedLock *findLock(std::string_view name) {
  for (const PublishedLock &lock : publishedLocks())
    if (lock.name == name)
      return &lock;
  return nullptr;
}

} // namespace qdadvise::publication
