// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/algorithms/LockAlgorithm.h"

namespace qdadvise {

const std::vector<LockAlgorithm> &knownLockAlgorithms() {
  static const std::vector<LockAlgorithm> table{
      // name, label, spins, delegates, inLine, sharesReads, onMenu, modelError, waitError, accesses
      {"ideal", "ideal lock", false, false, false, false, false, 0.02, 0.04},
      {"pthread_mutex", "pthread mutex", false, false, false, false, true, 0.1, 0.2},
      {"spinlock", "spinlock", true, false, false, false, true, 0.08, 0.25},
      {"qd", "QD lock", true, true, false, false, true, 0.03, 0.12},
      {"ticket", "ticket lock", true, false, true, false, false, 0.04, 0.1, {1, 1, 0}},
      // Who has released the lock looks for who waits; and if nobody is in the line yet, but the
      // lock no longer its own, waits for that one.
      {"mcs", "MCS lock", true, false, true, false, true, 0.04, 0.1, {1, 1, 4.5}},
      // A node of one's own, the end of the line, and the node before.
      {"clh", "CLH lock", true, false, true, false, false, 0.04, 0.1, {5, 0, 0}},
      {"mrqd", "MRQD lock", true, true, false, true, true, 0.15, 0.3},
      {"pthread_rwlock", "pthread rwlock", false, false, false, true, false, 0.15, 0.3},
  };
  return table;
}

const std::vector<LockAlgorithm> &lockAlgorithms() {
  static const std::vector<LockAlgorithm> table = [] {
    std::vector<LockAlgorithm> modelled;
    for (const LockAlgorithm &row : knownLockAlgorithms())
      if (row.modelError)
        modelled.push_back(row);
    return modelled;
  }();
  return table;
}

namespace {

const LockAlgorithm *find(const std::vector<LockAlgorithm> &table, const std::string &name) {
  for (const LockAlgorithm &row : table)
    if (name == row.name)
      return &row;
  return nullptr;
}

} // namespace

const LockAlgorithm *findLockAlgorithm(const std::string &name) {
  return find(lockAlgorithms(), name);
}

const LockAlgorithm *findKnownLockAlgorithm(const std::string &name) {
  return find(knownLockAlgorithms(), name);
}

} // namespace qdadvise
