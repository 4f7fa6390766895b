// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue delegation (QD) lock with synchronous delegation: Figure 2 of
// X. Pan, D. Klaftenegger and B. Jonsson, "Forecasting Lock Contention Before Adopting
// Another Lock Algorithm", MASCOTS 2015. Uses nothing of the C++ library but headers,
// except for exceptions, where they are switched on.
#ifndef QDADVISE_LOCKS_QD_LOCK_H
#define QDADVISE_LOCKS_QD_LOCK_H

#include <qdadvise/locks/memory.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#ifdef __cpp_exceptions
#include <exception>
#endif

namespace qdadvise {
namespace detail {

/// An operation on its way to the thread that executes it. Lives on the stack of the
/// thread that waits for it, which may leave as soon as it sees `done`.
template <typename Memory> struct qd_request {
  void (*const execute)(qd_request &) noexcept;
  typename Memory::template atomic<bool> done{false};

  explicit qd_request(void (*run)(qd_request &) noexcept) noexcept : execute(run) {}
};

/// Room for the value that an operation returns: an object, a reference or nothing.
template <typename Result> class qd_result {
public:
  template <typename Operation> void set(Operation &&operation) {
    ::new (static_cast<void *>(storage)) Result(std::forward<Operation>(operation)());
  }
  Result take() {
    struct destroyer {
      Result &object;
      ~destroyer() { object.~Result(); }
    } const afterwards{*std::launder(reinterpret_cast<Result *>(storage))};
    return std::move(afterwards.object);
  }

private:
  alignas(Result) std::byte storage[sizeof(Result)];
};

template <typename Referred> class qd_result<Referred &> {
public:
  template <typename Operation> void set(Operation &&operation) {
    Referred &value = std::forward<Operation>(operation)();
    address = std::addressof(value);
  }
  Referred &take() { return *address; }

private:
  Referred *address = nullptr;
};

template <typename Referred> class qd_result<Referred &&> {
public:
  template <typename Operation> void set(Operation &&operation) {
    Referred &&value = std::forward<Operation>(operation)();
    address = std::addressof(value);
  }
  Referred &&take() { return static_cast<Referred &&>(*address); }

private:
  Referred *address = nullptr;
};

template <> class qd_result<void> {
public:
  template <typename Operation> void set(Operation &&operation) {
    std::forward<Operation>(operation)();
  }
  void take() {}
};

#ifdef __cpp_exceptions
inline constexpr bool carries_exceptions = true;
#else
inline constexpr bool carries_exceptions = false;
#endif

/// The request for one operation, with the operation and what came of it. The last
/// parameter gives the two shapes of this class names of their own, so that translation
/// units with and without exceptions can share a program.
template <typename Memory, typename Operation, typename Result, bool = carries_exceptions>
class qd_operation : public qd_request<Memory> {
public:
  explicit qd_operation(Operation &&callable) noexcept
      : qd_request<Memory>(run), operation(callable) {}

  /// The value, or the exception, of the executed operation.
  Result take() {
#ifdef __cpp_exceptions
    if (failure)
      std::rethrow_exception(std::move(failure));
#endif
    return result.take();
  }

private:
  static void run(qd_request<Memory> &request) noexcept {
    auto &self = static_cast<qd_operation &>(request);
#ifdef __cpp_exceptions
    try {
      self.result.set(std::forward<Operation>(self.operation));
    } catch (...) {
      self.failure = std::current_exception();
    }
#else
    self.result.set(std::forward<Operation>(self.operation));
#endif
  }

