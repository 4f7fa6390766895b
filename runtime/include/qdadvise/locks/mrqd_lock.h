// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The multiple-reader queue delegation lock: D. Klaftenegger, K. Sagonas and K. Winblad,
// "Queue Delegation Locking", IEEE TPDS 2018. Uses nothing of the C++ library but
// headers, except for exceptions, where they are switched on.
#ifndef QDADVISE_LOCKS_MRQD_LOCK_H
#define QDADVISE_LOCKS_MRQD_LOCK_H

#include <qdadvise/locks/memory.h>
#include <qdadvise/locks/qd_lock.h>

#include <atomic>
#include <cstdint>

namespace qdadvise {
namespace detail {

/// The readers inside, counted in one of several places by thread, so that readers on
/// different cores do not write the same line.
///
/// A reader counts itself and then looks whether the lock is taken; a writer takes the
/// lock and then looks for readers. All four are sequentially consistent: one of the two
/// must see the other.
template <typename Memory> class reader_indicator {
  using word_type = typename Memory::template atomic<std::uint32_t>;
  struct alignas(64) place {
    word_type readers{0};
  };

public:
  static constexpr std::memory_order taking = std::memory_order_seq_cst;
  static constexpr unsigned places = 16;

  void enter() noexcept { mine().fetch_add(1, std::memory_order_seq_cst); }
  void leave() noexcept { mine().fetch_sub(1, std::memory_order_release); }

  /// Readers that have waited for long keep writers from taking the lock.
  void come_first_from_now() noexcept { waiting.fetch_add(1, std::memory_order_relaxed); }
  void come_first_no_more() noexcept { waiting.fetch_sub(1, std::memory_order_relaxed); }
  bool come_first() const noexcept { return waiting.load(std::memory_order_relaxed) != 0; }
  template <typename Wait> void await_turn(Wait &wait) const noexcept {
    if (const std::uint32_t seen = waiting.load(std::memory_order_relaxed); seen != 0)
      wait(waiting, seen);
  }

  bool inside() const noexcept {
    for (const place &one : counts)
      if (one.readers.load(std::memory_order_seq_cst) != 0)
        return true;
    return false;
  }
  void await_none() const noexcept {
    for (const place &one : counts) {
      typename Memory::spin_wait wait;
      while (const std::uint32_t seen = one.readers.load(std::memory_order_seq_cst))
        wait(one.readers, seen);
    }
  }

private:
  word_type &mine() noexcept { return counts[Memory::thread_index() % places].readers; }

  alignas(64) word_type waiting{0};
  place counts[places];
};

} // namespace detail

/// A QD lock (see basic_qd_lock, whose rules and order hold here too) with readers:
/// `lock_shared` … `unlock_shared`, on the same thread, exclude delegated operations and
/// `lock` but not each other. Meets the standard's SharedLockable, so that shared_lock works.
///
/// Reading costs two atomic operations on a line of the reader's own, or nearly so; taking
/// the lock for writing reads all those lines. So it is for data that are read more often
/// than written. Readers wait while the lock is held for writing; one that has waited
/// for `reader_patience_ns` keeps further writers out until it was inside.
///
/// Not recursive in any mode: a reader must not delegate to the lock it reads under, and
/// an operation must not read under the lock it is delegated to.
template <unsigned Capacity = 64, typename Memory = hardware_memory>
class basic_mrqd_lock
    : detail::delegation_lock<Capacity, Memory, detail::reader_indicator<Memory>> {
  using base = detail::delegation_lock<Capacity, Memory, detail::reader_indicator<Memory>>;

public:
  using base::capacity;
  using base::delegate;
  using base::delegate_detached;

  void lock() noexcept { base::take(); }
  bool try_lock() noexcept { return base::try_take_at_once(); }
  void unlock() noexcept { base::release(); }

  void lock_shared() noexcept {
    if (!try_lock_shared()) [[unlikely]]
      lock_shared_contended();
  }
  bool try_lock_shared() noexcept {
    this->readers.enter();
    if (!(base::state.load(std::memory_order_seq_cst) & taken)) [[likely]]
      return true;
    this->readers.leave();
    return false;
  }
  void unlock_shared() noexcept { this->readers.leave(); }

  static constexpr std::uint64_t reader_patience_ns = 20'000;

  using base::accepting;
  using base::count_mask;
  using base::looks_taken; ///< for writing or for reading
  using base::taken;       ///< in word(): for writing
  using base::word;

private:
  [[gnu::noinline]] void lock_shared_contended() noexcept {
    const std::uint64_t since = Memory::now();
    typename Memory::spin_wait wait;
    bool comes_first = false;
    do {
      for (std::uint32_t seen = word(); seen & taken; seen = word()) {
        wait(base::state, seen);
        if (!comes_first && Memory::now() - since > reader_patience_ns) {
          this->readers.come_first_from_now();
          comes_first = true;
        }
      }
    } while (!try_lock_shared());
    if (comes_first)
      this->readers.come_first_no_more();
  }
};

using mrqd_lock = basic_mrqd_lock<>;
static_assert(sizeof(mrqd_lock) <= 4096);

} // namespace qdadvise

#endif
