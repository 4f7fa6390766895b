// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that are taken in code without hooks: by another compiler, in libraries that were not built
// for recording. A library of ours that is preloaded (preload.cpp) stands before the functions that
// take locks, and asks the runtime whether a hook tells of it. What is neither preloaded nor here
// costs nothing.
#pragma once

#include "runtime/abi/site_record.h"
#include "runtime/events/event.h"
#include "runtime/unseen/counted_modules.h"

namespace qdadvise::runtime {

/// What the preloaded library and the runtime share.
struct UnseenLocks {
  std::uint32_t version;
  /// Whether a lock that the calling thread has just taken is one to count. Null: none is.
  bool (*isUnseen)();
  CountedModules *modules;
};
inline constexpr std::uint32_t unseenLocksVersion = 1;
#define QDADVISE_UNSEEN_LOCKS "qdadviseUnseenLocks" ///< its symbol
#define QDADVISE_UNSEEN_LIBRARY "libqdadvise_unseen.so"

/// Whether a thread whose events these are is in no operation that takes a lock, so that a lock
/// that it takes is none of such an operation.
inline bool isOutsideOperations(const Event *begin, const Event *end, const SiteTraits *sites) {
  if (begin == end)
    return true;
  const Event &last = end[-1];
  if (instantOf(last) == Instant::attempt && sites[siteOf(last)].role == SiteRole::acquire)
    return false;
  // A wait takes its lock again. Before, it may use locks of its own that have hooks, as
  // std::condition_variable_any does.
  constexpr unsigned mostInWait = 16;
  for (unsigned back = 0; back < mostInWait && end != begin; ++back) {
    const Instant instant = instantOf(*--end);
    if (instant == Instant::wait || instant == Instant::wake)
      return instant == Instant::wake;
  }
  return true;
}

/// Looks for the preloaded library, and has it count.
void connectUnseenLocks();
/// Has it count no more.
void disconnectUnseenLocks();
/// What was counted; null where the library is not preloaded.
const CountedModules *unseenLocks();
/// Leaves one in 2^shift of what was counted.
void thinUnseenLocks(unsigned shift);
/// Counts from zero.
void forgetUnseenLocks();

} // namespace qdadvise::runtime
