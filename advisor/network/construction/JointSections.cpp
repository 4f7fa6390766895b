// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/JointSections.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace qdadvise {
namespace {

/// A section with all those inside it that one operation takes, outermost first.
using Joint = std::vector<std::size_t>;

std::vector<Joint> jointSections(const Network &network) {
  std::vector<Joint> result;
  std::map<std::size_t, std::size_t> operationOf; // by section
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < network.sections.size(); ++i)
    if (isTakenTogether(network, i))
      pending.push_back(i);
  // Sections stand in any order, so that one around another may come later.
  for (bool found = true; found;) {
    found = false;
    for (std::size_t &section : pending) {
      if (section == network.sections.size())
        continue;
      const std::size_t outer = *network.sections[section].inside;
      if (isTakenTogether(network, outer) && !operationOf.count(outer))
        continue;
      if (const auto [at, isNew] = operationOf.try_emplace(outer, result.size()); isNew)
        result.push_back({outer});
      // A second section beside one that was taken already is inside the same outer one.
      Joint &joint = result[operationOf.at(outer)];
      if (joint.back() == outer) {
        joint.push_back(section);
        operationOf[section] = operationOf.at(outer);
      }
      section = network.sections.size();
      found = true;
    }
  }
  std::erase_if(result, [](const Joint &joint) { return joint.size() < 2; });
  return result;
}

/// How much of its time each lock would be held if threads never waited.
std::vector<double> busyShares(const Network &network) {
  std::map<std::size_t, double> visits; // by outermost section, of its incoming transitions
  for (const Transition &transition : network.transitions)
    visits[transition.to] += static_cast<double>(std::max<std::uint64_t>(transition.samples, 1)) *
                             transition.probability;
  std::vector<double> busy(network.locks.size(), 0);
  for (const Section &section : network.sections) {
    double times = 1;
    const Section *outer = &section;
    std::set<std::size_t> held{section.lock};
    for (; outer->inside; outer = &network.sections[*outer->inside]) {
      times *= outer->visits;
      held.insert(network.sections[*outer->inside].lock);
    }
    const auto found = visits.find(static_cast<std::size_t>(outer - network.sections.data()));
    for (const std::size_t lock : held)
      busy[lock] += (found == visits.end() ? 0 : found->second) * times * section.hold.mean;
  }
  for (std::size_t i = 0; i < busy.size(); ++i)
    busy[i] /= network.locks[i].instances;
  return busy;
}

/// The rank of each lock. Of the locks that no other one has to come before, the busiest is next.
/// Where sections have no order, the busiest of all is.
std::vector<std::size_t> ranksOf(const Network &network) {
  const std::size_t count = network.locks.size();
  std::vector<std::set<std::size_t>> before(count);
  for (std::size_t i = 0; i < network.sections.size(); ++i)
    if (const auto outer = network.sections[i].inside; outer && !isTakenTogether(network, i))
      if (network.sections[*outer].lock != network.sections[i].lock)
        before[network.sections[i].lock].insert(network.sections[*outer].lock);
  const std::vector<double> busy = busyShares(network);
  std::vector<std::size_t> rank(count, count);
  for (std::size_t next = 0; next < count; ++next) {
    std::size_t best = count;
    std::tuple<bool, double, std::string> most; // of alike ones the same in every run
    for (std::size_t i = 0; i < count; ++i) {
      if (rank[i] < count)
        continue;
      const bool free = std::all_of(before[i].begin(), before[i].end(),
                                    [&](std::size_t other) { return rank[other] < count; });
      if (const std::tuple each(free, std::round(std::log2(std::max(busy[i], 1e-300))),
                                network.locks[i].name);
          best == count || each > most) {
        best = i;
        most = each;
      }
    }
    rank[best] = next;
  }
  return rank;
}

} // namespace

bool isTakenTogether(const Network &network, std::size_t section) {
  const Section &inner = network.sections[section];
  constexpr double off = 0.1; // a run ends while some are taken
  if (!inner.inside || std::abs(inner.visits - 1) > off)
    return false;
  const Section &outer = network.sections[*inner.inside];
  if (!inner.site || !outer.site || inner.lock == outer.lock)
    return false;
  const SourceSite &a = *inner.site, &b = *outer.site;
  return a.line == b.line && a.column == b.column && a.file == b.file && a.function == b.function &&
         a.expression != b.expression;
}

std::vector<std::string> orderJointSections(Network &network) {
  const std::vector<Joint> operations = jointSections(network);
  if (operations.empty())
    return {};
  const std::vector<std::size_t> rank = ranksOf(network);
  std::set<std::pair<std::size_t, std::size_t>> locks; // rank and lock
  for (const Joint &joint : operations) {
    std::vector<std::pair<std::size_t, SourceSite>> taken;
    for (const std::size_t i : joint) {
      taken.emplace_back(network.sections[i].lock, *network.sections[i].site);
      locks.emplace(rank[network.sections[i].lock], network.sections[i].lock);
    }
    std::sort(taken.begin(), taken.end(),
              [&](const auto &a, const auto &b) { return rank[a.first] < rank[b.first]; });
    for (std::size_t i = 0; i < joint.size(); ++i) {
      network.sections[joint[i]].lock = taken[i].first;
      network.sections[joint[i]].site = taken[i].second;
    }
  }
  std::vector<std::string> names;
  for (const auto &[place, lock] : locks)
    names.push_back(network.locks[lock].name);
  return names;
}

} // namespace qdadvise
