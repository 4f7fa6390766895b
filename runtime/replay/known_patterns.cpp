// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See known_patterns.h.
#include "runtime/replay/known_patterns.h"

#include <bit>

namespace qdadvise::runtime {

bool matches(const EventPattern &pattern, const Event *events, std::size_t count,
             std::uint64_t bound) {
  if (pattern.length > count || events[pattern.lastStamped].stamp >= bound)
    return false;
  for (unsigned i = 0; i < pattern.length; ++i) {
    const EventPattern::Step &step = pattern.steps[i];
    if ((relativeTo(events[0], events[i]) & step.mask) != step.wanted ||
        events[i].address != events[step.first].address)
      return false;
  }
  for (unsigned i = 0; i < pattern.addressCount; ++i) {
    const std::uint64_t address = events[pattern.addresses[i]].address;
    const bool isFixed = (pattern.fixed >> pattern.addresses[i] & 1) != 0;
    if (address != pattern.fixedAddresses[i] && (isFixed || address == 0))
      return false;
    for (unsigned before = 0; before < i; ++before)
      if (events[pattern.addresses[before]].address == address)
        return false;
  }
  for (unsigned i = 0; i < pattern.effectCount; ++i) {
    const EventPattern::Change &change = pattern.changes[i];
    if (change.effect.kind == Effect::acquisition && change.section->kind != change.effect.lockKind)
      return false;
  }
  return true;
}

namespace {

double sumOf(Parts parts, const double *ticks) {
  double sum = 0;
  for (; parts != 0; parts &= parts - 1)
    sum += ticks[std::countr_zero(parts)];
  return sum;
}

/// Moves the clock over the pattern's events; `spent` becomes the ticks up to each.
void advance(Accounts &accounts, const EventPattern &pattern, const Event *events, double *spent) {
  VirtualClock &clock = accounts.clock;
  double unstamped = clock.unstampedSince, now = clock.now;
  std::uint64_t before = clock.lastStamp + clock.pausedTicks;
  for (unsigned i = 0; i < pattern.length; ++i) {
    const EventPattern::Step &step = pattern.steps[i];
    if (step.isStamped) {
      spent[i] = static_cast<double>(static_cast<std::int64_t>(events[i].stamp - before)) -
                 clock.hookTicks(events[i]) - unstamped;
      now += spent[i];
      before = events[i].stamp;
      unstamped = 0;
    } else if (step.isCall) {
      unstamped += clock.unstampedTicks(events[i]);
    }
  }
  clock.now = now;
  clock.countFrom(before);
  clock.unstampedSince = unstamped;
  ThreadClassTimes &times = *accounts.times;
  times.windows[accounts.window].localNs +=
      sumOf(pattern.local, spent) * accounts.context.nsPerTick;
  if (pattern.blocked != 0) {
    const double ns = sumOf(pattern.blocked, spent) * accounts.context.nsPerTick;
    times.blockedNs += ns;
    times.windows[accounts.window].blockedNs += ns;
  }
}

void addEffects(Ledger &ledger, const EventPattern &pattern, const Event *events,
                const double *spent) {
  Accounts &accounts = ledger.accounts;
  Tables &tables = accounts.tables;
  const bool countersOnly = accounts.context.countersOnly;
  const auto nsOf = [&](Parts parts) {
    return countersOnly ? 0 : accounts.toNs(sumOf(parts, spent));
  };
  for (unsigned i = 0; i < pattern.effectCount; ++i) {
    const EventPattern::Change &change = pattern.changes[i];
    const Effect &effect = change.effect;
    switch (effect.kind) {
    case Effect::acquisition:
      ledger.addAcquisition(*change.section, events[effect.lock].address, effect.lockClass,
                            accounts.window, effect.contended, effect.byWriter, nsOf(effect.first));
      break;
    case Effect::holding:
      if (countersOnly)
        break;
      ledger.addHolding(*change.section, nsOf(effect.first));
      if (Lock *const record =
              tables.lock(events[effect.lock].address, effect.lockClass, change.section->lockPlace))
        record->heldNs += nsOf(effect.second);
      break;
    case Effect::passage:
      if (countersOnly)
        ++change.transition->local.count;
      else
        tables.addLocal(*change.transition,
                        accounts.toNs(accounts.localTicks + sumOf(effect.first, spent)),
                        accounts.toNs(accounts.blockedTicks + sumOf(effect.second, spent)));
      accounts.localTicks = accounts.blockedTicks = 0;
      break;
    case Effect::reading:
      ledger.countRead(events[effect.lock].address, effect.lockClass, nsOf(effect.first));
      break;
    case Effect::sharing:
      ledger.countReaders(events[effect.lock], events[change.stamp].stamp);
      break;
    }
  }
}

void count(Operations &operations, const EventPattern &pattern, const Event *events) {
  Ledger &ledger = operations.ledger;
  double spent[longestPattern];
  if (!operations.context().countersOnly)
    advance(ledger.accounts, pattern, events, spent);
  addEffects(ledger, pattern, events, spent);
  if (!operations.context().countersOnly) {
    ledger.accounts.localTicks += sumOf(pattern.localAfter, spent);
    ledger.accounts.blockedTicks += sumOf(pattern.blockedAfter, spent);
  }
  for (unsigned i = 0; i < pattern.siteCount; ++i) {
    const EventPattern::SiteEffect &site = pattern.sites[i];
    site.counts->executed += site.executed;
    site.counts->inside += site.inside;
  }
  if (pattern.lastDone != 0)
    operations.wrappers.lastDone = operations.serial + pattern.lastDone;
  operations.serial += pattern.serials;
  ledger.lastSection = pattern.to;
  operations.lastReleased =
      pattern.lastReleased != 0 ? events[pattern.lastReleased - 1].address : 0;
}

} // namespace

std::size_t countKnownPattern(Operations &operations, const Event *events, std::size_t count,
                              std::uint64_t bound) {
  Tables &tables = operations.ledger.accounts.tables;
  std::size_t done = 0;
  tables.patterns.find(events[0].what & ~patternIgnores, operations.ledger.lastSection,
                       [&](const EventPattern &pattern) {
                         if (!matches(pattern, events, count, bound))
                           return false;
                         runtime::count(operations, pattern, events);
                         done = pattern.length;
                         return true;
                       });
  return done;
}

} // namespace qdadvise::runtime
