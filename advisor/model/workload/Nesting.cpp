// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/Nesting.h"

#include "advisor/model/workload/Instances.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qdadvise {

Nesting::Nesting(const Network &network) : network(network) {
  for (const Lock &lock : network.locks)
    same.push_back(chanceOfSame(lock));
  std::vector<std::size_t> depth(network.sections.size(), 0);
  for (std::size_t i = 0; i < depth.size(); ++i)
    for (auto outer = network.sections[i].inside; outer; outer = network.sections[*outer].inside)
      ++depth[i];
  innermostFirst.resize(depth.size());
  std::iota(innermostFirst.begin(), innermostFirst.end(), 0);
  std::sort(innermostFirst.begin(), innermostFirst.end(), [&](std::size_t a, std::size_t b) {
    return depth[a] != depth[b] ? depth[a] > depth[b] : a < b;
  });
}

bool Nesting::reentrant(std::size_t section) const {
  const std::size_t lock = network.sections[section].lock;
  if (network.locks[lock].instances > 1 && !network.locks[lock].perThread)
    return false;
  for (auto outer = network.sections[section].inside; outer;
       outer = network.sections[*outer].inside)
    if (network.sections[*outer].lock == lock)
      return true;
  return false;
}

double Nesting::keepsOut(std::size_t section, std::size_t other,
                         const std::vector<bool> &reads) const {
  const std::vector<Section> &sections = network.sections;
  double together = 1;
  for (auto a = sections[section].inside; a; a = sections[*a].inside)
    for (auto b = sections[other].inside; b; b = sections[*b].inside)
      if (sections[*a].lock == sections[*b].lock) {
        if (!reads[*a] || !reads[*b])
          together *= 1 - sameInstance(sections[*a].lock);
        break;
      }
  return 1 - together;
}

double Nesting::mostInside(std::size_t section, const std::vector<bool> &reads) const {
  double most = unlimited;
  for (auto outer = network.sections[section].inside; outer;
       outer = network.sections[*outer].inside)
    if (!reads[*outer])
      most = std::min(most, 1 / sameInstance(network.sections[*outer].lock));
  return most;
}

std::vector<Cumulants> Nesting::holds(const std::vector<double> &waitNs) const {
  std::vector<Cumulants> result;
  for (const Section &section : network.sections)
    result.push_back(Cumulants::of(section.hold));
  for (const std::size_t i : innermostFirst) {
    const Section &section = network.sections[i];
    if (!section.inside)
      continue;
    Cumulants visit = result[i];
    visit.add(Cumulants::exponential(reentrant(i) ? 0 : waitNs[i]));
    const double whole = std::floor(section.visits), rest = section.visits - whole;
    result[*section.inside].add(visit, whole);
    result[*section.inside].add(mixture({{rest, visit}, {1 - rest, Cumulants()}}));
  }
  return result;
}

} // namespace qdadvise
