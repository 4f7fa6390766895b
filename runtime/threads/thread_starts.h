// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread is told by the one that starts it; used again when it has begun.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

using StartRoutine = void *(*)(void *);

struct ThreadStart {
  StartRoutine routine;
  void *argument;
  std::uint32_t classPlusOne; ///< if the one that starts it knew it, else 0
  ThreadStart *nextFree;
};

/// Null when out of memory.
ThreadStart *takeStart();
void giveBackStart(ThreadStart *start);
/// Held across fork.
void lockStarts();
void unlockStarts();

} // namespace qdadvise::runtime
