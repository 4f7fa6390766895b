// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/CanonicalOrder.h"

#include "advisor/profile/Identity.h"

#include <algorithm>
#include <numeric>

namespace qdadvise {
namespace {

/// Sorts by keys, one for each member. Equal members stay in order. Returns the new place of each.
template <typename Member, typename Key>
std::vector<std::size_t> sortByKeys(std::vector<Member> &members, const std::vector<Key> &keys) {
  std::vector<std::size_t> order(members.size()), places(members.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return keys[a] < keys[b] || (!(keys[b] < keys[a]) && a < b);
  });
  std::vector<Member> sorted;
  sorted.reserve(members.size());
  for (const std::size_t from : order) {
    places[from] = sorted.size();
    sorted.push_back(std::move(members[from]));
  }
  members = std::move(sorted);
  return places;
}

template <typename Member, typename KeyOf>
std::vector<std::size_t> sortBy(std::vector<Member> &members, KeyOf keyOf) {
  std::vector<decltype(keyOf(members.front()))> keys;
  for (const Member &member : members)
    keys.push_back(keyOf(member));
  return sortByKeys(members, keys);
}

/// Sorts by identity. The order is determined before members move, since keys refer to members.
template <typename Member> std::vector<std::size_t> sortByIdentity(std::vector<Member> &members) {
  std::vector<std::size_t> order(members.size()), places(members.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return identity(members[a]) < identity(members[b]);
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    places[order[i]] = i;
  return sortByKeys(members, places), places;
}

void move(std::optional<std::size_t> &index, const std::vector<std::size_t> &places) {
  if (index)
    index = places[*index];
}

/// Identifies a section: its thread class, then site, lock class and mode from the outermost
/// section inwards.
using SectionKey = std::vector<std::size_t>;

SectionKey keyOf(const Profile &profile, const ProfiledSection &section) {
  SectionKey key;
  for (const ProfiledSection *at = &section;; at = &profile.sections[*at->inside]) {
    for (const std::size_t part :
         {std::size_t{at->other}, std::size_t{at->shared}, at->lockClass, at->site})
      key.push_back(part);
    if (!at->inside)
      break;
  }
  key.push_back(section.threadClass);
  std::reverse(key.begin(), key.end());
  return key;
}

void sortSections(Profile &profile) {
  const std::vector<std::size_t> places = sortBy(
      profile.sections, [&](const ProfiledSection &section) { return keyOf(profile, section); });
  for (ProfiledSection &section : profile.sections)
    move(section.inside, places);
  for (ProfiledTransition &transition : profile.transitions) {
    move(transition.from, places);
    move(transition.to, places);
  }
  for (ProfiledWindow &window : profile.windows)
    for (ProfiledWindow::Section &section : window.sections)
      section.section = places[section.section];
}

void sortLocks(Profile &profile) {
  // The locks beyond max_locks, which have no address, come last in their class.
  sortBy(profile.locks,
         [](const ProfiledLock &lock) { return std::pair(lock.lockClass, lock.address == 0); });
  std::uint64_t number = 0;
  for (ProfiledLock &lock : profile.locks)
    if (lock.address != 0)
      lock.address = ++number;
  sortBy(profile.closedLocks,
         [](const ProfiledInstances &some) { return std::pair(some.lockClass, some.bucket); });
}

void sortWindows(Profile &profile) {
  for (ProfiledWindow &window : profile.windows) {
    std::sort(window.sections.begin(), window.sections.end());
    std::sort(window.threads.begin(), window.threads.end());
  }
  std::sort(profile.windows.begin(), profile.windows.end());
}

} // namespace

void sortCanonically(Profile &profile) {
  const std::vector<std::size_t> sites = sortByIdentity(profile.sites);
  const std::vector<std::size_t> lockClasses = sortByIdentity(profile.lockClasses);
  const std::vector<std::size_t> threadClasses = sortByIdentity(profile.threadClasses);
  for (ProfiledLock &lock : profile.locks)
    lock.lockClass = lockClasses[lock.lockClass];
  for (ProfiledInstances &some : profile.closedLocks)
    some.lockClass = lockClasses[some.lockClass];
  for (ProfiledTakers &some : profile.takers) {
    some.lockClass = lockClasses[some.lockClass];
    move(some.threadClass, threadClasses);
  }
  sortBy(profile.takers,
         [](const ProfiledTakers &some) { return std::pair(some.lockClass, some.threadClass); });
  for (ProfiledSection &section : profile.sections) {
    section.site = sites[section.site];
    section.lockClass = lockClasses[section.lockClass];
    section.threadClass = threadClasses[section.threadClass];
  }
  for (ProfiledTransition &transition : profile.transitions)
    transition.threadClass = threadClasses[transition.threadClass];
  for (ProfiledWindow &window : profile.windows)
    for (ProfiledWindow::Threads &threads : window.threads)
      threads.threadClass = threadClasses[threads.threadClass];
  sortSections(profile);
  sortLocks(profile);
  sortBy(profile.transitions, [](const ProfiledTransition &transition) {
    return std::tuple(transition.threadClass, transition.from, transition.to);
  });
  sortWindows(profile);
  sortBy(profile.unseen, [](const ProfiledUnseen &one) { return one.module; });
  std::sort(profile.copies.begin(), profile.copies.end());
}

} // namespace qdadvise
