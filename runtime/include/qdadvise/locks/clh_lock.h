// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue lock of T. S. Craig ("Building FIFO and Priority-Queuing Spin Locks from Atomic
// Swap", University of Washington, 1993) and of P. Magnusson, A. Landin and E. Hagersten
// ("Queue Locks on Cache Coherent Multiprocessors", IPPS 1994), with its nodes in the
// lock. Uses nothing of the C++ library but headers.
#ifndef QDADVISE_LOCKS_CLH_LOCK_H
#define QDADVISE_LOCKS_CLH_LOCK_H

#include <qdadvise/locks/memory.h>

#include <atomic>
#include <cstdint>

namespace qdadvise {

/// Meets the standard's Lockable. A cache line for each of its `Nodes` and four more: 4 KiB as
/// `clh_lock`; all bytes zero is a free lock. First come, first served among as many
/// threads as there are nodes, less one; further ones wait for a node. Not recursive.
///
/// A waiter looks at the node of the one before it, on a line of its own: however many
/// wait, a handoff costs the same. A node is still looked at after its owner released
/// the lock, and so can't be on a stack; it is taken from the lock's own, which costs an
/// atomic operation more than the algorithm with a node per thread. For programs the MCS
/// lock is as good and smaller: this one is here for comparison.
template <unsigned Nodes = 60, typename Memory = hardware_memory> class basic_clh_lock {
  static_assert(Nodes >= 2 && Nodes <= 128, "the last in line keeps a node when it has released");

public:
  basic_clh_lock() noexcept = default;
  basic_clh_lock(const basic_clh_lock &) = delete;
  basic_clh_lock &operator=(const basic_clh_lock &) = delete;

  static constexpr unsigned node_count = Nodes; ///< and two for those who only try

  void lock() noexcept {
    unsigned mine = 0;
    if (!claim_node(mine, 0, node_count)) [[unlikely]]
      await_node(mine);
    const std::uint64_t before = tail.exchange(name_of(mine), std::memory_order_acq_rel);
    if (before != 0)
      inherit(nodes[index_of(before)]);
    become_holder(mine);
  }

  bool try_lock() noexcept {
    std::uint64_t before = tail.load(std::memory_order_acquire);
    if (before != 0 && nodes[index_of(before)].state.load(std::memory_order_acquire) != released)
      return false;
    // Both in use: somebody else is about to take the lock.
    unsigned mine = 0;
    if (!claim_node(mine, node_count, 2))
      return false;
    // A name comes once: if the last in line is still the one we looked at, it has released.
    if (!tail.compare_exchange_strong(before, name_of(mine), std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
      nodes[mine].state.store(unused, std::memory_order_release);
      return false;
    }
    if (before != 0)
      nodes[index_of(before)].state.store(unused, std::memory_order_release);
    become_holder(mine);
    return true;
  }

  void unlock() noexcept {
    nodes[holder.load(std::memory_order_relaxed) & 0xff].state.store(released,
                                                                     std::memory_order_release);
  }

  /// For observers; outdated when it arrives.
  bool looks_taken() const noexcept {
    const std::uint64_t last = tail.load(std::memory_order_relaxed);
    return last != 0 && nodes[index_of(last)].state.load(std::memory_order_relaxed) != released;
  }

private:
  static constexpr std::uint32_t unused = 0, busy = 1, released = 2;
  struct alignas(64) node {
    typename Memory::template atomic<std::uint32_t> state{unused};
    std::uint64_t turns = 0; ///< how often it was claimed; its owner's
  };

  /// Of a node and the turn it is used for, never 0.
  std::uint64_t name_of(unsigned index) const noexcept {
    return nodes[index].turns << 8 | (index + 1);
  }
  static unsigned index_of(std::uint64_t name) noexcept {
    return static_cast<unsigned>(name & 0xff) - 1;
  }

  /// One of `count` nodes from `begin` on. Threads begin to look at different ones. Whoever
  /// comes again finds its last one at the end of the line, and so uses two by turns.
  bool claim_node(unsigned &index, unsigned begin, unsigned count) noexcept {
    const unsigned first = Memory::thread_index() % count;
    for (unsigned i = 0; i < count; ++i) {
      index = begin + (first + i) % count;
      std::uint32_t seen = nodes[index].state.load(std::memory_order_relaxed);
      if (seen == unused && nodes[index].state.compare_exchange_strong(
                                seen, busy, std::memory_order_acquire, std::memory_order_relaxed)) {
        ++nodes[index].turns;
        return true;
      }
    }
    return false;
  }

  /// Whenever one of the nodes that are waited for becomes free, the holder changes after that.
  [[gnu::noinline]] void await_node(unsigned &index) noexcept {
    typename Memory::spin_wait wait;
    while (true) {
      const std::uint32_t seen = holder.load(std::memory_order_acquire);
      if (claim_node(index, 0, node_count))
        return;
      wait(holder, seen);
    }
  }

  /// The count in the upper bits makes every change one that a waiter sees.
  void become_holder(unsigned index) noexcept {
    const std::uint32_t before = holder.load(std::memory_order_relaxed);
    holder.store(((before >> 8) + 1) << 8 | index, std::memory_order_release);
  }

  /// Waits until the one before us releases; nobody else looks at its node then.
  static void inherit(node &before) noexcept {
    typename Memory::spin_wait wait;
    while (true) {
      const std::uint32_t seen = before.state.load(std::memory_order_acquire);
      if (seen == released)
        break;
      wait(before.state, seen);
    }
    before.state.store(unused, std::memory_order_release);
  }

  alignas(64) typename Memory::template atomic<std::uint64_t> tail{0};
  alignas(64) typename Memory::template atomic<std::uint32_t> holder{0}; ///< its node, and a count
  node nodes[node_count + 2];
};

using clh_lock = basic_clh_lock<>;
static_assert(sizeof(clh_lock) <= 4096);

} // namespace qdadvise

#endif
