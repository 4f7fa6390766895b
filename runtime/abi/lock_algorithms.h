// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of lock algorithms (LockAlgorithms.def) as an enum and as rows. Needs no library.
#pragma once

#include <cstdint>

namespace qdadvise {

/// A lock algorithm, or a lock API of the C library. The numbers are those of site records and
/// profiles.
enum class LockKind : std::uint32_t {
  unknown = 0, ///< a type of the user's own: what it is shows in the operations inside
#define LOCK_YARDSTICK(kind, number, ...) kind = (number),
#define LIBRARY_LOCK(kind, number, ...) kind = (number),
#define SHIPPED_LOCK(kind, number, ...) kind = (number),
#define LOCK_API(kind, number, ...) kind = (number),
#include "runtime/abi/LockAlgorithms.def"
};

/// What the models take a lock for.
enum class LockStationType {
  ideal,      ///< a queue that costs nothing
  mutex,      ///< waiters sleep: glibc's mutex
  rwlock,     ///< the same of glibc's reader-writer lock
  handoff,    ///< waiters spin until the lock is handed to them
  delegation, ///< waiters leave their sections to the holder
};

/// Transfers of cache lines, one after the other, as far as models go by them. The C library's
/// locks read their line before they write it.
struct LockAccesses {
  double alone = 1;   ///< to take the lock where it is free
  double release = 0; ///< until who releases it may go on, where others wait
  /// More for either of them where who waits is still on its way into the line.
  double late = 0;
};

/// A row of the table of lock algorithms.
struct LockAlgorithm {
  LockKind kind;
  const char *name;         ///< for machines: `--kind`, `[kind.NAME]`
  const char *label;        ///< for people: "pthread mutex", "QD lock"
  LockStationType station;  ///< how it is modelled, and so which figures of a machine it needs
  bool spins = false;       ///< its waiters burn a core
  bool delegates = false;   ///< it needs its sections as operations
  bool fifo = false;        ///< spinning waiters get it in the order in which they came
  bool sharesReads = false; ///< it lets the threads of shared sections in together
  /// Each thread waits for a line of its own, so that handing the lock off sets off little.
  bool waitsApart = false;
  bool onMenu = false; ///< advised, unless the user names a menu
  /// Relative errors of predicted throughput and waiting time, one standard deviation
  /// (docs/theory/uncertainty.md).
  double modelError = 0;
  double waitError = 0;
  LockAccesses accesses = {};

  constexpr bool isIdeal() const { return kind == LockKind::ideal; }
  /// Whether its waiters sleep in the kernel.
  constexpr bool sleeps() const { return !spins && !isIdeal(); }
};

inline constexpr LockAlgorithm lockAlgorithms[] = {
#define LOCK_ROW(k, n, l, ...) {.kind = LockKind::k, .name = n, .label = l, __VA_ARGS__},
#define LOCK_YARDSTICK(kind, number, name, label, ...) LOCK_ROW(kind, name, label, __VA_ARGS__)
#define LIBRARY_LOCK(kind, number, name, label, word, ...) LOCK_ROW(kind, name, label, __VA_ARGS__)
#define SHIPPED_LOCK(kind, number, name, label, lock, word, ...)                                   \
  LOCK_ROW(kind, name, label, __VA_ARGS__)
#include "runtime/abi/LockAlgorithms.def"
#undef LOCK_ROW
};

/// The algorithm that a number in a site record or a profile stands for; that of a lock API is the
/// one it counts as. Any other number is unknown.
constexpr LockKind algorithmOfNumber(std::uint32_t number) {
  switch (number) {
#define LIBRARY_LOCK(kind, number, ...)                                                            \
  case number:                                                                                     \
    return LockKind::kind;
#define SHIPPED_LOCK(kind, number, ...)                                                            \
  case number:                                                                                     \
    return LockKind::kind;
#define LOCK_API(kind, number, name, reader, algorithm)                                            \
  case number:                                                                                     \
    return LockKind::algorithm;
#include "runtime/abi/LockAlgorithms.def"
  default:
    return LockKind::unknown;
  }
}

/// The row of an algorithm; null for what is none.
constexpr const LockAlgorithm *findLockAlgorithm(LockKind kind) {
  for (const LockAlgorithm &row : lockAlgorithms)
    if (row.kind == kind)
      return &row;
  return nullptr;
}

/// The same for an algorithm that is in the table.
constexpr const LockAlgorithm &algorithmOf(LockKind kind) {
  const LockAlgorithm *row = findLockAlgorithm(kind);
  if (!row)
    __builtin_unreachable();
  return *row;
}

/// `unknown` for what is no algorithm.
constexpr const char *nameOf(LockKind kind) {
  const LockAlgorithm *row = findLockAlgorithm(kind);
  return row ? row->name : "unknown";
}

/// The algorithm of that name, where text comes in; unknown if there is none. `Text` is a string
/// that compares with a literal.
template <typename Text>
  requires(!__is_pointer(Text) && !__is_array(Text))
constexpr LockKind algorithmNamed(const Text &name) {
  for (const LockAlgorithm &row : lockAlgorithms)
    if (name == row.name)
      return row.kind;
  return LockKind::unknown;
}

} // namespace qdadvise
