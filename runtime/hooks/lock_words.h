// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a lock is taken, read from its own word: one small function per algorithm.
// A reader only looks; what it sees may be old in the next instant.
#pragma once

#include "runtime/abi/site_record.h"
#include "runtime/events/event.h"

#include <cstdint>

namespace qdadvise::runtime {

/// Returns 0, eventTaken (by somebody else), eventTaken | eventByWriter (of locks for readers
/// and writers) or eventMine. `self` is the thread's kernel id.
using LockWordReader = std::uint32_t (*)(const void *lock, std::uint32_t self, bool shared);

inline std::uint32_t wordAt(const void *lock, unsigned offset) {
  const auto *const word =
      reinterpret_cast<const std::uint32_t *>(static_cast<const char *>(lock) + offset);
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/// Asks for a lock's cache line as taking the lock will: to look at its word first would be to
/// fetch the line twice where another core has it, to read and then to write.
inline void expectToTake(const void *lock) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*static_cast<const char *>(lock)));
#else
  __builtin_prefetch(lock, 1);
#endif
}

/// The commonest readers, here for hooks to inline.
inline std::uint32_t readPthreadMutex(const void *lock, std::uint32_t self, bool) {
  expectToTake(lock);
  if (wordAt(lock, 0) == 0)
    return 0;
  return wordAt(lock, 8) == self ? eventMine : eventTaken;
}

inline std::uint32_t readPthreadRwlock(const void *lock, std::uint32_t, bool shared) {
  expectToTake(lock);
  constexpr std::uint32_t writePhase = 1, writeLocked = 2, readersWait = 4;
  const std::uint32_t readers = wordAt(lock, 0);
  // A writer that still waits for readers does not stop another reader.
  if ((readers & (writePhase | writeLocked)) == (writePhase | writeLocked))
    return eventTaken | eventByWriter;
  return !shared && (readers & ~(writePhase | readersWait)) != 0 ? eventTaken : 0;
}

/// One more than the highest number of a lock kind that programs have.
inline constexpr unsigned lockKindCount = [] {
  unsigned most = 0;
#define COUNT(number) most = (number) > most ? (number) : most;
#define LIBRARY_LOCK(kind, number, ...) COUNT(number)
#define SHIPPED_LOCK(kind, number, ...) COUNT(number)
#define LOCK_API(kind, number, ...) COUNT(number)
#include "runtime/abi/LockAlgorithms.def"
#undef COUNT
  return most + 1;
}();

struct LockWordReaders {
  LockWordReader byNumber[lockKindCount] = {};
};
extern const LockWordReaders lockWordReaders;

/// Null where an algorithm has no word that we know.
inline LockWordReader lockWordReader(LockKind kind) {
  const auto number = static_cast<unsigned>(kind);
  return number < lockKindCount ? lockWordReaders.byNumber[number] : nullptr;
}

/// Flags of an attempt's event (eventTaken and so on), as the lock's own word says just now.
inline std::uint32_t readLockWord(const SiteRecord &site, std::uint32_t self, const void *address) {
  const bool shared = (site.flags & siteShared) != 0;
  if (site.kind == LockKind::pthreadMutex)
    return readPthreadMutex(address, self, shared);
  if (site.kind == LockKind::pthreadRwlock)
    return readPthreadRwlock(address, self, shared);
  const LockWordReader reader = lockWordReader(site.kind);
  return reader ? reader(address, self, shared) : 0;
}

/// The same where the hook of an attempt sees the lock's word without a call.
inline __attribute__((always_inline)) bool readAtOnce(const SiteRecord &site, std::uint32_t self,
                                                      const void *address, std::uint32_t &what) {
  if (site.kind == LockKind::pthreadMutex)
    what |= readPthreadMutex(address, self, false);
  else if (site.kind == LockKind::pthreadRwlock)
    what |= readPthreadRwlock(address, self, (site.flags & siteShared) != 0);
  else
    return site.kind == LockKind::unknown;
  return true;
}

} // namespace qdadvise::runtime
