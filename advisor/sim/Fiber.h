// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A simulated thread: a function on a stack of its own that runs until it suspends itself, and goes
// on there when it is resumed. Boost.Context switches the stacks.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <exception>
#include <functional>
#include <new>
#include <utility>

namespace qdadvise::sim {

/// Page-aligned memory, below which lies a page that ends the program when the stack overflows.
/// Because of the alignment, objects on the stack lie at the same places in their cache lines in
/// every run.
class FiberStack {
public:
  explicit FiberStack(std::size_t bytes);
  ~FiberStack();
  FiberStack(const FiberStack &) = delete;
  FiberStack &operator=(const FiberStack &) = delete;

  boost::context::stack_context context() const { return stack; }
  const void *begin() const { return static_cast<const char *>(stack.sp) - stack.size; }
  const void *end() const { return stack.sp; }

private:
  boost::context::stack_context stack;
  void *mapping = nullptr;
  std::size_t mapped = 0;
};

class Fiber {
public:
  static constexpr std::size_t defaultStackBytes = std::size_t{64} * 1024;

  explicit Fiber(std::size_t stackBytes = defaultStackBytes) : stack(stackBytes) {}
  /// A fiber that has not finished is abandoned: nothing on its stack is destroyed. Boost's
  /// unwinding would throw through the locks' noexcept functions.
  ~Fiber() = default;
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Sets what the next `resume` begins. What ran here before has finished or is abandoned.
  void start(std::function<void()> function) {
    body = std::move(function);
    failure = nullptr;
    done = false;
    ::new (&self.fiber) boost::context::fiber(
        std::allocator_arg,
        boost::context::preallocated(stack.context().sp, stack.context().size, stack.context()),
        KeptStack{stack.context()}, [this](boost::context::fiber &&from) {
          resumer = std::move(from);
          try {
            body();
          } catch (...) {
            failure = std::current_exception();
          }
          done = true;
          return std::move(resumer);
        });
  }

  /// Runs the function until it suspends itself or has finished. Throws what the function threw.
  void resume() {
    self.fiber = std::move(self.fiber).resume();
    if (failure)
      std::rethrow_exception(std::exchange(failure, nullptr));
  }

  /// Returns to the caller of `resume`. To be called on the fiber itself.
  void suspend() { resumer = std::move(resumer).resume(); }

  bool finished() const { return done; }
  const FiberStack &ownStack() const { return stack; }

private:
  /// The stack belongs to the Fiber, which starts the next function on it.
  struct KeptStack {
    boost::context::stack_context stack;
    boost::context::stack_context allocate() const { return stack; }
    void deallocate(boost::context::stack_context &) const {}
  };
  /// Its content is never destroyed; see ~Fiber.
  union Undestroyed {
    boost::context::fiber fiber;
    Undestroyed() : fiber() {}
    ~Undestroyed() {}
  };

  FiberStack stack;
  std::function<void()> body;
  Undestroyed self;
  boost::context::fiber resumer;
  std::exception_ptr failure;
  bool done = true;
};

} // namespace qdadvise::sim