  std::remove_reference_t<Operation> &operation;
  qd_result<Result> result;
#ifdef __cpp_exceptions
  std::exception_ptr failure;
#endif
};

} // namespace detail

/// A lock to which critical sections are handed over:
///
///     int size = lock.delegate([&] { map.insert(entry); return map.size(); });
///
/// The thread that finds the lock free executes its own operation and then, as the
/// helper, those that other threads have put into the lock's queue meanwhile; at most
/// `Capacity` of them, then the lock is released. `delegate` returns when the operation
/// has been executed, exactly once, by whichever thread. It allocates nothing.
///
/// `lock`, `try_lock` and `unlock` (Lockable) exclude delegated operations and each
/// other; the queue is closed while the lock is held that way. Not recursive, not fair.
///
/// An operation may run on another thread: it must not depend on thread-local state
/// nor on locks its caller holds being held *by the executing thread*, and it must not
/// use this lock again. Locks used inside operations need an order, as always.
template <unsigned Capacity = 64, typename Memory = hardware_memory> class basic_qd_lock {
  static_assert(Capacity >= 1 && Capacity <= 1u << 16, "a queue of 1 to 65536 operations");

  using request_type = detail::qd_request<Memory>;
  using slot_type = typename Memory::template atomic<request_type *>;
  using spin_wait = typename Memory::spin_wait;

public:
  basic_qd_lock() noexcept = default;
  basic_qd_lock(const basic_qd_lock &) = delete;
  basic_qd_lock &operator=(const basic_qd_lock &) = delete;

  static constexpr unsigned capacity = Capacity;

  /// Executes `operation()` under the lock and returns its value; an exception that it
  /// throws is thrown here. Nothing is copied: the operation is called where it is.
  template <typename Operation> std::invoke_result_t<Operation> delegate(Operation &&operation) {
    using Result = std::invoke_result_t<Operation>;
    static_assert(!std::is_object_v<Result> || std::is_move_constructible_v<Result>,
                  "the value of a delegated operation is moved to the thread that waits for it");
    std::uint32_t seen = 0;
    if (try_take(taken | accepting, seen)) [[likely]] {
      const helping helper{*this};
      return std::forward<Operation>(operation)();
    }
    detail::qd_operation<Memory, Operation, std::remove_cv_t<Result>> request(
        std::forward<Operation>(operation));
    run(request);
    return request.take();
  }

  void lock() noexcept {
    std::uint32_t seen = 0;
    if (try_take(taken, seen)) [[likely]]
      return;
    spin_wait wait;
    do
      wait(state, seen);
    while (!try_take(taken, seen));
  }

  bool try_lock() noexcept {
    std::uint32_t seen = 0;
    return try_take(taken, seen);
  }

  void unlock() noexcept { state.store(0, std::memory_order_release); }

  // The lock's word: free where `taken` is not set. While `accepting` is set as well the
  // low bits count the operations that came into the queue (and the attempts to, so
  // they may exceed the capacity).
  static constexpr std::uint32_t taken = 1u << 31;
  static constexpr std::uint32_t accepting = 1u << 30;
  static constexpr std::uint32_t count_mask = accepting - 1;
  /// For observers; outdated when it arrives.
  std::uint32_t word() const noexcept { return state.load(std::memory_order_relaxed); }
  bool looks_taken() const noexcept { return (word() & taken) != 0; }

private:
  /// Helps and releases at the end of the helper's own operation, also of one that throws.
  struct helping {
    basic_qd_lock &lock;
    ~helping() {
      // Nobody came: one atomic operation closes the queue and releases the lock.
      std::uint32_t seen = taken | accepting;
      if (!lock.state.compare_exchange_strong(seen, 0, std::memory_order_release,
                                              std::memory_order_relaxed)) [[unlikely]]
        lock.help(seen);
    }
  };

  /// TRYLOCK of Figure 2. The word of a free lock need not be zero: a fetch-and-add may
  /// arrive after the queue was closed. Such latecomers are at most one per thread
  /// between two holds, so the count cannot reach the flags. `seen` is the word, if taken.
  bool try_take(std::uint32_t as, std::uint32_t &seen) noexcept {
    seen = state.load(std::memory_order_relaxed);
    while (!(seen & taken))
      if (state.compare_exchange_weak(seen, as, std::memory_order_acquire,
                                      std::memory_order_relaxed))
        return true;
    return false;
  }

  /// TRYINSERT. Succeeds only while the lock is held by a helper that has not left. `seen`
  /// is what the word was a moment ago, and is newer afterwards.
  bool try_insert(request_type &request, std::uint32_t &seen) noexcept {
    // Looking first keeps the word quiet while nothing can be inserted.
    if (!has_room(seen))
      return false;
    // Acquire: the emptied slot of an earlier hold must not appear after our store.
    seen = state.fetch_add(1, std::memory_order_acquire);
    if (!has_room(seen))
      return false;
    slots[seen & count_mask].store(&request, std::memory_order_release);
    return true;
  }

  static bool has_room(std::uint32_t seen) noexcept {
    constexpr std::uint32_t flags = taken | accepting;
    return (seen & flags) == flags && (seen & count_mask) < Capacity;
  }

  /// DELEGATE: returns when `request` has been executed.
  [[gnu::noinline]] void run(request_type &request) noexcept {
    spin_wait wait;
    while (true) {
      std::uint32_t seen = 0;
      if (try_take(taken | accepting, seen)) {
        const helping helper{*this};
        request.execute(request);
        return;
      }
      if (try_insert(request, seen)) {
        for (spin_wait answer; !request.done.load(std::memory_order_acquire);)
          answer(request.done, false);
        return;
      }
      wait(state, seen);
    }
  }

  /// Lines 5 to 10 of Figure 2, where `seen` is the word with what has come so far. The
  /// release is a compare-and-swap that fails if one more came, so none is left behind;
  /// once the queue has been full, no insertion can succeed any more and a store is enough.
  [[gnu::noinline]] void help(std::uint32_t seen) noexcept {
    std::uint32_t executed = 0;
    do {
      const std::uint32_t came = seen & count_mask;
      for (const std::uint32_t end = came < Capacity ? came : Capacity; executed < end; ++executed)
        execute(slots[executed]);
      if (executed == Capacity) {
        state.store(0, std::memory_order_release);
        return;
      }
      seen = taken | accepting | executed;
    } while (!state.compare_exchange_strong(seen, 0, std::memory_order_release,
                                            std::memory_order_relaxed));
  }

  static void execute(slot_type &slot) noexcept {
    // Counted, but perhaps not stored yet.
    request_type *request = nullptr;
    for (spin_wait wait; !(request = slot.load(std::memory_order_acquire));)
      wait(slot, request);
    slot.store(nullptr, std::memory_order_relaxed);
    request->execute(*request);
    request->done.store(true, std::memory_order_release);
  }

  // The slots begin a line of their own: inserting threads take the word's line from
  // each other anyway, the helper should not lose what it reads with it.
  alignas(64) typename Memory::template atomic<std::uint32_t> state{0};
  alignas(64) slot_type slots[Capacity] = {};
};

using qd_lock = basic_qd_lock<>;
static_assert(sizeof(qd_lock) <= 4096);

} // namespace qdadvise

#endif
