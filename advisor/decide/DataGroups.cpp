// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/DataGroups.h"

#include <algorithm>

namespace qdadvise {

std::optional<std::vector<DataGroup>>
dataGroups(const std::vector<const SectionMemory *> &sections) {
  std::vector<DataGroup> groups;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (!sections[i] || !sections[i]->knowsOverlaps())
      return std::nullopt;
    if (sections[i]->sharedAccesses == 0)
      continue;
    DataGroup joined{i};
    std::erase_if(groups, [&](const DataGroup &group) {
      const bool joins = std::any_of(group.begin(), group.end(), [&](std::size_t member) {
        return sections[i]->meets(*sections[member]);
      });
      if (joins)
        joined.insert(joined.end(), group.begin(), group.end());
      return joins;
    });
    std::sort(joined.begin(), joined.end());
    groups.push_back(std::move(joined));
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

} // namespace qdadvise
