// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue lock of J. M. Mellor-Crummey and M. L. Scott ("Algorithms for Scalable
// Synchronization on Shared-Memory Multiprocessors", ACM TOCS 1991), in the variant of the
// K42 system, whose waiters bring no node along. Uses nothing of the C++ library but headers.
#ifndef QDADVISE_LOCKS_MCS_LOCK_H
#define QDADVISE_LOCKS_MCS_LOCK_H

#include <qdadvise/locks/memory.h>

#include <atomic>

namespace qdadvise {

/// Meets the standard's Lockable. Two pointers; all bytes zero is a free lock. First come,
/// first served. Not recursive.
///
/// A waiter looks at a word on its own stack, which the one before it writes: however
/// many wait, a handoff costs the same. With more threads than cores everybody waits for
/// a thread that may have none.
template <typename Memory = hardware_memory> class basic_mcs_lock {
  /// A place in the line knows the one behind it.
  struct link {
    typename Memory::template atomic<link *> next{nullptr};
  };
  struct waiter : link {
    typename Memory::template atomic<bool> granted{false};
  };

public:
  basic_mcs_lock() noexcept = default;
  basic_mcs_lock(const basic_mcs_lock &) = delete;
  basic_mcs_lock &operator=(const basic_mcs_lock &) = delete;

  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      lock_contended();
  }

  bool try_lock() noexcept {
    link *nobody = nullptr;
    return tail.compare_exchange_strong(nobody, &holder, std::memory_order_acquire,
                                        std::memory_order_relaxed);
  }

  void unlock() noexcept {
    link *next = holder.next.load(std::memory_order_acquire);
    if (!next) {
      link *last = &holder;
      if (tail.compare_exchange_strong(last, nullptr, std::memory_order_release,
                                       std::memory_order_relaxed)) [[likely]]
        return;
      next = follower(holder);
    }
    static_cast<waiter *>(next)->granted.store(true, std::memory_order_release);
  }

  /// For observers; outdated when it arrives.
  bool looks_taken() const noexcept { return tail.load(std::memory_order_relaxed) != nullptr; }

private:
  [[gnu::noinline]] void lock_contended() noexcept {
    waiter me;
    if (link *const before = tail.exchange(&me, std::memory_order_acq_rel)) {
      before->next.store(&me, std::memory_order_release);
      for (typename Memory::spin_wait wait; !me.granted.load(std::memory_order_acquire);)
        wait(me.granted, false);
    }
    // Ours. The lock's own link takes this one's place in the line, for as long as the
    // section lasts; nobody looks at it before it is in the line.
    link *next = me.next.load(std::memory_order_acquire);
    if (!next) {
      holder.next.store(nullptr, std::memory_order_relaxed);
      link *last = &me;
      if (tail.compare_exchange_strong(last, &holder, std::memory_order_acq_rel,
                                       std::memory_order_relaxed))
        return;
      next = follower(me);
    }
    holder.next.store(next, std::memory_order_relaxed);
  }

  /// The place behind one that is no longer the last, though perhaps not told yet.
  static link *follower(link &place) noexcept {
    typename Memory::spin_wait wait;
    while (true) {
      link *const next = place.next.load(std::memory_order_acquire);
      if (next)
        return next;
      wait(place.next, next);
    }
  }

  typename Memory::template atomic<link *> tail{nullptr}; ///< null while the lock is free
  link holder;
};

using mcs_lock = basic_mcs_lock<>;
static_assert(sizeof(mcs_lock) == 2 * sizeof(void *));

} // namespace qdadvise

#endif
