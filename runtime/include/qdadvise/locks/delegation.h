// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on their way to the thread that executes them. A part of qd_lock.h.
#ifndef QDADVISE_LOCKS_DELEGATION_H
#define QDADVISE_LOCKS_DELEGATION_H

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

namespace qdadvise::detail {

/// Executes what lies at the place it is given.
using qd_run = void (*)(void *place) noexcept;

/// A place of the queue. A detached operation lies in it, of a synchronous one its address.
template <typename Memory> struct qd_slot {
  static constexpr std::size_t size = 3 * sizeof(void *);

  typename Memory::template atomic<qd_run> run{nullptr}; ///< null where nothing lies there
  alignas(void *) std::byte place[size] = {};
};

/// The lock's word and the queue of the operations that came while it was taken.
template <unsigned Capacity, typename Memory> class delegation_queue {
  static_assert(Capacity >= 1 && Capacity <= 1u << 16, "a queue of 1 to 65536 operations");
  using slot_type = qd_slot<Memory>;

public:
  delegation_queue() noexcept = default;
  delegation_queue(const delegation_queue &) = delete;
  delegation_queue &operator=(const delegation_queue &) = delete;

  // The lock's word: free where `taken` is not set. While `accepting` is set as well the
  // low bits count the operations that came into the queue (and the attempts to, so
  // they may exceed the capacity).
  static constexpr std::uint32_t taken = 1u << 31;
  static constexpr std::uint32_t accepting = 1u << 30;
  static constexpr std::uint32_t count_mask = accepting - 1;

  /// TRYINSERT. Succeeds only while the lock is held by a helper that has not left. `seen`
  /// is what the word was a moment ago, and is newer afterwards.
  template <typename Operation>
  bool try_insert(Operation &operation, std::uint32_t &seen) noexcept {
    // Looking first keeps the word quiet while nothing can be inserted.
    if (!has_room(seen))
      return false;
    // Acquire: the emptied slot of an earlier hold must not appear after our store.
    seen = state.fetch_add(1, std::memory_order_acquire);
    if (!has_room(seen))
      return false;
    slot_type &slot = slots[seen & count_mask];
    slot.run.store(operation.put(slot.place), std::memory_order_release);
    return true;
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
        release();
        return;
      }
      seen = taken | accepting | executed;
    } while (!state.compare_exchange_strong(seen, 0, std::memory_order_release,
                                            std::memory_order_relaxed));
  }

  void release() noexcept { state.store(0, std::memory_order_release); }

private:
  static bool has_room(std::uint32_t seen) noexcept {
    constexpr std::uint32_t flags = taken | accepting;
    return (seen & flags) == flags && (seen & count_mask) < Capacity;
  }

  static void execute(slot_type &slot) noexcept {
    // Counted, but perhaps not stored yet.
    qd_run run = nullptr;
    for (typename Memory::spin_wait wait; !(run = slot.run.load(std::memory_order_acquire));)
      wait(slot.run, run);
    slot.run.store(nullptr, std::memory_order_relaxed);
    run(slot.place);
  }

public:
  // The slots begin a line of their own: inserting threads take the word's line from
  // each other anyway, the helper should not lose what it reads with it.
  alignas(64) typename Memory::template atomic<std::uint32_t> state{0};

private:
  alignas(64) slot_type slots[Capacity] = {};
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

/// A synchronous operation, seen by the lock: it lives on the stack of the thread that
/// waits for it, which may leave as soon as it sees `done`.
template <typename Memory> class qd_request {
public:
  explicit qd_request(qd_run execute) noexcept : run(execute) {}

  /// Lays it into a slot.
  qd_run put(void *place) noexcept {
    ::new (place) qd_request *(this);
    return run;
  }
  void execute_here() noexcept {
    qd_request *self = this;
    run(&self);
  }
  void await() noexcept {
    for (typename Memory::spin_wait wait; !done.load(std::memory_order_acquire);)
      wait(done, false);
  }

protected:
  static qd_request &at(void *place) noexcept {
    return **std::launder(static_cast<qd_request **>(place));
  }
  void finish() noexcept { done.store(true, std::memory_order_release); }

private:
  const qd_run run;
  typename Memory::template atomic<bool> done{false};
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
      : qd_request<Memory>(execute), operation(callable) {}

  /// The value, or the exception, of the executed operation.
  Result take() {
#ifdef __cpp_exceptions
    if (failure)
      std::rethrow_exception(std::move(failure));
#endif
    return result.take();
  }

private:
  static void execute(void *place) noexcept {
    auto &self = static_cast<qd_operation &>(qd_request<Memory>::at(place));
#ifdef __cpp_exceptions
    try {
      self.result.set(std::forward<Operation>(self.operation));
    } catch (...) {
      self.failure = std::current_exception();
    }
#else
    self.result.set(std::forward<Operation>(self.operation));
#endif
    self.finish();
  }

  std::remove_reference_t<Operation> &operation;
  qd_result<Result> result;
#ifdef __cpp_exceptions
  std::exception_ptr failure;
#endif
};

/// A detached operation before it is in a slot. Nobody could be told of an exception, so
/// one ends the program (std::terminate), whoever executes the operation.
template <typename Callable> class qd_detached {
public:
  template <typename Memory>
  static constexpr bool fits =
      sizeof(Callable) <= qd_slot<Memory>::size && alignof(Callable) <= alignof(void *) &&
      std::is_nothrow_move_constructible_v<Callable>;

  template <typename Operation>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): only made of an operation
  explicit qd_detached(Operation &&operation) : callable(std::forward<Operation>(operation)) {}

  qd_run put(void *place) noexcept {
    ::new (place) Callable(std::move(callable));
    return execute;
  }
  void execute_here() noexcept { static_cast<void>(std::move(callable)()); }

private:
  static void execute(void *place) noexcept {
    Callable &there = *std::launder(static_cast<Callable *>(place));
    static_cast<void>(std::move(there)());
    there.~Callable();
  }

  Callable callable;
};

} // namespace qdadvise::detail

#endif
