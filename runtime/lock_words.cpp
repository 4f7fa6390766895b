// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See lock_words.h. Offsets are glibc's (nptl/bits/struct_mutex.h, struct_rwlock.h
// of x86-64 and AArch64), which its ABI has fixed.
#include "runtime/lock_words.h"

namespace qdadvise::runtime {

namespace {

std::uint32_t readPthreadSpin(const void *lock, std::uint32_t, bool) {
#if defined(__x86_64__)
  return static_cast<std::int32_t>(wordAt(lock, 0)) <= 0 ? eventTaken : 0; // 1 is free
#else
  return wordAt(lock, 0) != 0 ? eventTaken : 0;
#endif
}

std::uint32_t readPthreadRwlock(const void *lock, std::uint32_t, bool shared) {
  constexpr std::uint32_t writePhase = 1, writeLocked = 2;
  constexpr unsigned readerShift = 3;
  const std::uint32_t readers = wordAt(lock, 0);
  // A writer that still waits for readers does not stop another reader.
  const bool taken = shared ? (readers & (writePhase | writeLocked)) == (writePhase | writeLocked)
                            : (readers & writeLocked) != 0 || readers >> readerShift != 0;
  return taken ? eventTaken : 0;
}

/// qdadvise::spinlock and qdadvise::qd_lock begin with a word that is 0 when free.
std::uint32_t readFirstWord(const void *lock, std::uint32_t, bool) {
  return wordAt(lock, 0) != 0 ? eventTaken : 0;
}

} // namespace

const LockWordReader lockWordReaders[lockKindCount] = {
    nullptr, readPthreadMutex, readPthreadSpin, readPthreadRwlock, readFirstWord, readFirstWord};

} // namespace qdadvise::runtime
