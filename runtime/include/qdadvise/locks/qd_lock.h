// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue delegation (QD) lock: Figure 2 of X. Pan, D. Klaftenegger and B. Jonsson,
// "Forecasting Lock Contention Before Adopting Another Lock Algorithm", MASCOTS 2015,
// with operations that nobody waits for as in D. Klaftenegger, K. Sagonas and K. Winblad,
// "Queue Delegation Locking", IEEE TPDS 2018. Uses nothing of the C++ library but
// headers, except for exceptions, where they are switched on.
#ifndef QDADVISE_LOCKS_QD_LOCK_H
#define QDADVISE_LOCKS_QD_LOCK_H

#include <qdadvise/locks/delegation.h>
#include <qdadvise/locks/memory.h>

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace qdadvise {
namespace detail {

/// Whom a lock without readers has to wait for besides its holder.
struct no_readers {
  static constexpr std::memory_order taking = std::memory_order_acquire;
  static constexpr bool come_first() noexcept { return false; }
  static constexpr bool inside() noexcept { return false; }
  template <typename Wait> static void await_turn(Wait &) noexcept {}
  static void await_none() noexcept {}
};

/// What the delegation locks have in common. `Readers` are those who may be inside while
/// the word says that the lock is free; whoever takes the lock waits for them.
template <unsigned Capacity, typename Memory, typename Readers>
class delegation_lock : protected delegation_queue<Capacity, Memory> {
  using queue = delegation_queue<Capacity, Memory>;
  using spin_wait = typename Memory::spin_wait;

public:
  using queue::accepting;
  using queue::count_mask;
  using queue::taken;

  static constexpr unsigned capacity = Capacity;

  /// Executes `operation()` under the lock and returns its value; an exception that it
  /// throws is thrown here. Nothing is copied: the operation is called where it is.
  template <typename Operation> std::invoke_result_t<Operation> delegate(Operation &&operation) {
    using Result = std::invoke_result_t<Operation>;
    static_assert(!std::is_object_v<Result> || std::is_move_constructible_v<Result>,
                  "the value of a delegated operation is moved to the thread that waits for it");
    if (take_at_once(taken | accepting)) [[likely]] {
      const helping helper{*this};
      readers.await_none();
      return std::forward<Operation>(operation)();
    }
    qd_operation<Memory, Operation, std::remove_cv_t<Result>> request(
        std::forward<Operation>(operation));
    if (!execute_or_insert(request))
      request.await();
    return request.take();
  }

  /// Executes a copy of `operation` under the lock, once, and does not wait for it where
  /// another thread is there to do so: the copy lies in the lock's queue. See basic_qd_lock.
  template <typename Operation> void delegate_detached(Operation &&operation) {
    using Callable = std::decay_t<Operation>;
    static_assert(std::is_invocable_v<Callable>, "an operation is called without arguments");
    qd_detached<Callable> detached(std::forward<Operation>(operation));
    if constexpr (qd_detached<Callable>::template fits<Memory>) {
      if (take_at_once(taken | accepting)) [[likely]] {
        const helping helper{*this};
        readers.await_none();
        detached.execute_here();
        return;
      }
      execute_or_insert(detached);
    } else {
      delegate([&]() noexcept { detached.execute_here(); });
    }
  }

  /// For observers; outdated when it arrives.
  std::uint32_t word() const noexcept { return state.load(std::memory_order_relaxed); }
  bool looks_taken() const noexcept { return (word() & taken) != 0 || readers.inside(); }

protected:
  void take() noexcept {
    if (!take_at_once(taken)) [[unlikely]]
      take_contended();
    readers.await_none();
  }

  bool try_take_at_once() noexcept {
    std::uint32_t seen = 0;
    if (!try_take(taken, seen))
      return false;
    if (!readers.inside())
      return true;
    queue::release();
    return false;
  }

private:
  /// Helps and releases at the end of the helper's own operation, also of one that throws.
  struct helping {
    delegation_lock &lock;
    ~helping() {
      // Nobody came: one atomic operation closes the queue and releases the lock.
      std::uint32_t seen = taken | accepting;
      if (!lock.state.compare_exchange_strong(seen, 0, std::memory_order_release,
                                              std::memory_order_relaxed)) [[unlikely]]
        lock.help(seen);
    }
  };

  /// For the lock that nobody wants, as it most often is: without looking first.
  bool take_at_once(std::uint32_t as) noexcept {
    std::uint32_t expected = 0;
    return !readers.come_first() &&
           state.compare_exchange_strong(expected, as, Readers::taking, std::memory_order_relaxed);
  }

  /// TRYLOCK of Figure 2. The word of a free lock need not be zero: a fetch-and-add may
  /// arrive after the queue was closed. Such latecomers are at most one per thread
  /// between two holds, so the count cannot reach the flags. `seen` is the last word seen.
  bool try_take(std::uint32_t as, std::uint32_t &seen) noexcept {
    seen = state.load(std::memory_order_relaxed);
    while (!(seen & taken)) {
      if (readers.come_first())
        return false;
      if (state.compare_exchange_weak(seen, as, Readers::taking, std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  void await_change(spin_wait &wait, std::uint32_t seen) noexcept {
    if (seen & taken)
      wait(state, seen);
    else
      readers.await_turn(wait);
  }

  [[gnu::noinline]] void take_contended() noexcept {
    spin_wait wait;
    for (std::uint32_t seen = 0; !try_take(taken, seen);)
      await_change(wait, seen);
  }

  /// DELEGATE without the wait for the result: true if the operation has been executed,
  /// false if it is in the queue.
  template <typename Operation>
  [[gnu::noinline]] bool execute_or_insert(Operation &operation) noexcept {
    for (spin_wait wait;;) {
      std::uint32_t seen = 0;
      if (try_take(taken | accepting, seen)) {
        const helping helper{*this};
        readers.await_none();
        operation.execute_here();
        return true;
      }
      if (queue::try_insert(operation, seen))
        return false;
      await_change(wait, seen);
    }
  }

protected:
  using queue::state;

  [[no_unique_address]] Readers readers;
};

} // namespace detail

/// A lock to which critical sections are handed over:
///
///     int size = lock.delegate([&] { map.insert(entry); return map.size(); });
///     lock.delegate_detached([&log, id] { log.append(id); });
///
/// The thread that finds the lock free executes its own operation and then, as the
/// helper, those that other threads have put into the lock's queue meanwhile; at most
/// `Capacity` of them, then the lock is released. `delegate` returns when the operation
/// has been executed, exactly once, by whichever thread. It allocates nothing.
///
/// `delegate_detached` returns as soon as a copy of the operation lies in the queue of
/// a lock that is held by a helper. It waits in these cases only: the lock is free (the
/// caller executes the operation, and helps), the queue is full or closed, or the
/// operation does not fit a place of the queue, which is three pointers large: larger ones,
/// and such as may throw when they are moved, are waited for as by `delegate`. Nothing
/// is allocated. What it returns is dropped, and an exception that leaves it ends the
/// program, as one that leaves a thread does.
///
/// The operations and locked sections of one thread at one lock, detached or not, happen
/// in the order in which the thread asked for them: `lock.delegate([] {})` waits for all
/// that it has detached.
///
/// `lock`, `try_lock` and `unlock` (Lockable) exclude delegated operations and each
/// other; the queue is closed while the lock is held that way. Not recursive, not fair.
///
/// A delegation may return before the helper that executed its operation has left the
/// lock. Who destroys a lock because of what an operation found (say, that the last
/// reference to it is gone) calls `lock` and `unlock` before: nobody touches it after that.
///
/// An operation may run on another thread: it must not depend on thread-local state
/// nor on locks its caller holds being held *by the executing thread*, and it must not
/// use this lock again. Locks used inside operations need an order, as always.
template <unsigned Capacity = 64, typename Memory = hardware_memory>
class basic_qd_lock : detail::delegation_lock<Capacity, Memory, detail::no_readers> {
  using base = detail::delegation_lock<Capacity, Memory, detail::no_readers>;

public:
  using base::capacity;
  using base::delegate;
  using base::delegate_detached;

  void lock() noexcept { base::take(); }
  bool try_lock() noexcept { return base::try_take_at_once(); }
  void unlock() noexcept { base::release(); }

  using base::accepting;
  using base::count_mask;
  using base::looks_taken;
  using base::taken;
  using base::word;
};

using qd_lock = basic_qd_lock<>;
static_assert(sizeof(qd_lock) <= 4096);

} // namespace qdadvise

#endif
