// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The locks under test: one row for each, and what a lock can do beyond locking.
#pragma once

#include "runtime/locks/models/glibc_mutex.h"
#include "runtime/locks/models/glibc_rwlock.h"

#include <qdadvise/locks/all_locks.h>

#include <cstddef>
#include <cstdio>
#include <tuple>

template <typename Lock> struct Row {
  using type = Lock;
  const char *name;
  std::size_t bytes;
  bool inOrder; ///< waiters get the lock in the order in which they came
};

inline constexpr std::tuple locks{
    Row<qdadvise::spinlock>{"spinlock", 4, false},
    Row<qdadvise::ticket_lock>{"ticket_lock", 8, true},
    Row<qdadvise::mcs_lock>{"mcs_lock", 16, true},
    Row<qdadvise::clh_lock>{"clh_lock", 4096, true},
    Row<qdadvise::basic_clh_lock<2>>{"basic_clh_lock<2>", 384, false},
    Row<qdadvise::qd_lock>{"qd_lock", 2112, false},
    Row<qdadvise::basic_qd_lock<1>>{"basic_qd_lock<1>", 128, false},
    Row<qdadvise::basic_qd_lock<4>>{"basic_qd_lock<4>", 192, false},
    Row<qdadvise::mrqd_lock>{"mrqd_lock", 3200, false},
    Row<qdadvise::basic_mrqd_lock<2>>{"basic_mrqd_lock<2>", 1216, false},
    Row<qdadvise::models::glibc_mutex<>>{"glibc_mutex", 40, false},
    Row<qdadvise::models::glibc_rwlock<>>{"glibc_rwlock", 56, false},
};

template <typename Lock>
concept Shared = requires(Lock &lock) { lock.try_lock_shared(); };
template <typename Lock>
concept Delegating = requires(Lock &lock) { lock.delegate([] {}); };
template <typename Lock>
concept Any = true;

/// Calls test.operator()<Lock>(row) for every row.
template <typename Test> void onEveryLock(const char *what, Test test) {
  std::apply(
      [&](auto... row) {
        const auto run = [&]<typename Lock>(const Row<Lock> &one) {
          if constexpr (requires { test(one); }) {
            std::fprintf(stderr, "%s: %s\n", what, one.name);
            test(one);
          }
        };
        (run(row), ...);
      },
      locks);
}

/// Runs a test, a function template over a row, for the locks that meet a concept.
#define RUN_FOR(concept, test)                                                                     \
  onEveryLock(#test, []<concept Lock>(const Row<Lock> &row) { test(row); })
