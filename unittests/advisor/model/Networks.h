// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks and machines for tests.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"

#include <string>
#include <vector>

namespace qdadvise::test {

/// A lock with one section, visited with the given probability whatever came before.
struct TestLock {
  double probability = 1;
  double holdNs = 100;
  double cv = 1;
};

/// One class of scaling threads; between two sections `localNs` of computation.
inline Network networkOf(const std::vector<TestLock> &locks, double localNs, double localCv = 1) {
  Network network;
  for (std::size_t i = 0; i < locks.size(); ++i) {
    Lock lock;
    lock.name = "lock" + std::to_string(i);
    lock.kind = LockKind::pthreadMutex;
    network.locks.push_back(lock);
    Section section;
    section.name = "section" + std::to_string(i);
    section.lock = i;
    section.hold = {locks[i].holdNs, locks[i].cv, Distribution::gamma};
    network.sections.push_back(section);
  }
  network.classes.push_back({"worker"});
  for (std::size_t from = 0; from < locks.size(); ++from)
    for (std::size_t to = 0; to < locks.size(); ++to) {
      Transition transition;
      transition.from = from;
      transition.to = to;
      transition.probability = locks[to].probability;
      transition.local = {localNs, localCv};
      network.transitions.push_back(transition);
    }
  return network;
}

/// A machine with round figures and so many cores.
inline Machine machineOf(int cores) {
  Machine machine;
  machine.name = "test machine";
  machine.source = "assumed";
  machine.cores = cores;
  machine.wakeup = {{250, 3100, 1500}, {5000, 14700, 6300}, {200000, 23000, 7100}};
  machine.kinds[LockKind::pthreadMutex].figures["lock_overhead_ns"].value = 12;
  machine.kinds[LockKind::pthreadRwlock].figures["lock_overhead_ns"].value = 20;
  machine.kinds[LockKind::spinlock].figures["lock_overhead_ns"].value = 6;
  machine.kinds[LockKind::spinlock].figures["handover_per_waiter_ns"].value = 44;
  machine.kinds[LockKind::ticket].figures["lock_overhead_ns"].value = 7;
  machine.kinds[LockKind::ticket].curves["handover_ns"].rows = {{2, 50}, {8, 120}};
  const KindCosts spinlock = machine.kinds[LockKind::spinlock];
  for (const LockAlgorithm &algorithm : lockAlgorithms) {
    if (algorithm.isIdeal())
      continue;
    KindCosts &costs = machine.kinds[algorithm.kind];
    if (algorithm.waitsApart) {
      costs.figures["lock_overhead_ns"].value = 9;
      costs.figures["handover_ns"].value = 200;
    } else if (algorithm.delegates) {
      costs.figures["lock_overhead_ns"].value = 12;
      costs.curves["delegation_overhead_ns"].rows = {{1, 50}, {8, 190}};
    } else if (algorithm.spins && costs.figures.empty()) {
      costs = spinlock;
    }
  }
  return machine;
}

/// Tickets cost as much as spinlocks: S(j) = s + 6 + 22 (j - 1), but no thread passes a waiter.
inline Machine withEvenTickets(Machine machine) {
  machine.kinds[LockKind::ticket] = machine.kinds[LockKind::spinlock];
  return machine;
}

} // namespace qdadvise::test
