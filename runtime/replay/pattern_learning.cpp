// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See pattern_learning.h.
#include "runtime/replay/pattern_learning.h"

#include "runtime/base/pages.h"
#include "runtime/replay/known_patterns.h"

#include <new>

namespace qdadvise::runtime {

using format::none;

namespace {

/// Which times of a row go into what is kept beside its effects.
struct Spent {
  Parts local, blocked;           ///< of the row
  Parts localAfter, blockedAfter; ///< of that what the next transition takes
};

/// What a row comes to, found out by a replay of its own. It tells the times of some of the events
/// only.
struct DryRun {
  Arena arena;
  Tables tables;
  ReplayContext context;
  EffectLog log;
  Ledger ledger;
  Operations operations;

  DryRun(const Accounts &of, std::uint32_t from)
      : tables(arena, Limits()), context(of.context), ledger(tables, context), operations(ledger) {
    context.names = nullptr;
    context.lockEnds = nullptr;
    context.nsPerTick = 1;
    context.callHookTicks = context.xrayHookTicks = context.stampTicks = context.driftTicks = 0;
    context.countersOnly = false;
    context.startStamp = 0;
    ledger.accounts.classIndex = of.classIndex;
    SectionKey before = of.tables.sections[from].key;
    before.inside = none;
    ledger.lastSection = tables.section(before);
    ledger.log = &log;
  }

  /// Tells the times of the events from the first one given on.
  bool play(const Event *events, unsigned count, unsigned from) {
    std::uint64_t stamp = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (i >= from && i - from < partsOfReplay)
        stamp += std::uint64_t{1} << (i - from); // times of 1, 2, 4...
      Event event = events[i];
      log.event = i;
      event.stamp = stamp;
      // Events without a stamp take no time: the next one has it.
      operations.step(event);
    }
    spent = spentInAll();
    return isWhole();
  }

  /// Adds what another replay of the row, whole, tells of the events from `from` on.
  void add(const DryRun &other, unsigned from) {
    for (unsigned i = 0; i < log.count; ++i) {
      log.effects[i].first |= other.log.effects[i].first << from;
      log.effects[i].second |= other.log.effects[i].second << from;
    }
    spent.local |= other.spent.local << from;
    spent.blocked |= other.spent.blocked << from;
    spent.localAfter |= other.spent.localAfter << from;
    spent.blockedAfter |= other.spent.blockedAfter << from;
  }

  Spent spent{};

private:
  bool isWhole() const {
    return !log.unusual && operations.isIdle() && tables.dropped == 0 && tables.unmatched == 0 &&
           tables.otherSections == 0;
  }

  Spent spentInAll() {
    double local = 0, blocked = 0;
    if (const ThreadClassTimes *const by = tables.threadClass(ledger.accounts.classIndex))
      for (const ThreadWindow &window : by->windows) {
        local += window.localNs;
        blocked += window.blockedNs;
      }
    return {partsOf(local), partsOf(blocked), partsOf(ledger.accounts.localTicks),
            partsOf(ledger.accounts.blockedTicks)};
  }
};

/// A DryRun in memory of its own, which a hook's stack has no room for; null: there is none.
class OwnDryRun {
public:
  OwnDryRun(const Accounts &of, std::uint32_t from) {
    if (char *const memory = mapPages(sizeof(DryRun)))
      run = new (memory) DryRun(of, from);
  }
  ~OwnDryRun() {
    if (!run)
      return;
    run->~DryRun();
    munmap(run, sizeof(DryRun));
  }
  OwnDryRun(const OwnDryRun &) = delete;
  OwnDryRun &operator=(const OwnDryRun &) = delete;
  DryRun *operator->() const { return run; }
  DryRun &operator*() const { return *run; }

  bool play(const Event *events, unsigned count, unsigned from) const {
    return run && run->play(events, count, from);
  }

private:
  DryRun *run = nullptr;
};

/// Writes down what a dry run came to. Each step is false if that is more than a pattern holds.
class Description {
public:
  Description(DryRun &dryRun, const Accounts &learner, const Event *row, unsigned length,
              EventPattern &pattern)
      : played(dryRun), accounts(learner), events(row), count(length), into(pattern) {}

  bool write(std::uint32_t from) {
    return describeSections(from) && describeSteps() && describeEffects() && describeSites() &&
           describeRest();
  }

private:
  bool describeSections(std::uint32_t from);
  bool describeSteps();
  bool describeEffects();
  bool describeSites();
  bool describeRest();

  static constexpr unsigned mostSections = 32;

