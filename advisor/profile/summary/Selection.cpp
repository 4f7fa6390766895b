// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/Selection.h"

#include "advisor/support/Format.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <tuple>

namespace qdadvise {
namespace {

struct SortKey {
  const char *name;
  double (*of)(const Measured &);
};

constexpr SortKey keys[] = {
    {"wait", [](const Measured &measured) { return measured.waitContended.sum(); }},
    {"hold", [](const Measured &measured) { return measured.heldNs; }},
    {"util", [](const Measured &measured) { return measured.utilization; }},
    {"con", [](const Measured &measured) { return measured.contentionRate(); }},
    {"total", [](const Measured &measured) { return static_cast<double>(measured.acquisitions); }},
};

/// Where keys are equal, the one that was held longest comes first.
template <typename Summary> void sortBy(const SortKey &key, std::vector<Summary> &summaries) {
  const auto rank = [&](const Summary &one) {
    const Measured &measured = one.measured;
    return std::tuple(-key.of(measured), -measured.heldNs, ~measured.acquisitions,
                      std::string_view(one.name));
  };
  std::sort(summaries.begin(), summaries.end(),
            [&](const Summary &a, const Summary &b) { return rank(a) < rank(b); });
}

/// Whether `path` is the file `wanted`, in any folder.
bool isFile(std::string_view path, std::string_view wanted) {
  return path.ends_with(wanted) &&
         (path.size() == wanted.size() || path[path.size() - wanted.size() - 1] == '/');
}

bool isAt(const ProfiledSite &site, std::string_view wanted) {
  if (isFile(site.file, wanted))
    return true;
  const std::size_t colon = wanted.rfind(':');
  return colon != std::string_view::npos && isFile(site.file, wanted.substr(0, colon)) &&
         fmt::format("{}", site.line) == wanted.substr(colon + 1);
}

} // namespace

std::vector<std::string> sortKeys() {
  std::vector<std::string> names;
  for (const SortKey &key : keys)
    names.emplace_back(key.name);
  return names;
}

Expected<ProfileSummary> select(ProfileSummary summary, const Profile &profile,
                                const Selection &selection) {
  std::vector<LockSummary> &locks = summary.locks;
  const auto key = std::find_if(std::begin(keys), std::end(keys),
                                [&](const SortKey &one) { return one.name == selection.sort; });
  if (key == std::end(keys))
    return makeError(fmt::format("--sort {}: give one of {}", selection.sort, someOf(sortKeys())));
  sortBy(*key, locks);
  for (LockSummary &lock : locks)
    sortBy(*key, lock.sites);

  std::vector<std::string> names;
  for (const LockSummary &lock : locks)
    names.push_back(lock.name);
  std::erase_if(locks, [&](const LockSummary &lock) {
    return lock.name.find(selection.lock) == std::string::npos;
  });
  if (locks.empty() && !names.empty())
    return makeError(fmt::format("--lock {}: no lock that was acquired is so called; there are {}",
                                 selection.lock, someOf(names)));

  if (!selection.site.empty()) {
    std::vector<std::string> places;
    for (LockSummary &lock : locks)
      std::erase_if(lock.sites, [&](const SiteSummary &one) {
        const ProfiledSite &site = profile.sites[one.site];
        places.push_back(fmt::format("{}:{}", site.file, site.line));
        return !isAt(site, selection.site);
      });
    std::erase_if(locks, [](const LockSummary &lock) { return lock.sites.empty(); });
    if (locks.empty() && !places.empty())
      return makeError(fmt::format("--site {}: no lock was acquired there; sites are {}",
                                   selection.site, someOf(places)));
  }
  if (selection.top)
    locks.resize(std::min(*selection.top, locks.size()));
  return summary;
}

} // namespace qdadvise
