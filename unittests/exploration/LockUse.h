// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks what a lock must promise while threads use all of its operations.
#pragma once

#include "unittests/exploration/ExploredLocks.h"

#include "advisor/sim/SimulatedMemory.h"
#include "unittests/exploration/Plain.h"

#include <array>
#include <memory>

namespace qdadvise::sim {

template <typename Lock>
concept Delegating = requires(Lock &lock) { lock.delegate([] {}); };
template <typename Lock>
concept Detaching = requires(Lock &lock) { lock.delegate_detached([] {}); };
template <typename Lock>
concept SharedLockable = requires(Lock &lock) {
  lock.lock_shared();
  lock.try_lock_shared();
  lock.unlock_shared();
};

template <typename Lock> std::string_view operationsOf() {
  if constexpr (Delegating<Lock>) {
    if constexpr (SharedLockable<Lock>)
      return Detaching<Lock> ? "ltdDsSx" : "ltdsSx";
    else
      return Detaching<Lock> ? "ltdDx" : "ltdx";
  } else {
    return SharedLockable<Lock> ? "ltsS" : "lt";
  }
}

/// A lock and the data that it protects. All data are Plain, so that missing order is found as a
/// race, in sections and in the values that delegation passes.
template <typename Lock> class LockUse {
public:
  explicit LockUse(const Mix &mix) {
    for (const char letter : mix)
      if (letter == ' ')
        ++threads;
      else
        asked[threads] += letter;
    ++threads;
  }

  void run(unsigned thread) {
    int done = 0;
    for (std::size_t i = 0; i < asked[thread].size(); ++i)
      done += perform(asked[thread][i], Section{thread, static_cast<unsigned>(i), done});
    certain[thread] = done;
  }

  void afterwards() {
    int all = 0;
    for (unsigned thread = 0; thread < threads; ++thread) {
      require(executed[thread] == certain[thread], "an operation was not executed exactly once");
      all += certain[thread];
    }
    require(first == all && second == all, "a section got lost");
    require(!lock.looks_taken(), "the lock looks taken when nobody has it");
    require(lock.try_lock(), "the lock can't be taken when nobody has it");
  }

  std::vector<NamedMemory> names() {
    return {{&lock, sizeof(lock), "lock"},
            {&first, sizeof(first), "first"},
            {&second, sizeof(second), "second"},
            {&times, sizeof(times), "times"},
            {&executed, sizeof(executed), "executed"}};
  }

  unsigned threadCount() const { return threads; }

private:
  static constexpr unsigned maxOperations = 8;

  /// The `number`th operation of a thread, and how many earlier ones of the thread are certain to
  /// be executed, or have been.
  struct Section {
    unsigned thread;
    unsigned number;
    int before;
  };

  /// A section under the lock. Returns a value that is different for each section.
  int write(const Section &section) {
    first = first + 1;
    Plain<int> &mine = times[section.thread * maxOperations + section.number];
    mine = mine + 1;
    require(mine == 1, "an operation was executed twice");
    // The operations of a thread come in the order in which it asked for them.
    require(executed[section.thread] == section.before, "an operation overtook an earlier one");
    executed[section.thread] = section.before + 1;
    second = second + 1;
    require(first == second, "two threads were inside at a time");
    return static_cast<int>(section.thread * maxOperations + section.number);
  }

  /// A section under the lock in shared mode.
  void read(const Section &section) {
    require(first == second, "a reader came into a section");
    require(executed[section.thread] == section.before, "a reader overtook its own operation");
  }

  /// Returns how many counted sections the operation has.
  int perform(char letter, const Section &section) {
    switch (letter) {
    case 'l':
      lock.lock();
      write(section);
      lock.unlock();
      return 1;
    case 't':
      if (!lock.try_lock())
        return 0;
      write(section);
      lock.unlock();
      return 1;
    default:
      break;
    }
    if constexpr (SharedLockable<Lock>)
      if (letter == 's' || letter == 'S')
        return share(letter, section);
    if constexpr (Detaching<Lock>)
      if (letter == 'D') {
        lock.delegate_detached([this, section] { write(section); });
        return 1;
      }
    if constexpr (Delegating<Lock>)
      delegate(letter == 'x', section);
    return 1;
  }

  int share(char letter, const Section &section) {
    if (letter == 's')
      lock.lock_shared();
    else if (!lock.try_lock_shared())
      return 0;
    read(section);
    lock.unlock_shared();
    return 0;
  }

  void delegate(bool throws, const Section &section) {
    // The values that are passed to the helper, and back.
    Plain<int> argument, result;
    argument = 1;
    const auto operation = [&] {
      require(argument == 1, "a helper saw an operation that was not ready");
      const int value = write(section);
      result = value + 1;
      if (throws)
        throw value;
      return value;
    };
    int value = -1;
    try {
      value = lock.delegate(operation);
    } catch (const int thrown) {
      value = thrown;
    }
    require(value == static_cast<int>(section.thread * maxOperations + section.number),
            "a delegation returned what is not its operation's");
    require(result == value + 1, "a delegation returned before its operation was executed");
  }

  Lock lock;
  unsigned threads = 0;
  std::array<std::string, maxExploredThreads> asked;
  /// Equal while no thread is inside.
  Plain<int> first, second;
  std::array<Plain<int>, maxExploredThreads * maxOperations> times;
  std::array<Plain<int>, maxExploredThreads> executed;
  std::array<int, maxExploredThreads> certain{};
};

template <typename Lock> ProgramFactory programOf(const Mix &mix) {
  return [mix] {
    const auto use = std::make_shared<LockUse<Lock>>(mix);
    Program program;
    for (unsigned thread = 0; thread < use->threadCount(); ++thread)
      program.threads.emplace_back([use, thread] { use->run(thread); });
    program.afterwards = [use] { use->afterwards(); };
    program.names = use->names();
    return program;
  };
}

template <typename Lock> ExploredLock exploredLock(std::string_view name) {
  return {name, operationsOf<Lock>(), programOf<Lock>};
}

} // namespace qdadvise::sim
