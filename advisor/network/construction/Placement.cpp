// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/Placement.h"

#include <map>
#include <tuple>

namespace qdadvise {
namespace {

using OptionalIndex = std::optional<std::size_t>;

class Placer {
public:
  explicit Placer(const Profile &source)
      : profile(source), isPlaced(source.sections.size(), false) {
    result.places.resize(source.sections.size());
  }

  OptionalIndex place(std::size_t section);

  Placement result;

private:
  OptionalIndex find(std::size_t section);

  const Profile &profile;
  std::vector<bool> isPlaced;
  /// Sections of the network by lock class, site, outer section in the network, and mode (shared).
  std::map<std::tuple<std::size_t, std::size_t, OptionalIndex, bool>, std::size_t> known;
};

OptionalIndex Placer::place(std::size_t section) {
  if (!isPlaced[section]) {
    isPlaced[section] = true;
    result.places[section] = find(section);
  }
  return result.places[section];
}

OptionalIndex Placer::find(std::size_t index) {
  const ProfiledSection &section = profile.sections[index];
  if (section.acquisitions == 0 || section.other)
    return std::nullopt;
  OptionalIndex outer;
  if (section.inside) {
    outer = place(*section.inside);
    if (!outer)
      return std::nullopt;
  }
  const auto [at, isNew] = known.try_emplace(
      {section.lockClass, section.site, outer, section.shared}, result.members.size());
  if (isNew)
    result.members.emplace_back();
  result.members[at->second].push_back(index);
  return at->second;
}

} // namespace

Placement placeSections(const Profile &profile) {
  Placer placer(profile);
  for (std::size_t i = 0; i < profile.sections.size(); ++i)
    placer.place(i);
  return std::move(placer.result);
}

} // namespace qdadvise
