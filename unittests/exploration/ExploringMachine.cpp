// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unittests/exploration/ExploringMachine.h"

#include <fmt/format.h>

namespace qdadvise::sim {

namespace {

/// A digit for a choice, letters beyond nine.
char digit(unsigned choice) { return "0123456789abcdefghijklmnopqrstuvwxyz"[choice]; }

/// The machine that runs on this host thread.
thread_local ExploringMachine *machine = nullptr;

} // namespace

ExploringMachine::Outcome ExploringMachine::run(const Program &program, Choices &chooser,
                                                const Limits &bounds, bool printed) {
  choices = &chooser;
  limits = bounds;
  outcome = {};
  made.clear();
  order.begin();
  VirtualMachine *const outer = std::exchange(current, this);
  ExploringMachine *const outerMachine = std::exchange(machine, this);
  start(program);
  std::vector<StackRange> stacks;
  if (printed)
    for (unsigned i = 0; i < count; ++i)
      stacks.push_back({pool[i]->fiber.ownStack().begin(), pool[i]->fiber.ownStack().end()});
  trace.begin(&program.names, std::move(stacks), printed);
  while (!over)
    goOn();
  if (!outcome.failure && !outcome.cut && program.afterwards) {
    over = false;
    alone = true;
    pool[0]->fiber.start(program.afterwards);
    resume(0);
  }
  trace.settle();
  if (outcome.failure && printed)
    outcome.failure->steps = trace.text();
  machine = outerMachine;
  current = outer;
  return std::move(outcome);
}

void ExploringMachine::start(const Program &program) {
  count = static_cast<unsigned>(program.threads.size());
  while (pool.size() < count || pool.empty())
    pool.push_back(std::make_unique<Thread>());
  last = maxExploredThreads;
  chosen = Choices::none;
  sleepers = readyThreads = 0;
  wakeUpsLeft = limits.spuriousWakeUps;
  takingOn = alone = over = false;
  waiting = only(count) - 1; // with nothing done yet, to their first action
  for (unsigned i = 0; i < count; ++i) {
    Thread &thread = *pool[i];
    thread.fiber.start(program.threads[i]);
    thread.state = State::released;
    thread.lastRead = nullptr;
    thread.pauses = 0;
    thread.now = 0;
    thread.timesLookedAt = 0;
  }
}

/// Runs threads until one of them suspends itself. It is called on the host's stack.
void ExploringMachine::goOn() {
  takeOn();
  if (over)
    return;
  if (chosen == Choices::none)
    chosen = decide();
  if (!over)
    resume(std::exchange(chosen, Choices::none));
}

/// Runs a thread until it suspends itself.
void ExploringMachine::resume(unsigned thread) {
  running = thread;
  Thread &self = *pool[thread];
  try {
    self.fiber.resume();
  } catch (const std::exception &exception) {
    give(FailureKind::exception, fmt::format("thread {} threw: {}", thread, exception.what()));
  } catch (...) {
    give(FailureKind::exception, fmt::format("thread {} threw something", thread));
  }
  if (self.fiber.finished() && !over) {
    self.state = State::ended;
    readyThreads &= ~only(thread);
  }
}

bool ExploringMachine::anyReleased() const {
  for (ThreadSet rest = waiting; rest != 0; rest &= rest - 1) {
    const Thread &thread = *pool[first(rest)];
    if (thread.state == State::released || thread.target.changed())
      return true;
  }
  return false;
}

/// Runs all threads whose wait is over up to their next action.
void ExploringMachine::takeOn() {
  takingOn = true;
  for (ThreadSet rest = waiting; rest != 0 && !over; rest &= rest - 1) {
    Thread &thread = *pool[first(rest)];
    if (thread.state != State::released && !thread.target.changed())
      continue;
    waiting &= ~only(first(rest));
    resume(first(rest));
  }
  takingOn = false;
}

/// Returns the thread that acts next. There is none at the end of a schedule.
unsigned ExploringMachine::decide() {
  trace.settle();
  if (readyThreads == 0) {
    if ((waiting | sleepers) != 0)
      give(FailureKind::deadlock, "all threads that are left wait: " + whoWaits());
    over = true;
    return Choices::none;
  }
  crossroads.ready = readyThreads;
  crossroads.asleep = wakeUpsLeft > 0 ? sleepers : 0;
  crossroads.last = last;
  const bool couldGoOn = holds(readyThreads, last);
  crossroads.interrupts = couldGoOn;
  if (couldGoOn && pool[last]->next.kind == ActionKind::pause) {
    crossroads.interrupts = false;
    // A loop that waits this way sees nothing new before another thread has acted.
    if (pool[last]->pauses > 1 && readyThreads != only(last))
      crossroads.ready &= ~only(last);
  }
  const unsigned next = choices->thread(crossroads);
  const ThreadSet options = crossroads.ready | crossroads.asleep;
  if (next == Choices::none) {
    outcome.cut = over = true;
    return next;
  }
  if (next >= count || !holds(options, next)) {
    give(FailureKind::wrongChoices,
         fmt::format("step {}: the choices say thread {}, which can't go on", outcome.steps + 1,
                     next));
    return Choices::none;
  }
  if (!std::has_single_bit(options))
    made += digit(next);
  return next;
}

/// Returns when this thread is to do `action`. It is called on a fiber.
void ExploringMachine::act(const Action &action) {
  Thread &self = *pool[running];
  const unsigned me = running;
  self.next = action;
  self.state = State::ready;
  readyThreads |= only(me);
  crossroads.next[me] = action;
  if (!takingOn && !anyReleased())
    chosen = decide();
  if (chosen == me)
    chosen = Choices::none;
  else
    self.fiber.suspend();
  if (me != last) {
    for (unsigned i = 0; i < count; ++i)
      pool[i]->pauses = 0;
    last = me;
  }
  if (!countStep())
    stop();
  trace.step(outcome.steps, me, action);
}

bool ExploringMachine::countStep() {
  if (++outcome.steps <= limits.steps)
    return true;
  give(FailureKind::livelock,
       fmt::format("{} steps, and no end: thread {} still runs", limits.steps, running));
  return false;
}

/// Leaves the fiber on which it is called for ever.
void ExploringMachine::stop() {
  over = true;
  pool[running]->fiber.suspend();
}

void ExploringMachine::give(FailureKind kind, std::string message) {
  over = true;
  if (!outcome.failure)
    outcome.failure = Failure{kind, std::move(message), made, std::nullopt, {}};
}

void ExploringMachine::fail(FailureKind kind, std::string message) {
  if (!machine)
    return;
  machine->give(kind, std::move(message));
  machine->stop();
}

std::string ExploringMachine::whoWaits() const {
  std::string all;
  for (unsigned i = 0; i < count; ++i) {
    const Thread &thread = *pool[i];
    if (thread.state == State::spinning)
      all += fmt::format("{}thread {} for {} to change", all.empty() ? "" : ", ", i,
                         trace.describe(thread.target.address));
    else if (thread.state == State::asleep)
      all += fmt::format("{}thread {} asleep at {}", all.empty() ? "" : ", ", i,
                         trace.describe(thread.next.address));
  }
  return all;
}

unsigned ExploringMachine::pick(unsigned things) {
  if (things == 1)
    return 0;
  const unsigned picked = choices->pick(things);
  if (picked >= things) {
    give(FailureKind::wrongChoices,
         fmt::format("step {}: the choices say {} of {} things", outcome.steps, picked, things));
    stop();
  }
  made += digit(picked);
  return picked;
}

void ExploringMachine::access(const Access &access) noexcept {
  if (alone)
    return;
  // ActionKind begins with the kinds of accesses.
  act({access.address, static_cast<std::uint32_t>(access.size),
       static_cast<ActionKind>(access.kind), access.order});
  pool[running]->lastRead = access.kind == AccessKind::store ? nullptr : access.address;
  switch (access.kind) {
  case AccessKind::load:
    order.load(running, access.address, access.order);
    break;
  case AccessKind::store:
    order.store(running, access.address, access.order);
    break;
  case AccessKind::update:
    order.update(running, access.address, access.order);
    break;
  case AccessKind::compareExchange:
    break; // see settled
  }
}

void ExploringMachine::settled(const void *address, bool wrote,
                               std::memory_order memoryOrder) noexcept {
  if (alone)
    return;
  if (wrote)
    order.update(running, address, memoryOrder);
  else
    order.load(running, address, memoryOrder);
  if (!wrote && trace.wanted())
    trace.failed();
}

void ExploringMachine::created(const void *address) noexcept {
  if (!alone)
    order.create(address);
}

void ExploringMachine::plainAccess(const void *address, std::size_t, bool writes) noexcept {
  if (alone)
    return;
  const std::uint32_t step = outcome.steps;
  if (trace.wanted())
    trace.note(step, running,
               fmt::format("{} {}", writes ? "writes" : "reads", trace.describe(address)));
  const auto race =
      writes ? order.write(running, address, step) : order.read(running, address, step);
  if (race)
    raced(*race, address, writes);
}

void ExploringMachine::raced(const HappensBefore::Race &race, const void *address, bool writes) {
  give(FailureKind::dataRace,
       fmt::format("thread {} {} {} after step {}, and nothing orders that after thread {}, which "
                   "{} it after step {}",
                   running, writes ? "writes" : "reads", trace.describe(address), outcome.steps,
                   race.thread, race.wrote ? "wrote" : "read", race.step));
  stop();
}

/// Fails: during `afterwards` no other thread could end the wait.
void ExploringMachine::waitAlone(const void *address) {
  give(FailureKind::deadlock, fmt::format("when all threads have ended, {} is waited for for ever",
                                          trace.describe(address)));
  stop();
}

void ExploringMachine::spin(const SpinTarget &target, unsigned &turns) noexcept {
  if (alone) {
    if (!target.changed())
      waitAlone(target.address);
    return;
  }
  ++turns;
  Thread &self = *pool[running];
  // If the word has just been read, that access was the look.
  if (self.lastRead != target.address)
    act({target.address, static_cast<std::uint32_t>(target.size), ActionKind::look,
         std::memory_order_relaxed});
  self.lastRead = nullptr;
  if (target.changed())
    return;
  self.target = target;
  self.state = State::spinning;
  waiting |= only(running);
  readyThreads &= ~only(running);
  self.fiber.suspend();
}

void ExploringMachine::futexWait(const void *word, std::uint32_t expected) noexcept {
  if (alone) {
    if (std::memcmp(word, &expected, sizeof(expected)) == 0)
      waitAlone(word);
    return;
  }
  act({word, sizeof(expected), ActionKind::sleep, std::memory_order_relaxed});
  Thread &self = *pool[running];
  const unsigned me = running;
  self.lastRead = nullptr;
  if (std::memcmp(word, &expected, sizeof(expected)) != 0)
    return;
  self.state = State::asleep;
  sleepers |= only(me);
  readyThreads &= ~only(me);
  self.next.kind = crossroads.next[me].kind = ActionKind::wakeUp;
  self.fiber.suspend();
  if (self.state == State::released)
    return;
  // The thread was chosen without having been woken.
  sleepers &= ~only(me);
  --wakeUpsLeft;
  if (!countStep())
    stop();
  last = me;
  trace.step(outcome.steps, me, self.next);
}

/// Wakes any of the sleepers, since the order in which they came promises nothing.
void ExploringMachine::futexWake(const void *word, int wanted) noexcept {
  if (alone)
    return;
  act({word, sizeof(std::uint32_t), ActionKind::wake, std::memory_order_relaxed});
  ThreadSet there = 0;
  for (ThreadSet rest = sleepers; rest != 0; rest &= rest - 1)
    if (pool[first(rest)]->next.address == word)
      there |= only(first(rest));
  for (; there != 0 && wanted > 0; --wanted) {
    const auto left = static_cast<unsigned>(std::popcount(there));
    ThreadSet rest = there;
    if (static_cast<unsigned>(wanted) < left)
      for (unsigned skip = pick(left); skip > 0; --skip)
        rest &= rest - 1;
    const unsigned woken = first(rest);
    there &= ~only(woken);
    sleepers &= ~only(woken);
    pool[woken]->state = State::released;
    waiting |= only(woken);
    if (trace.wanted())
      trace.note(outcome.steps, running, fmt::format("wakes thread {}", woken));
  }
}

void ExploringMachine::yield() noexcept {
  if (alone)
    return;
  ++pool[running]->pauses;
  act({nullptr, 0, ActionKind::pause, std::memory_order_relaxed});
}

std::uint64_t ExploringMachine::now() noexcept {
  Thread &self = *pool[running];
  constexpr std::uint64_t second = 1'000'000'000;
  // The first look of a thread has nothing to be compared with.
  if (!alone && self.timesLookedAt++ > 0 && self.now < limits.secondsPassed * second &&
      pick(2) == 1)
    self.now += second;
  return self.now;
}

} // namespace qdadvise::sim
