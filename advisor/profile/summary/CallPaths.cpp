// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/CallPaths.h"

#include "advisor/profile/Identity.h"
#include "advisor/profile/merge/Merge.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace qdadvise {
namespace {

bool hasPath(const ProfiledSite &site) { return !site.path.empty(); }

ProfiledSite pathless(ProfiledSite site) {
  site.path.clear();
  return site;
}

/// For each of `members`, the index of the first member of `all` with the same identity.
template <typename Member>
std::vector<std::size_t> placesOf(const std::vector<Member> &members,
                                  const std::vector<Member> &all) {
  const auto before = [](const Member *a, const Member *b) { return identity(*a) < identity(*b); };
  std::map<const Member *, std::size_t, decltype(before)> places(before);
  for (std::size_t i = 0; i < all.size(); ++i)
    places.try_emplace(&all[i], i);
  std::vector<std::size_t> result;
  for (const Member &member : members) {
    const auto found = places.find(&member);
    result.push_back(found == places.end() ? all.size() : found->second);
  }
  return result;
}

} // namespace

Profile withoutPaths(const Profile &profile) {
  if (std::none_of(profile.sites.begin(), profile.sites.end(), hasPath))
    return profile;
  Profile plain = profile;
  for (ProfiledSite &site : plain.sites)
    site.path.clear();
  Expected<Profile> joined = mergeInOrder({plain});
  return joined ? std::move(*joined) : plain;
}

void addPaths(ProfileSummary &summary, const Profile &pathlessProfile, const Profile &profile) {
  if (std::none_of(profile.sites.begin(), profile.sites.end(), hasPath))
    return;
  std::vector<ProfiledSite> plain;
  std::transform(profile.sites.begin(), profile.sites.end(), std::back_inserter(plain), pathless);
  const std::vector<std::size_t> sites = placesOf(plain, pathlessProfile.sites);
  const std::vector<std::size_t> locks = placesOf(profile.lockClasses, pathlessProfile.lockClasses);
  std::vector<bool> known(pathlessProfile.sites.size() + 1, false);
  for (std::size_t i = 0; i < profile.sites.size(); ++i)
    known[sites[i]] = known[sites[i]] || hasPath(profile.sites[i]);

  std::map<std::tuple<std::size_t, std::size_t, bool>,
           std::map<std::vector<CallFrame>, PathSummary>>
      paths;
  for (const ProfiledSection &section : profile.sections) {
    const std::size_t site = sites[section.site];
    if (!known[site] || section.acquisitions == 0)
      continue;
    const std::vector<CallFrame> &frames = profile.sites[section.site].path;
    PathSummary &path = paths[{locks[section.lockClass], site, section.shared}][frames];
    path.frames = frames;
    addSection(path.measured, section);
  }
  for (LockSummary &lock : summary.locks)
    for (SiteSummary &site : lock.sites) {
      for (auto &[frames, path] : paths[{lock.lockClass, site.site, site.shared}])
        site.paths.push_back(std::move(path));
      // The sum over all other paths comes last.
      const auto rank = [](const PathSummary &path) {
        return std::tuple<bool, std::uint64_t, const std::vector<CallFrame> &>(
            path.frames.empty(), ~path.measured.acquisitions, path.frames);
      };
      std::sort(site.paths.begin(), site.paths.end(),
                [&](const PathSummary &a, const PathSummary &b) { return rank(a) < rank(b); });
    }
}

} // namespace qdadvise
