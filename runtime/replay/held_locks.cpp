// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See held_locks.h.
#include "runtime/replay/held_locks.h"

namespace qdadvise::runtime {

using format::none;

HeldLock lockTaken(const Attempt &attempt, const SiteTraits &site, std::uint64_t serial,
                   double now) {
  HeldLock lock;
  lock.addresses[0] = attempt.address;
  lock.addressCount = 1;
  lock.section = none;
  lock.recorded = false;
  lock.inner = lock.provisional = false;
  lock.own = 0;
  lock.lockClass = site.lockClass;
  lock.kind = site.kind;
  lock.shared = (site.flags & siteShared) != 0;
  lock.depth = 1;
  lock.serial = serial;
  lock.acquired = now;
  return lock;
}

void HeldLocks::bindInner(HeldLock &lock, const Attempt &attempt, const Attempts &attempts,
                          bool withSiblings, unsigned group, EffectLog *log) {
  unsigned kept = 0;
  for (unsigned i = 0; i < count; ++i) {
    const HeldLock &inside = held[i];
    const bool isOurs =
        inside.inner && inside.serial > attempt.serial &&
        (!withSiblings ||
         attempts[attempts.nearestInGroup(group, inside.addresses[0], log)].address ==
             attempt.address);
    if (!isOurs) {
      held[kept++] = inside;
      continue;
    }
    lock.kind = inside.kind != LockKind::unknown ? inside.kind : lock.kind;
    lock.shared = inside.shared;
    for (unsigned a = 0; a < inside.addressCount; ++a)
      if (!lock.has(inside.addresses[a])) {
        if (lock.addressCount == HeldLock::maxAddresses)
          --lock.addressCount; // the identity, the last one, is what matters
        lock.addresses[lock.addressCount++] = inside.addresses[a];
      }
  }
  count = kept;
}

std::uint32_t HeldLocks::enclosingSection() const {
  for (unsigned i = count; i-- > 0;)
    if (held[i].section != none)
      return held[i].section;
  return none;
}

void HeldLocks::discardSections() {
  for (unsigned i = 0; i < count; ++i) {
    held[i].section = none;
    held[i].recorded = false;
    held[i].provisional = false;
  }
}

} // namespace qdadvise::runtime
