// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Profile.h"

#include <algorithm>

namespace qdadvise {

void ProfiledReaders::merge(const ProfiledReaders &other) {
  most = std::max(most, other.most);
  heldNs = addedNs(heldNs, other.heldNs);
  busy.merge(other.busy);
}

double Profile::computedNs() const {
  double sum = 0;
  for (const ProfiledSection &section : sections)
    sum += section.heldNs();
  for (const ProfiledTransition &transition : transitions)
    sum += transition.local.sum();
  return sum;
}

void Profile::shorten(double removedNs, double ofNs) {
  const double rest = 1 - removedNs / ofNs;
  const double wantedNs = rest * (onProcessorNs + runDelayNs);
  // Some of what was removed was the wait for a processor.
  const double mostNs = rest * runDelayNs;
  runDelayNs = isDelayed() ? mostNs : std::clamp(runDelayNs - removedNs, 0.0, mostNs);
  onProcessorNs = wantedNs - runDelayNs;
  durationNs *= rest;
  slicedNs *= rest;
  for (ProfiledThreadClass &threads : threadClasses) {
    threads.aliveNs *= rest;
    threads.blockedNs *= rest;
  }
  for (ProfiledTransition &transition : transitions) {
    Moments &blocked = transition.blocked;
    blocked = {blocked.count, rest * blocked.mean, rest * rest * blocked.m2, rest * blocked.min,
               rest * blocked.max};
  }
  for (ProfiledLock &lock : locks)
    lock.heldNs *= rest;
  for (ProfiledInstances &some : closedLocks)
    some.heldNs *= rest;
  for (ProfiledLockClass &lockClass : lockClasses)
    lockClass.readers.heldNs *= rest;
}

} // namespace qdadvise
