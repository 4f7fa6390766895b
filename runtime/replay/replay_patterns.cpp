// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way through rows of events that have come before. See event_patterns.h.
#include "runtime/base/pages.h"
#include "runtime/replay/replay.h"

#include <bit>
#include <new>

namespace qdadvise::runtime {

using format::none;

namespace {

constexpr std::uint32_t doors = eventXray;

/// The event with that address, plus one; 0: there is none.
std::uint8_t eventWith(std::uint64_t address, const Event *events, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (events[i].address == address)
      return static_cast<std::uint8_t>(i + 1);
  return 0;
}

} // namespace

bool Replay::isIdle() const {
  return (attemptSize | asideSize | heldSize | retries.count | callSize | provisionalSize) == 0 &&
         !mayExpect && lastSection != none && !context.names && (context.countersOnly || times);
}

/// What a row comes to, found out by a replay of its own.
struct Replay::Rehearsal {
  Arena arena;
  Tables tables;
  ReplayContext context;
  EffectLog log;
  Replay replay;

  Rehearsal(const Replay &of, std::uint32_t from)
      : tables(arena, Limits()), context(of.context), replay(tables, context) {
    context.names = nullptr;
    context.retirements = nullptr;
    context.nsPerTick = 1;
    context.callHookTicks = context.xrayHookTicks = context.stampTicks = context.driftTicks = 0;
    context.countersOnly = false;
    context.startStamp = 0;
    replay.begin(of.classIndex, 0, 0);
    SectionKey before = of.tables.sections[from].key;
    before.inside = none;
    replay.lastSection = tables.section(before);
    replay.log = &log;
  }

  void play(const Event *events, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      Event event = events[i];
      log.event = i;
      event.stamp = (std::uint64_t{2} << i) - 1; // times of 1, 2, 4...
      // Those without a stamp take no time: the next one has it.
      replay.step(event);
    }
  }

  bool isWhole() const {
    return !log.unusual && replay.isIdle() && replay.localTicks == 0 && replay.blockedTicks == 0 &&
           tables.dropped == 0 && tables.unmatched == 0 && tables.otherSections == 0;
  }
};

/// Writes down what the rehearsal came to. False if that is more than an episode holds.
bool Replay::describe(Rehearsal &played, const Event *events, unsigned count, std::uint32_t from,
                      Episode &into) {
  constexpr unsigned mostSections = 32;
  std::uint32_t sectionOf[mostSections] = {from};
  const std::uint32_t sections = played.tables.sections.size();
  if (sections > mostSections)
    return false;
  for (std::uint32_t i = 1; i < sections; ++i) {
    SectionKey key = played.tables.sections[i].key;
    if (key.inside != none)
      key.inside = sectionOf[key.inside];
    sectionOf[i] = tables.section(key);
    if (sectionOf[i] == none || played.tables.sections[i].tryFailures != 0 ||
        (tables.sections[sectionOf[i]].key.flags & format::sectionOther) != 0)
      return false;
  }
  for (unsigned i = 0; i < count; ++i) {
    const std::uint8_t first = static_cast<std::uint8_t>(eventWith(events[i].address, events, i));
    into.steps[i] = {events[i].what & ~doors, events[i].stack - events[0].stack,
                     first != 0 ? static_cast<std::uint8_t>(first - 1)
                                : static_cast<std::uint8_t>(i)};
    const SiteTraits &site = context.sites[siteOf(events[i])];
    if (site.role == SiteRole::wrapper)
      into.calls |= Parts{1} << i;
    else if (instantOf(events[i]) != readersInstant)
      into.stamped |= Parts{1} << i;
    if (first != 0)
      continue;
    if (into.addressCount == Episode::mostLocks)
      return false;
    into.fixedAddresses[into.addressCount] = events[i].address;
    into.addresses[into.addressCount++] = static_cast<std::uint8_t>(i);
    if ((site.flags & siteByCaller) != 0 || events[i].address == 0)
      into.fixed |= Parts{1} << i;
  }
  for (unsigned i = 0; i < played.log.count; ++i) {
    Effect effect = played.log.effects[i];
    effect.first &= into.stamped;
    effect.second &= into.stamped;
    if (effect.kind == Effect::passage) {
      TransitionKey key = played.tables.transitions[effect.to].key;
      key.from = key.from != none ? sectionOf[key.from] : none;
      key.to = key.to != none ? sectionOf[key.to] : none;
      effect.to = tables.transition(key);
      if (effect.to == none)
        return false;
    } else if (effect.kind != Effect::sharing) {
      effect.to = effect.to != none ? sectionOf[effect.to] : none;
      const std::uint8_t event = eventWith(effect.lock, events, count);
      if (event == 0)
        return false;
      effect.lock = event - 1u;
    }
    into.effects[into.effectCount++] = effect;
  }
  for (std::uint32_t site = 0; site < played.tables.sites.size(); ++site) {
    const SiteCounts &counts = played.tables.sites[site];
    if (counts.tryFailures != 0)
      return false;
    if (counts.executed == 0 && counts.inside == 0)
      continue;
    if (into.siteCount == Episode::mostSites)
      return false;
    into.sites[into.siteCount++] = {site, static_cast<std::uint32_t>(counts.executed),
                                    static_cast<std::uint32_t>(counts.inside)};
  }
  const ThreadClassTimes *const spentBy = played.tables.threadClass(classIndex);
  if (!spentBy)
    return false;
  double local = 0, blocked = 0;
  for (const ThreadWindow &spent : spentBy->windows) {
    local += spent.localNs;
    blocked += spent.blockedNs;
  }
  into.local = partsOf(local) & into.stamped;
  into.blocked = partsOf(blocked) & into.stamped;
  into.to = sectionOf[played.replay.lastSection];
  into.lastDone = static_cast<std::uint8_t>(played.replay.lastDone);
  into.lastReleased = eventWith(played.replay.lastReleased, events, count);
  into.length = static_cast<std::uint8_t>(count);
  return into.stamped != 0;
}

