// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See lock_words.h. Offsets are glibc's (nptl/bits/struct_mutex.h, struct_rwlock.h
// of x86-64 and AArch64), which its ABI has fixed.
#include "runtime/hooks/lock_words.h"

#include <qdadvise/locks/all_locks.h>

namespace qdadvise::runtime {

namespace {

std::uint32_t readPthreadSpin(const void *lock, std::uint32_t, bool) {
#if defined(__x86_64__)
  return static_cast<std::int32_t>(wordAt(lock, 0)) <= 0 ? eventTaken : 0; // 1 is free
#else
  return wordAt(lock, 0) != 0 ? eventTaken : 0;
#endif
}

/// qdadvise::spinlock and qdadvise::qd_lock begin with a word that is 0 when free.
std::uint32_t readFirstWord(const void *lock, std::uint32_t, bool) {
  return wordAt(lock, 0) != 0 ? eventTaken : 0;
}

/// Asks a lock whose state is more than a word. Readers of a lock for readers and writers are not
/// in each other's way.
template <typename Lock> std::uint32_t readOurs(const void *lock, std::uint32_t, bool shared) {
  const Lock &ours = *static_cast<const Lock *>(lock);
  if constexpr (requires { ours.word() & ours.taken; }) {
    if (ours.word() & ours.taken)
      return eventTaken | eventByWriter;
    if (shared)
      return 0;
  }
  return ours.looks_taken() ? eventTaken : 0;
}

constexpr LockWordReaders readersInTable() {
  LockWordReaders readers;
#define ADD_READER(number, reader) readers.byNumber[number] = reader;
#define LIBRARY_LOCK(kind, number, name, label, reader, ...) ADD_READER(number, reader)
#define SHIPPED_LOCK(kind, number, name, label, lock, reader, ...) ADD_READER(number, reader)
#define LOCK_API(kind, number, name, reader, algorithm) ADD_READER(number, reader)
#include "runtime/abi/LockAlgorithms.def"
#undef ADD_READER
  return readers;
}

} // namespace

constinit const LockWordReaders lockWordReaders = readersInTable();

} // namespace qdadvise::runtime
