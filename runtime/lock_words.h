// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a lock is taken, read from its own word: one small function per algorithm.
// A reader only looks; what it sees may be old in the next instant.
#pragma once

#include "runtime/event.h"

#include <cstdint>

namespace qdadvise::runtime {

/// Returns 0, eventTaken (by somebody else) or eventMine. `self` is the thread's kernel id.
using LockWordReader = std::uint32_t (*)(const void *lock, std::uint32_t self, bool shared);

/// By LockKind; null where an algorithm has no word that we know.
inline constexpr unsigned lockKindCount = 6;
extern const LockWordReader lockWordReaders[lockKindCount];

inline LockWordReader lockWordReader(LockKind kind) {
  const auto index = static_cast<unsigned>(kind);
  return index < lockKindCount ? lockWordReaders[index] : nullptr;
}

} // namespace qdadvise::runtime