/// Keeps what a row of events comes to that has just been gone through step by step, and began
/// and ended with nothing in hand; `from` was the section before it.
void Replay::learn(const Event *events, unsigned count, std::uint32_t from) {
  for (unsigned i = 0; i < count; ++i)
    if (instantOf(events[i]) > readersInstant || (events[i].address == 0 && !isCall(events[i])))
      return;
  // It may be known, and only was no use this time: a window of the run ended in it, or a lock.
  const auto same = [&](const Episode &known) { return matches(known, events, count, ~0ull); };
  if (tables.episodes.find(events[0].what & ~doors, from, same))
    return;
  Episode *const made = tables.episodes.make(tables.memory(), events[0].what & ~doors, from);
  if (!made)
    return;
  *made = Episode();
  char *const memory = mapPages(sizeof(Rehearsal));
  if (!memory)
    return;
  auto *const rehearsal = new (memory) Rehearsal(*this, from);
  rehearsal->play(events, count);
  if (rehearsal->isWhole() && describe(*rehearsal, events, count, from, *made))
    made->from = from;
  rehearsal->~Rehearsal();
  munmap(memory, sizeof(Rehearsal));
}

/// Whether these events are that episode, as far as counting it at once goes.
bool Replay::matches(const Episode &episode, const Event *events, std::size_t count,
                     std::uint64_t bound) const {
  if (episode.length > count || events[std::bit_width(episode.stamped) - 1].stamp >= bound)
    return false;
  for (unsigned i = 0; i < episode.length; ++i) {
    const Event &event = events[i];
    const Episode::Step &step = episode.steps[i];
    const bool tellsReaders = instantOf(event) == readersInstant; // its stack is something else
    if ((event.what & ~doors) != step.what || event.address != events[step.first].address ||
        (event.stack - events[0].stack != step.stack && !tellsReaders))
      return false;
  }
  for (unsigned i = 0; i < episode.addressCount; ++i) {
    const std::uint64_t address = events[episode.addresses[i]].address;
    const bool isFixed = (episode.fixed >> episode.addresses[i] & 1) != 0;
    if (address != episode.fixedAddresses[i] && (isFixed || address == 0))
      return false;
    for (unsigned before = 0; before < i; ++before)
      if (events[episode.addresses[before]].address == address)
        return false;
  }
  for (unsigned i = 0; i < episode.effectCount; ++i)
    if (episode.effects[i].kind == Effect::acquisition &&
        tables.sections[episode.effects[i].to].kind != episode.effects[i].lockKind)
      return false;
  return true;
}