  DryRun &played;
  const Accounts &accounts;
  const Event *events;
  unsigned count;
  EventPattern &into;
  std::uint32_t sectionOf[mostSections]; ///< the learner's, by those of the dry run
};

bool Description::describeSections(std::uint32_t from) {
  Tables &tables = accounts.tables;
  const std::uint32_t sections = played.tables.sections.size();
  if (sections > mostSections)
    return false;
  sectionOf[0] = from;
  for (std::uint32_t i = 1; i < sections; ++i) {
    SectionKey key = played.tables.sections[i].key;
    if (key.inside != none)
      key.inside = sectionOf[key.inside];
    sectionOf[i] = tables.section(key);
    if (sectionOf[i] == none || played.tables.sections[i].tryFailures != 0 ||
        (tables.sections[sectionOf[i]].key.flags & format::sectionOther) != 0)
      return false;
  }
  return true;
}

bool Description::describeSteps() {
  for (unsigned i = 0; i < count; ++i) {
    const std::uint8_t first = eventWith(events[i].address, events, i);
    const SiteTraits &site = accounts.context.sites[siteOf(events[i])];
    const bool tellsReaders = instantOf(events[i]) == readersInstant;
    const bool isCall = site.role == SiteRole::wrapper;
    into.steps[i] = {
        stepMask(tellsReaders), relativeTo(events[0], events[i]) & stepMask(tellsReaders),
        first != 0 ? static_cast<std::uint8_t>(first - 1) : static_cast<std::uint8_t>(i), isCall,
        !isCall && !tellsReaders};
    if (into.steps[i].isStamped) {
      into.stamped |= Parts{1} << i;
      into.lastStamped = static_cast<std::uint8_t>(i);
    }
    into.serials += isCall || into.steps[i].isStamped;
    if (first != 0)
      continue;
    if (into.addressCount == EventPattern::mostLocks)
      return false;
    into.fixedAddresses[into.addressCount] = events[i].address;
    into.addresses[into.addressCount++] = static_cast<std::uint8_t>(i);
    if ((site.flags & siteByCaller) != 0 || events[i].address == 0)
      into.fixed |= Parts{1} << i;
  }
  return true;
}

bool Description::describeEffects() {
  for (unsigned i = 0; i < played.log.count; ++i) {
    EventPattern::Change &change = into.changes[into.effectCount++];
    change = {played.log.effects[i], nullptr, nullptr, 0};
    Effect &effect = change.effect;
    effect.first &= into.stamped;
    effect.second &= into.stamped;
    if (effect.kind == Effect::passage) {
      TransitionKey key = played.tables.transitions[effect.to].key;
      key.from = key.from != none ? sectionOf[key.from] : none;
      key.to = key.to != none ? sectionOf[key.to] : none;
      effect.to = accounts.tables.transition(key);
      if (effect.to == none)
        return false;
      change.transition = &accounts.tables.transitions[effect.to];
    } else if (effect.kind == Effect::sharing) {
      for (std::uint64_t event = 0; event < effect.lock; ++event)
        change.stamp =
            into.steps[event].isStamped ? static_cast<std::uint8_t>(event) : change.stamp;
    } else {
      effect.to = effect.to != none ? sectionOf[effect.to] : none;
      change.section = effect.to != none ? &accounts.tables.sections[effect.to] : nullptr;
      const std::uint8_t event = eventWith(effect.lock, events, count);
      if (event == 0)
        return false;
      effect.lock = event - 1u;
    }
  }
  return true;
}

bool Description::describeSites() {
  for (std::uint32_t site = 0; site < played.tables.sites.size(); ++site) {
    const SiteCounts &counts = played.tables.sites[site];
    if (counts.tryFailures != 0)
      return false;
    if (counts.executed == 0 && counts.inside == 0)
      continue;
    SiteCounts *const ours = accounts.tables.site(site);
    if (into.siteCount == EventPattern::mostSites || !ours)
      return false;
    into.sites[into.siteCount++] = {ours, static_cast<std::uint32_t>(counts.executed),
                                    static_cast<std::uint32_t>(counts.inside)};
  }
  return true;
}

bool Description::describeRest() {
  into.local = played.spent.local & into.stamped;
  into.blocked = played.spent.blocked & into.stamped;
  into.localAfter = played.spent.localAfter & into.stamped;
  into.blockedAfter = played.spent.blockedAfter & into.stamped;
  into.to = sectionOf[played.ledger.lastSection];
  into.lastDone = static_cast<std::uint8_t>(played.operations.wrappers.lastDone);
  into.lastReleased = eventWith(played.operations.lastReleased, events, count);
  into.length = static_cast<std::uint8_t>(count);
  return into.stamped != 0;
}

} // namespace

void learnPattern(Accounts &accounts, const Event *events, unsigned count, std::uint32_t from) {
  Tables &tables = accounts.tables;
  for (unsigned i = 0; i < count; ++i) {
    const bool isCall = accounts.context.sites[siteOf(events[i])].role == SiteRole::wrapper;
    if (instantOf(events[i]) > readersInstant || (events[i].address == 0 && !isCall))
      return;
  }
  // It may be known, and only was no use this time: a window of the run ended in it, or a lock.
  const std::uint32_t what = events[0].what & ~patternIgnores;
  const auto same = [&](const EventPattern &known) { return matches(known, events, count, ~0ull); };
  if (tables.patterns.find(what, from, same))
    return;
  EventPattern *const made = tables.patterns.make(tables.memory(), what, from);
  if (!made)
    return;
  *made = EventPattern();
  const OwnDryRun dryRun(accounts, from);
  if (!dryRun.play(events, count, 0))
    return;
  static_assert(longestPattern <= 2 * partsOfReplay);
  if (count > partsOfReplay) {
    const OwnDryRun rest(accounts, from);
    if (!rest.play(events, count, partsOfReplay) || rest->log.count != dryRun->log.count)
      return;
    dryRun->add(*rest, partsOfReplay);
  }
  if (Description(*dryRun, accounts, events, count, *made).write(from))
    made->from = from;
}

} // namespace qdadvise::runtime
