// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/Aliases.h"

#include <map>
#include <numeric>
#include <utility>

namespace qdadvise {
namespace {

/// By lock class, the index in `profile.locks` of its only lock. Absent where there are several or
/// no locks, and where some were not told apart or are closed.
std::vector<std::optional<std::size_t>> onlyLocks(const Profile &profile) {
  std::vector<std::optional<std::size_t>> only(profile.lockClasses.size());
  std::vector<std::size_t> count(profile.lockClasses.size(), 0);
  for (std::size_t i = 0; i < profile.locks.size(); ++i) {
    const ProfiledLock &lock = profile.locks[i];
    ++count[lock.lockClass];
    only[lock.lockClass].reset();
    if (count[lock.lockClass] == 1 && lock.address != 0)
      only[lock.lockClass] = i;
  }
  for (const ProfiledInstances &some : profile.closedLocks)
    only[some.lockClass].reset();
  return only;
}

} // namespace

void joinAliases(Profile &profile) {
  const std::vector<std::optional<std::size_t>> only = onlyLocks(profile);
  const auto keyOf = [&](std::size_t lockClass) {
    return std::pair(profile.locks[*only[lockClass]].address, profile.lockClasses[lockClass].kind);
  };
  // The name of a pointer says least about the lock. Else the busiest class is chosen, then the
  // first.
  const auto rank = [&](std::size_t lockClass) {
    const bool throughPointer = profile.lockClasses[lockClass].name.starts_with('*');
    return std::pair(!throughPointer, profile.locks[*only[lockClass]].acquisitions);
  };
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> chosen;
  for (std::size_t i = 0; i < only.size(); ++i) {
    if (!only[i])
      continue;
    std::size_t &best = chosen.try_emplace(keyOf(i), i).first->second;
    if (rank(i) > rank(best))
      best = i;
  }
  std::vector<std::size_t> joined(only.size());
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  for (std::size_t i = 0; i < only.size(); ++i)
    if (only[i])
      joined[i] = chosen.at(keyOf(i));

  for (std::size_t i = 0; i < joined.size(); ++i)
    if (joined[i] != i)
      profile.lockClasses[joined[i]].readers.merge(
          std::exchange(profile.lockClasses[i].readers, {}));
  for (ProfiledSection &section : profile.sections)
    section.lockClass = joined[section.lockClass];
  // These classes have one lock each, so that no thread has a lock of its own.
  std::erase_if(profile.takers, [&](const ProfiledTakers &some) { return only[some.lockClass]; });
  std::vector<ProfiledLock> locks;
  locks.reserve(profile.locks.size());
  for (const ProfiledLock &lock : profile.locks)
    if (joined[lock.lockClass] == lock.lockClass)
      locks.push_back(lock);
  for (ProfiledLock &lock : locks)
    for (std::size_t i = 0; i < only.size(); ++i) {
      if (joined[i] != lock.lockClass || i == lock.lockClass)
        continue;
      const ProfiledLock &other = profile.locks[*only[i]];
      lock.acquisitions += other.acquisitions;
      lock.contended += other.contended;
      lock.heldNs += other.heldNs;
      lock.waitNs += other.waitNs;
    }
  profile.locks = std::move(locks);
}

} // namespace qdadvise