namespace {

double sumOf(Parts parts, const double *ticks) {
  double sum = 0;
  for (; parts != 0; parts &= parts - 1)
    sum += ticks[std::countr_zero(parts)];
  return sum;
}

} // namespace

void Replay::count(const Episode &episode, const Event *events) {
  double spent[longestEpisode];
  if (!context.countersOnly) {
    double unstamped = unstampedSince;
    std::uint64_t before = lastStamp + pausedTicks;
    for (unsigned i = 0; i < episode.length; ++i) {
      if ((episode.calls >> i & 1) != 0)
        unstamped += unstampedTicks(events[i]);
      if ((episode.stamped >> i & 1) == 0)
        continue;
      spent[i] = static_cast<double>(static_cast<std::int64_t>(events[i].stamp - before)) -
                 hookTicks(events[i]) - unstamped;
      now += spent[i];
      before = events[i].stamp;
      unstamped = 0;
    }
    lastStamp = before;
    pausedTicks = 0;
    unstampedSince = unstamped;
    times->windows[window].localNs += sumOf(episode.local, spent) * context.nsPerTick;
    if (episode.blocked != 0) {
      const double ns = sumOf(episode.blocked, spent) * context.nsPerTick;
      times->blockedNs += ns;
      times->windows[window].blockedNs += ns;
    }
  }
  const auto nsOf = [&](Parts parts) {
    return context.countersOnly ? 0 : toNs(sumOf(parts, spent));
  };
  for (unsigned i = 0; i < episode.effectCount; ++i) {
    const Effect &effect = episode.effects[i];
    switch (effect.kind) {
    case Effect::acquisition:
      addAcquisition(tables.sections[effect.to], events[effect.lock].address, effect.lockClass,
                     window, effect.contended, effect.byWriter, nsOf(effect.first));
      break;
    case Effect::holding:
      if (context.countersOnly)
        break;
      addHolding(tables.sections[effect.to], nsOf(effect.first));
      if (Lock *const record = tables.lock(events[effect.lock].address, effect.lockClass,
                                           tables.sections[effect.to].lockPlace))
        record->heldNs += nsOf(effect.second);
      break;
    case Effect::passage:
      if (context.countersOnly)
        ++tables.transitions[effect.to].local.count;
      else
        tables.addLocal(tables.transitions[effect.to],
                        toNs(localTicks + sumOf(effect.first, spent)),
                        toNs(blockedTicks + sumOf(effect.second, spent)));
      localTicks = blockedTicks = 0;
      break;
    case Effect::reading:
      noteRead(events[effect.lock].address, effect.lockClass, nsOf(effect.first));
      break;
    case Effect::sharing: {
      const Parts before = episode.stamped & ((Parts{1} << effect.lock) - 1);
      onReaders(events[effect.lock], events[std::bit_width(before) - 1].stamp);
      break;
    }
    }
  }
  for (unsigned i = 0; i < episode.siteCount; ++i)
    if (SiteCounts *const counts = tables.site(episode.sites[i].site)) {
      counts->executed += episode.sites[i].executed;
      counts->inside += episode.sites[i].inside;
    }
  lastDone = episode.lastDone != 0 ? serial + episode.lastDone : lastDone;
  serial += static_cast<unsigned>(std::popcount(episode.stamped | episode.calls));
  lastSection = episode.to;
  lastReleased = episode.lastReleased != 0 ? events[episode.lastReleased - 1].address : 0;
}

/// Counts an episode that begins here. Returns how many events it is; 0: none that is known.
std::size_t Replay::knownEpisode(const Event *events, std::size_t count) {
  const std::uint64_t bound = endOfShortCuts();
  std::size_t done = 0;
  tables.episodes.find(events[0].what & ~doors, lastSection, [&](const Episode &episode) {
    if (!matches(episode, events, count, bound))
      return false;
    this->count(episode, events);
    done = episode.length;
    return true;
  });
  return done;
}

} // namespace qdadvise::runtime
