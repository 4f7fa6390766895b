// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/LockFacts.h"

#include "advisor/model/Predict.h"
#include "advisor/network/Network.h"
#include "advisor/support/Format.h"
#include "advisor/support/SectionFactNames.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <fmt/format.h>

namespace qdadvise {
namespace {

/// How many places the sentence on one kind of obstacle names.
constexpr std::size_t mostPlaces = 3;

std::string whereIs(const SourceSite &site) {
  const std::string place =
      site.line ? fmt::format("{}:{}", site.file, site.line) : std::string(site.file);
  return site.function.empty() ? fmt::format("at {}", place)
                               : fmt::format("in '{}' ({})", site.function, place);
}

std::string whereIs(const Section &section) {
  return section.site ? whereIs(*section.site) : fmt::format("in section '{}'", section.name);
}

void add(LockFacts &facts, Hindrance hindrance) {
  const bool known =
      std::any_of(facts.hindrances.begin(), facts.hindrances.end(), [&](const Hindrance &other) {
        return other.kind == hindrance.kind && other.where == hindrance.where &&
               other.inner == hindrance.inner && other.fact == hindrance.fact;
      });
  if (!known)
    facts.hindrances.push_back(std::move(hindrance));
}

Hindrance::Kind waitKind(const SourceSite &site) {
  return site.flags & siteAnyLock ? Hindrance::Kind::anyLockWait : Hindrance::Kind::conditionWait;
}

void addSite(LockFacts &facts, const Section &section) {
  if (!section.site)
    return;
  using Kind = Hindrance::Kind;
  const SourceSite &site = *section.site;
  if (site.role == static_cast<std::uint32_t>(SiteRole::wait) || (site.flags & siteWaits))
    add(facts, {waitKind(site), whereIs(section), ""});
  if (site.flags & siteRecursive)
    add(facts, {Kind::recursive, whereIs(section), ""});
  if (site.role != static_cast<std::uint32_t>(SiteRole::wait) && (site.flags & siteTimed))
    add(facts, {Kind::timed, whereIs(section), ""});
  if (site.facts & factsKnown)
    for (const SectionFactRow &row : sectionFactTable)
      if ((row.hindersDelegating || row.hindersSpinning) && (site.facts & row.fact))
        add(facts, {Kind::section, whereIs(section), "", row.fact, section.shared});
}

/// Whether it is known which lock is taken inside the section; another obstacle names it then.
bool takesNamedLock(const LockFacts &facts, const std::string &where) {
  return std::any_of(facts.hindrances.begin(), facts.hindrances.end(), [&](const Hindrance &known) {
    return known.kind == Hindrance::Kind::innerLock && known.where == where;
  });
}

std::vector<std::string> anyLockWaits(const LockFacts &facts) {
  std::vector<std::string> places;
  for (const Hindrance &hindrance : facts.hindrances)
    if (hindrance.kind == Hindrance::Kind::anyLockWait)
      places.push_back(hindrance.where);
  return places;
}

std::string obstacleOf(const LockFacts &facts, const SectionFactRow &row,
                       const LockAlgorithm &algorithm) {
  std::vector<std::string> places;
  for (const Hindrance &hindrance : facts.hindrances)
    if (hindrance.kind == Hindrance::Kind::section && hindrance.fact == row.fact &&
        // Readers take and release such a lock themselves.
        !(hindrance.shared && algorithm.sharesReads) &&
        !(row.fact == factTakesLock && takesNamedLock(facts, hindrance.where)))
      places.push_back(hindrance.where);
  if (places.empty())
    return "";
  const bool givesUp = row.fact == factWaits && !anyLockWaits(facts).empty();
  return fmt::format("{} {} {}: {}{}", row.inAdvice,
                     places.size() == 1 ? "the section" : "the sections",
                     someOf(places, mostPlaces), row.because,
                     givesUp ? ", unless it waits for the condition, which gives the lock up" : "");
}

/// An obstacle to delegation: an operation runs to its end, and cannot wait for a condition.
std::string stayingSections(const LockFacts &facts) {
  const std::vector<std::string> places = anyLockWaits(facts);
  if (places.empty())
    return "";
  return fmt::format("a condition variable waits with it {}: what waits there is no operation, and "
                     "stays between lock() and unlock()",
                     someOf(places, mostPlaces));
}

/// By lock: the mean holding time of sections that are not shared.
std::vector<std::optional<double>> exclusiveHoldsNs(const Network &network) {
  std::vector<double> sum(network.locks.size(), 0), count(sum);
  for (const Section &section : network.sections)
    if (!section.shared) {
      const double samples = std::max(1.0, static_cast<double>(section.hold.samples));
      sum[section.lock] += samples * section.hold.mean;
      count[section.lock] += samples;
    }
  std::vector<std::optional<double>> means(network.locks.size());
  for (std::size_t i = 0; i != means.size(); ++i)
    if (count[i] > 0)
      means[i] = sum[i] / count[i];
  return means;
}

} // namespace

std::vector<LockFacts> lockFacts(const Network &network) {
  std::vector<LockFacts> facts(network.locks.size());
  const std::vector<std::optional<double>> holdsNs = exclusiveHoldsNs(network);
  for (std::size_t i = 0; i != network.locks.size(); ++i) {
    facts[i].modelled = network.locks[i].kind.isKnown();
    facts[i].assumed = network.locks[i].assumed;
    facts[i].perThread = network.locks[i].perThread;
    facts[i].holdNs = holdsNs[i];
  }
  for (LockFacts &lock : facts)
    lock.isOneInteger = true;
  for (std::size_t i = 0; i != network.locks.size(); ++i) {
    for (const SourceSite &site : network.locks[i].waits)
      add(facts[i], {waitKind(site), whereIs(site), ""});
    for (const SourceSite &site : network.locks[i].neverRan)
      facts[i].neverRan.push_back(whereIs(site));
  }
  std::vector<bool> used(network.locks.size(), false);
  for (const Section &section : network.sections) {
    used[section.lock] = true;
    if (section.untimed)
      facts[section.lock].neverTimed.push_back(whereIs(section));
    else
      facts[section.lock].samples += section.hold.samples;
    facts[section.lock].delayed = facts[section.lock].delayed || section.delayed;
    facts[section.lock].isRead = facts[section.lock].isRead || section.shared;
    if (!section.site || !(section.site->facts & factOneIntegerUpdate))
      facts[section.lock].isOneInteger = false;
    addSite(facts[section.lock], section);
    if (!section.inside)
      continue;
    const Section &outer = network.sections[*section.inside];
    facts[section.lock].nested = true;
    if (outer.lock == section.lock && network.locks[section.lock].instances == 1)
      add(facts[section.lock], {Hindrance::Kind::recursive, whereIs(section), ""});
    if (outer.lock != section.lock)
      add(facts[outer.lock],
          {Hindrance::Kind::innerLock, whereIs(outer), network.locks[section.lock].name});
  }
  for (std::size_t i = 0; i != facts.size(); ++i)
    facts[i].isOneInteger = facts[i].isOneInteger && used[i];
  return facts;
}

std::string refusal(const LockFacts &facts, const LockAlgorithm &algorithm) {
  // A lock that neither spins nor delegates is a mutex to the code that uses it.
  if (!algorithm.spins && !algorithm.delegates)
    return "";
  for (const Hindrance &hindrance : facts.hindrances) {
    if (hindrance.kind == Hindrance::Kind::conditionWait)
      return fmt::format("a condition variable waits with it {}, which needs a lock that sleeps",
                         hindrance.where);
    if (hindrance.kind == Hindrance::Kind::recursive)
      return fmt::format("its owner may take it again {}, which {} cannot do", hindrance.where,
                         withArticle(algorithm.label));
  }
  if (algorithm.delegates && facts.holdNs && *facts.holdNs < shortestDelegatedNs)
    return fmt::format(
        "its sections take {}, and models of it are for {:g} ns and more: of shorter "
        "ones it delegates hardly any, in simulation",
        formatHold(*facts.holdNs), shortestDelegatedNs);
  return "";
}

std::vector<std::string> obstaclesTo(const LockFacts &facts, const LockAlgorithm &algorithm) {
  std::vector<std::string> obstacles;
  if (facts.isRead && !algorithm.sharesReads)
    obstacles.push_back("its readers ask for it as all others do then, with lock() instead of "
                        "lock_shared(), and exclude each other");
  for (const Hindrance &hindrance : facts.hindrances) {
    if (hindrance.kind == Hindrance::Kind::timed)
      obstacles.push_back(fmt::format("a wait for it {} gives up after a while, which {} does not",
                                      hindrance.where, withArticle(algorithm.label)));
    if (hindrance.kind == Hindrance::Kind::innerLock && algorithm.delegates)
      obstacles.push_back(fmt::format("the section {} takes lock '{}' inside: the helping thread "
                                      "would take it for the others",
                                      hindrance.where, hindrance.inner));
    else if (hindrance.kind == Hindrance::Kind::innerLock && algorithm.spins)
      obstacles.push_back(fmt::format("the section {} takes lock '{}' inside: others spin while "
                                      "its owner waits for that",
                                      hindrance.where, hindrance.inner));
  }
  if (std::string staying = stayingSections(facts); algorithm.delegates && !staying.empty())
    obstacles.push_back(std::move(staying));
  for (const SectionFactRow &row : sectionFactTable)
    if ((row.hindersDelegating && algorithm.delegates) || (row.hindersSpinning && algorithm.spins))
      if (std::string obstacle = obstacleOf(facts, row, algorithm); !obstacle.empty())
        obstacles.push_back(std::move(obstacle));
  return obstacles;
}

} // namespace qdadvise
