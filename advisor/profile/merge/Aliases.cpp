// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/Aliases.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace qdadvise {
namespace {

/// Which lock classes of a profile have the same locks.
class SharedLocks {
public:
  explicit SharedLocks(const Profile &profile);

  /// The number of locks of each class; 0 where they are not known one by one, as some were beyond
  /// max_locks or have come and gone.
  std::vector<std::size_t> count;
  std::vector<std::uint64_t> acquisitions; ///< by class
  /// Pairs of classes that have locks in common, the smaller index first, and how many.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> common;
};

SharedLocks::SharedLocks(const Profile &profile)
    : count(profile.lockClasses.size(), 0), acquisitions(count.size(), 0) {
  std::vector<bool> known(count.size(), true);
  for (const ProfiledInstances &some : profile.closedLocks)
    known[some.lockClass] = false;
  for (const ProfiledLock &lock : profile.locks)
    if (lock.address == 0)
      known[lock.lockClass] = false;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::size_t>> classesAt;
  for (const ProfiledLock &lock : profile.locks) {
    if (!known[lock.lockClass])
      continue;
    ++count[lock.lockClass];
    acquisitions[lock.lockClass] += lock.acquisitions;
    auto &here = classesAt[{lock.address, profile.lockClasses[lock.lockClass].kind}];
    for (const std::size_t other : here)
      ++common[std::minmax(other, lock.lockClass)];
    here.push_back(lock.lockClass);
  }
}

/// `Shared::lock@visible.c:115` is `Shared::lock`, declared in a file of its own.
std::string_view withoutPlace(std::string_view name) { return name.substr(0, name.find('@')); }

/// By lock class, the one that it is joined into, or itself.
class Joined {
public:
  explicit Joined(const Profile &profile) : profile(profile), shared(profile) {
    into.resize(shared.count.size());
    std::iota(into.begin(), into.end(), std::size_t{0});
    for (const auto &[pair, locks] : shared.common)
      if (isWithin(pair, locks))
        unite(pair.first, pair.second);
    std::map<std::size_t, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < into.size(); ++i)
      groups[into[i]].push_back(i);
    for (const auto &[root, members] : groups)
      nameGroup(members);
  }

  std::size_t operator[](std::size_t lockClass) const { return into[lockClass]; }
  std::size_t size() const { return into.size(); }
  /// Whether the class has a single lock.
  bool isOne(std::size_t lockClass) const { return shared.count[lockClass] == 1; }

private:
  /// Whether all locks of one class are locks of the other. A single lock among the many of another
  /// class stays apart, as it may be the one that all threads meet at.
  bool isWithin(std::pair<std::size_t, std::size_t> pair, std::size_t locks) const {
    const auto [less, more] = std::minmax(shared.count[pair.first], shared.count[pair.second]);
    return locks == less && (less > 1 || more == 1);
  }

  void unite(std::size_t a, std::size_t b) {
    const std::size_t from = into[b], to = into[a];
    std::replace(into.begin(), into.end(), from, to);
  }

  /// A function that is given locks of several arrays says nothing of what these have in common:
  /// its class has locks of both, while they have none of each other.
  bool areSeveralArrays(const std::vector<std::size_t> &members) const {
    for (const std::size_t a : members)
      for (const std::size_t b : members)
        if (a < b && !shared.common.contains({a, b}) &&
            withoutPlace(profile.lockClasses[a].name) != withoutPlace(profile.lockClasses[b].name))
          return true;
    return false;
  }

  /// The name of a pointer says least about the lock. Else the class with most locks is chosen,
  /// then the busiest, then the first.
  void nameGroup(const std::vector<std::size_t> &members) {
    const bool apart = areSeveralArrays(members);
    const std::size_t best =
        *std::ranges::max_element(members, {}, [&](std::size_t i) { return rank(i); });
    for (const std::size_t member : members)
      into[member] = apart ? member : best;
  }

  std::tuple<bool, std::size_t, std::uint64_t> rank(std::size_t lockClass) const {
    const bool throughPointer = profile.lockClasses[lockClass].name.starts_with('*');
    return {!throughPointer, shared.count[lockClass], shared.acquisitions[lockClass]};
  }

  const Profile &profile;
  SharedLocks shared;
  std::vector<std::size_t> into;
};

} // namespace

void joinAliases(Profile &profile) {
  const Joined joined(profile);
  std::vector<bool> changed(joined.size(), false);
  for (std::size_t i = 0; i < joined.size(); ++i) {
    if (joined[i] == i)
      continue;
    changed[i] = changed[joined[i]] = true;
    profile.lockClasses[joined[i]].readers.merge(std::exchange(profile.lockClasses[i].readers, {}));
  }
  for (ProfiledSection &section : profile.sections)
    section.lockClass = joined[section.lockClass];
  // A single lock is no thread's own, and whose own a lock is by all its names is not known.
  std::erase_if(profile.takers, [&](const ProfiledTakers &some) {
    return joined.isOne(some.lockClass) || changed[some.lockClass];
  });
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> places;
  std::vector<ProfiledLock> locks;
  locks.reserve(profile.locks.size());
  for (ProfiledLock lock : profile.locks) {
    lock.lockClass = joined[lock.lockClass];
    const auto [place, isNew] = places.try_emplace({lock.lockClass, lock.address}, locks.size());
    if (isNew || !changed[lock.lockClass]) {
      locks.push_back(lock);
      continue;
    }
    ProfiledLock &same = locks[place->second];
    same.acquisitions += lock.acquisitions;
    same.contended += lock.contended;
    same.heldNs += lock.heldNs;
    same.waitNs += lock.waitNs;
  }
  profile.locks = std::move(locks);
}

} // namespace qdadvise
