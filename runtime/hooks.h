// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two doors share: registering sites, looking at locks, and measuring what
// a hook costs.
#pragma once

#include "runtime/lock_words.h"
#include "runtime/recorder.h"

#include <cstdint>

namespace qdadvise::runtime {

/// eventTaken, eventMine or 0, as the lock's own word says just now.
inline std::uint32_t readLockWord(LockKind kind, std::uint32_t siteFlags, const void *address) {
  const bool shared = (siteFlags & siteShared) != 0;
  if (kind == LockKind::pthreadMutex)
    return readPthreadMutex(address, hotThread.id, shared);
  if (kind == LockKind::pthreadRwlock)
    return readPthreadRwlock(address, hotThread.id, shared);
  const LockWordReader reader = lockWordReader(kind);
  return reader ? reader(address, hotThread.id, shared) : 0;
}

/// Whether the hooks of such a site act at once: they are no events of their thread.
constexpr bool actsAtOnce(SiteRole role) {
  return role == SiteRole::lifetime || role == SiteRole::spawn;
}
/// What they do.
void actAtOnce(const SiteRecord &record, const void *address);

/// Gives a record its index when its hook runs before its constructor; 0 if that
/// cannot be.
std::uint32_t registerLate(SiteRecord &record);

/// Ticks of one of many hooks in a row. `hook` must store one event. What it stored is
/// forgotten. 0 if it cannot be measured now.
double measureHook(void (*hook)(void *context), void *context);
/// Of hooks=call, for sites of a role.
double measureCallHook(SiteRole role);
/// Of hooks=call, with counts of sites alone (countingSites).
double measureSiteCount();
/// Of a hook of an attempt that is only counted (countingAttempts); in a program with XRay hooks,
/// with what these take more.
double measureCountingHook();
/// Measures again, as the processor's clock and the company on it change, and moves
/// `driftTicks` towards what is found.
void followHookCost();

// --- the XRay door; all of it does nothing in a program without XRay ---

/// Joins the records' thunks to XRay's function ids. Returns how many were found.
unsigned connectXray(SiteRecord *begin, SiteRecord *end);
/// Switches every connected thunk: these are on from here on.
void patchXray(HooksOn hooks);
/// Those that are on while something is recorded.
inline HooksOn recordingHooks() { return countingSites ? attemptHooks : allHooks; }
/// The code of these records is about to be unmapped.
void forgetSleds(const SiteRecord *begin, const SiteRecord *end);
/// 0 while no thunk is on.
double measureXrayHook();
/// Held across fork.
void lockDoors();
void unlockDoors();

} // namespace qdadvise::runtime
