// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Targets.h"

#include <algorithm>

namespace qdadvise {
namespace {

constexpr FunctionForm shippedInC(std::string_view type, std::string_view initialiser,
                                  std::string_view prefix, bool fillsLines = false,
                                  bool delegates = false) {
  return {.type = type,
          .header = "<qdadvise/locks/locks_c.h>",
          .initialiser = initialiser,
          .prefix = prefix,
          .lock = "lock",
          .tryLock = "try_lock",
          .unlock = "unlock",
          .fillsLines = fillsLines,
          .delegates = delegates};
}

constexpr FunctionForm mutexInitialised(std::string_view initialiser) {
  return {.type = "pthread_mutex_t",
          .header = "<pthread.h>",
          .initialiser = initialiser,
          .prefix = "pthread_mutex_",
          .lock = "lock",
          .tryLock = "trylock",
          .unlock = "unlock",
          .returnsError = true};
}

constexpr FunctionForm posixMutex = mutexInitialised("PTHREAD_MUTEX_INITIALIZER");
constexpr FunctionForm adaptiveMutex = mutexInitialised("PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP");
constexpr FunctionForm posixRwlock = {.type = "pthread_rwlock_t",
                                      .header = "<pthread.h>",
                                      .initialiser = "PTHREAD_RWLOCK_INITIALIZER",
                                      .prefix = "pthread_rwlock_",
                                      .lock = "wrlock",
                                      .tryLock = "trywrlock",
                                      .unlock = "unlock",
                                      .returnsError = true};

// The names are those of runtime/abi/LockAlgorithms.def; adaptive_mutex is a pthread mutex there.
constexpr Target table[] = {
    {.name = "pthread_mutex",
     .label = "pthread mutex",
     .asClass = {"std::mutex", "<mutex>"},
     .inC = {},
     .asPosix = posixMutex},
    {.name = "adaptive_mutex",
     .label = "adaptive pthread mutex",
     .asClass = {},
     .inC = {},
     .asPosix = adaptiveMutex,
     .isAdaptive = true},
    {.name = "spinlock",
     .label = "spinlock",
     .asClass = {"qdadvise::spinlock", "<qdadvise/locks/spinlock.h>"},
     .inC = shippedInC("qdadvise_spinlock", "QDADVISE_SPINLOCK_INITIALIZER", "qdadvise_spinlock_"),
     .asPosix = {}},
    {.name = "qd",
     .label = "QD lock",
     .asClass = {"qdadvise::qd_lock", "<qdadvise/locks/qd_lock.h>"},
     .inC = shippedInC("qdadvise_qd", "QDADVISE_QD_INITIALIZER", "qdadvise_qd_", true, true),
     .asPosix = {},
     .delegates = true},
    {.name = "ticket",
     .label = "ticket lock",
     .asClass = {"qdadvise::ticket_lock", "<qdadvise/locks/ticket_lock.h>"},
     .inC = shippedInC("qdadvise_ticket", "QDADVISE_TICKET_INITIALIZER", "qdadvise_ticket_"),
     .asPosix = {}},
    {.name = "mcs",
     .label = "MCS lock",
     .asClass = {"qdadvise::mcs_lock", "<qdadvise/locks/mcs_lock.h>"},
     .inC = shippedInC("qdadvise_mcs", "QDADVISE_MCS_INITIALIZER", "qdadvise_mcs_"),
     .asPosix = {}},
    {.name = "clh",
     .label = "CLH lock",
     .asClass = {"qdadvise::clh_lock", "<qdadvise/locks/clh_lock.h>"},
     .inC = shippedInC("qdadvise_clh", "QDADVISE_CLH_INITIALIZER", "qdadvise_clh_", true),
     .asPosix = {}},
    {.name = "mrqd",
     .label = "MRQD lock",
     .asClass = {"qdadvise::mrqd_lock", "<qdadvise/locks/mrqd_lock.h>"},
     .inC = shippedInC("qdadvise_mrqd", "QDADVISE_MRQD_INITIALIZER", "qdadvise_mrqd_", true, true),
     .asPosix = {},
     .sharesReads = true,
     .delegates = true},
    {.name = "pthread_rwlock",
     .label = "pthread rwlock",
     .asClass = {"std::shared_mutex", "<shared_mutex>"},
     .inC = {},
     .asPosix = posixRwlock,
     .sharesReads = true},
    {.name = "atomic",
     .label = "atomic",
     .asClass = {},
     .inC = {},
     .asPosix = {},
     .isAtomic = true},
};

} // namespace

std::span<const Target> targets() { return table; }

const Target *findTarget(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Target::name);
  return found == std::end(table) ? nullptr : found;
}

} // namespace qdadvise
