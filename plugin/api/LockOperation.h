// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function does to its locks: the value that every source of knowledge about lock APIs
// returns, and that hooks are made of.
#pragma once

#include "runtime/abi/site_record.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace qdadvise {

// Initialisers may leave out only members that have a default: the compiler warns of others.
// NOLINTBEGIN(readability-redundant-member-init)

/// How to reach a lock's address from a call: take argument `argument`, then for
/// each offset add it and load a pointer, and at last add `plus`. `{0, {}}` is the first argument
/// itself; `{0, {8}}` is the pointer stored 8 bytes into what the first argument points to
/// (a guard's reference to its lock).
struct AddressPath {
  unsigned argument = 0;
  llvm::SmallVector<std::uint64_t, 1> loads;
  std::uint64_t plus = 0;
  std::string global{}; ///< mangled; not empty: the address of this variable instead of an argument

  bool operator==(const AddressPath &) const = default;
};

/// How the caller sees that an acquisition succeeded.
enum class Success {
  always,    ///< returning is success
  zero,      ///< an integer result of 0 (pthreads)
  nonZero,   ///< a result of true
  ownsField, ///< the bool at `ownsOffset` of argument 0 after the call (unique_lock)
  minusOne,  ///< an integer result of -1 (std::try_lock)
};

/// What a callee does to its locks.
struct LockOperation {
  SiteRole role = SiteRole::acquire;
  LockKind kind = LockKind::unknown;
  std::uint32_t flags = 0; ///< SiteFlags
  /// More than one: scoped_lock<A, B>. None: a block; a wrapper or a spawn that is given no lock.
  llvm::SmallVector<AddressPath, 1> locks = {};
  Success success = Success::always;
  std::uint64_t ownsOffset = 0;
  /// Release only if the bool at ownsOffset of argument 0 is set before the call (unique_lock).
  bool onlyIfOwned = false;
  /// A wrapper that waits: it gives up what its caller holds, and takes it again.
  bool waits = false;
  std::string lockType = {}; ///< as written: `std::mutex`, `pthread_mutex_t`, `my::Mutex`
};

// NOLINTEND(readability-redundant-member-init)

/// What a source of knowledge about lock APIs says of a function that it knows: an operation, or
/// that it is none.
struct LockAnswer {
  std::optional<LockOperation> operation;
};

/// Does a site of that role begin a critical section?
inline bool takesLock(SiteRole role) {
  return role == SiteRole::acquire || role == SiteRole::wait || role == SiteRole::wrapper;
}

} // namespace qdadvise
