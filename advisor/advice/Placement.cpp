// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/Placement.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace qdadvise {
namespace {

/// The names in a path, last first, as far as they say where: without `.`, with `name/..`
/// taken out and a leading `..` dropped.
std::vector<std::string_view> namesFromEnd(std::string_view path) {
  std::vector<std::string_view> names;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    if (name == "..") {
      if (!names.empty())
        names.pop_back();
    } else if (!name.empty() && name != ".") {
      names.push_back(name);
    }
    begin = end + 1;
  }
  std::reverse(names.begin(), names.end());
  return names;
}

/// How many names two paths share at their ends.
std::size_t sharedNames(const std::string &a, const std::string &b) {
  const std::vector<std::string_view> x = namesFromEnd(a), y = namesFromEnd(b);
  return static_cast<std::size_t>(std::mismatch(x.begin(), x.end(), y.begin(), y.end()).first -
                                  x.begin());
}

using Identity = std::tuple<std::string_view, std::string_view, std::uint32_t>;

Identity identityOf(const Advice &advice) {
  return {advice.function, advice.expression, advice.ordinal};
}

/// A section that was found by its caller's address: nobody read its source.
bool isKnownByPlace(const Advice &advice) {
  return advice.expression.empty() && advice.sectionHash == 0 && advice.line != 0;
}

bool unchanged(const Advice &advice, const SiteIdentity &site) {
  return advice.sectionHash == 0 || site.sectionHash == 0 || advice.sectionHash == site.sectionHash;
}

/// A moved source keeps its advice while the section itself proves that it is the same.
bool mayBelong(const Advice &advice, const SiteIdentity &site) {
  if (sameFile(advice.file, site.file))
    return true;
  return sharedNames(advice.file, site.file) > 0 && advice.sectionHash != 0 &&
         advice.sectionHash == site.sectionHash;
}

} // namespace

bool sameFile(const std::string &a, const std::string &b) {
  const std::size_t shared = sharedNames(a, b);
  return shared > 0 && shared == std::min(namesFromEnd(a).size(), namesFromEnd(b).size());
}

Placements placeAdvice(const AdviceFile &file, const std::vector<SiteIdentity> &sites,
                       const std::string &mainFile, const std::vector<std::string> &headers) {
  std::multimap<Identity, std::size_t> byIdentity;
  for (std::size_t i = 0; i != file.advice.size(); ++i)
    byIdentity.emplace(identityOf(file.advice[i]), i);

  Placements result;
  std::vector<bool> used(file.advice.size());
  for (std::size_t s = 0; s != sites.size(); ++s) {
    const SiteIdentity &site = sites[s];
    const auto [begin, end] =
        byIdentity.equal_range(Identity{site.function, site.expression, site.ordinal});
    // Two files of one name may hold the same function: the nearer path is the one meant.
    std::size_t nearest = 0;
    for (auto it = begin; it != end; ++it)
      if (mayBelong(file.advice[it->second], site))
        nearest = std::max(nearest, sharedNames(file.advice[it->second].file, site.file));
    for (auto it = begin; it != end; ++it) {
      const Advice &advice = file.advice[it->second];
      if (!mayBelong(advice, site) || sharedNames(advice.file, site.file) < nearest)
        continue;
      used[it->second] = true;
      result.placed.push_back({it->second, s, !unchanged(advice, site)});
    }
  }

  for (std::size_t i = 0; i != file.advice.size(); ++i) {
    if (used[i])
      continue;
    const Advice &advice = file.advice[i];
    const auto isItsFile = [&](const std::string &path) { return sameFile(path, advice.file); };
    const bool functionIsHere =
        std::any_of(sites.begin(), sites.end(), [&](const SiteIdentity &site) {
          return site.function == advice.function && isItsFile(site.file);
        });
    const bool isInHeader = std::any_of(headers.begin(), headers.end(), isItsFile);
    if (isKnownByPlace(advice)) {
      if (isItsFile(mainFile) || isInHeader)
        result.byPlace.push_back(i);
    } else if (isItsFile(mainFile) || (functionIsHere && isInHeader)) {
      result.gone.push_back(i);
    }
  }
  return result;
}

} // namespace qdadvise
