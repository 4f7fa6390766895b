// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A virtual machine without time, which runs one schedule of a program as Choices decides it.
//
// Each thread stands before its next action on shared memory. The chosen thread does its action,
// and all that follows up to its next one. Accesses to plain data are no actions of their own: if
// the order of two of them matters, nothing orders them, and that is found in any order. A thread
// that spins or sleeps goes on to its next action as soon as its wait ends, which no other thread
// can notice.
#pragma once

#include "advisor/sim/Fiber.h"
#include "advisor/sim/VirtualMachine.h"
#include "unittests/exploration/Choices.h"
#include "unittests/exploration/HappensBefore.h"
#include "unittests/exploration/ScheduleTrace.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise::sim {

class ExploringMachine final : public VirtualMachine {
public:
  struct Outcome {
    bool cut = false; ///< the choices have given the schedule up
    std::uint32_t steps = 0;
    std::optional<Failure> failure;
  };
  /// With `printed`, a failure contains the steps.
  Outcome run(const Program &program, Choices &choices, const Limits &limits, bool printed = false);

  /// Ends the schedule that runs on this host thread, if there is one, and does not return then.
  static void fail(FailureKind kind, std::string message);

  void access(const Access &access) noexcept override;
  void settled(const void *address, bool wrote, std::memory_order order) noexcept override;
  void created(const void *address) noexcept override;
  void plainAccess(const void *address, std::size_t size, bool writes) noexcept override;
  void spin(const SpinTarget &target, unsigned &turns) noexcept override;
  /// Does nothing: another thread can come at the next action anyway.
  void backOff(unsigned) noexcept override {}
  void futexWait(const void *word, std::uint32_t expected) noexcept override;
  void futexWake(const void *word, int count) noexcept override;
  void yield() noexcept override;
  std::uint64_t now() noexcept override;
  unsigned threadIndex() noexcept override { return running; }

private:
  enum class State : std::uint8_t {
    ready,    ///< stands before `next`
    spinning, ///< until `target` changes
    asleep,   ///< at the futex `next.address`
    released, ///< at the end of its wait
    ended
  };
  struct Thread {
    Fiber fiber;
    Action next;
    State state = State::ended;
    SpinTarget target;
    const void *lastRead = nullptr;  ///< the atomic that its last action has read
    unsigned pauses = 0;             ///< in a row, without a step of another thread in between
    std::uint64_t now = 0;           ///< the time for this thread, in ns
    std::uint32_t timesLookedAt = 0; ///< how often the thread has read the clock
  };

  void start(const Program &program);
  void goOn();
  void resume(unsigned thread);
  void takeOn();
  bool anyReleased() const;
  unsigned decide();
  void act(const Action &action);
  void stop();
  bool countStep();
  void give(FailureKind kind, std::string message);
  std::string whoWaits() const;
  unsigned pick(unsigned count);
  void waitAlone(const void *address);
  void raced(const HappensBefore::Race &race, const void *address, bool writes);

  std::vector<std::unique_ptr<Thread>> pool; ///< kept, for their stacks
  unsigned count = 0;                        ///< threads of the program
  unsigned running = 0;                      ///< the thread whose code runs
  unsigned last = 0;                         ///< the thread that acted last; at first none
  unsigned chosen = Choices::none;           ///< the thread that is to act
  ThreadSet waiting = 0;                     ///< threads that spin or are released
  ThreadSet sleepers = 0;
  ThreadSet readyThreads = 0;
  unsigned wakeUpsLeft = 0;
  bool takingOn = false; ///< threads run up to their next action only
  bool alone = false;    ///< `afterwards` runs, and there is nothing to decide
  bool over = false;
  Crossroads crossroads;
  HappensBefore order;
  std::string made; ///< the choices so far
  Choices *choices = nullptr;
  Limits limits;
  Outcome outcome;
  ScheduleTrace trace;
};

} // namespace qdadvise::sim
