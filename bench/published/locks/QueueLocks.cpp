// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/published/locks/QueueLocks.h"

#include "bench/published/locks/LockParts.h"

#include <cstdint>

namespace qdadvise::publication {
namespace {

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

/// With a node for each thread.
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

/// A locked byte and a pending bit for the first who waits; the others are in a queue, whose head
/// looks at the word. Of the 16-byte nodes in lockhammer's array each thread uses every fourth, so
/// that nodes share no line.
class LinuxQueued {
public:
  explicit LinuxQueued(Multicore &machine) : machine(machine) {}
  void lock() {
    if (exchangeIf(0, locked))
      return;
    std::uint32_t seen = word;
    if (seen == pending) // it is becoming the owner's
      seen = awaitChange(pending);
    while ((seen & ~locked) == 0) {
      if (exchangeIf(seen, locked | (seen == locked ? pending : 0U))) {
        if (seen == locked) {
          awaitNone(locked);
          announce(sim::AccessKind::store);
          word = (word & ~pending) | locked;
        }
        return;
      }
      seen = word;
    }
    enqueue();
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
    Node &mine = nodes.of(self);
    mine.waits.store(1, relaxed);
    mine.next.store(nullptr, relaxed);
    announce(sim::AccessKind::load);
    if (word == 0 && exchangeIf(0, locked))
      return;
    const std::uint32_t tail = (self + 1) * tailUnit;
    announce(sim::AccessKind::update);
    const std::uint32_t before = std::exchange(word, word % tailUnit + tail) / tailUnit;
    if (before != 0) {
      nodes.of(before - 1).next.store(&mine, release);
      await(machine, mine.waits, std::uint32_t{1}, SpinTurn::pause);
    }
    awaitNone(locked | pending);
    if (word == tail && exchangeIf(tail, locked))
      return;
    announce(sim::AccessKind::store);
    word |= locked;
    await<Node *>(machine, mine.next, nullptr, SpinTurn::pause);
    mine.next.load(relaxed)->waits.store(0, release);
  }
  bool exchangeIf(std::uint32_t expected, std::uint32_t desired) {
    announce(sim::AccessKind::compareExchange);
    if (word != expected)
      return false;
    word = desired;
    return true;
  }
  /// Until none of these bits is set.
  void awaitNone(std::uint32_t bits) {
    unsigned turns = 0;
    for (announce(sim::AccessKind::load); word & bits; announce(sim::AccessKind::load))
      spin(turns);
  }
  /// Until the word is another one, which is returned.
  std::uint32_t awaitChange(std::uint32_t from) {
    unsigned turns = 0;
    for (announce(sim::AccessKind::load); word == from; announce(sim::AccessKind::load))
      spin(turns);
    return word;
  }
  void spin(unsigned &turns) {
    const std::uint32_t seen = word;
    machine.spin({&word, &seen, sizeof(seen), nullptr, SpinTurn::pause}, turns);
  }
  /// The word's bytes are stored one by one, but exchanged together: what follows happens at once.
  void announce(sim::AccessKind kind) { machine.access({&word, sizeof(word), kind, release}); }

  Multicore &machine;
  std::uint32_t word = 0;
  PerThread<Node> nodes;
};

} // namespace

std::unique_ptr<SimulatedLock> makeTicket(Multicore &machine) {
  return make<Exclusive<Ticket<SpinTurn::nothing>>>(machine);
}
std::unique_ptr<SimulatedLock> makeLinuxTicket(Multicore &machine) {
  return make<Exclusive<Ticket<SpinTurn::pause>>>(machine);
}
std::unique_ptr<SimulatedLock> makeMcs(Multicore &machine) { return make<Exclusive<Mcs>>(machine); }
std::unique_ptr<SimulatedLock> makeLinuxQueued(Multicore &machine) {
  return make<Exclusive<LinuxQueued>>(machine);
}

} // namespace qdadvise::publication
