// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads with the same start routine are a thread class. The runtime stands before
// pthread_create to learn the routines; threads it did not see begin are `thread`.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

struct ThreadClassInfo {
  const char *name;
  const char *file;
  std::uint32_t line;
  std::uint32_t count;
  std::uint32_t alive;
  std::uint32_t maxAlive;
  const void *routine; ///< null: known by name only
};

inline constexpr std::uint32_t mainThreadClass = 0;
inline constexpr std::uint32_t unknownThreadClass = 1;

std::uint32_t threadClassCount();
const ThreadClassInfo &threadClassInfo(std::uint32_t index);
/// The class of a start routine; `argument` tells what std::thread would run.
std::uint32_t threadClassOfRoutine(const void *routine, const void *argument);
std::uint32_t threadClassOfName(const char *name);
/// The class of threads that run a function as the plugin names it.
std::uint32_t threadClassOfSpawn(const char *function, const char *file, std::uint32_t line);

/// A thread of the class begins or ends.
void noteThreadBegin(std::uint32_t threadClass);
void noteThreadEnd(std::uint32_t threadClass);
/// A thread of one class is of another one from here on.
void noteClassChange(std::uint32_t from, std::uint32_t to);
std::uint32_t maxThreadsAlive();
std::uint32_t threadsSeen();
/// Held across fork.
void lockThreadClasses();
void unlockThreadClasses();
/// Tells the child of a fork that only this thread, of this class, is alive, if it is known.
void forgetThreads(std::uint32_t ownClass, bool isKnown);

} // namespace qdadvise::runtime
