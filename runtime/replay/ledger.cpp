// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See ledger.h.
#include "runtime/replay/ledger.h"

namespace qdadvise::runtime {

using format::none;

std::uint32_t Ledger::sectionFor(std::uint32_t site, std::uint32_t lockClass, bool shared,
                                 std::uint32_t inside) {
  Tables &tables = accounts.tables;
  const std::uint32_t flags = shared ? std::uint32_t{format::sectionShared} : 0u;
  // Inside itself, however far out, it is the same section again, or a traversal with
  // one lock in hand while taking the next would never end making new ones.
  for (std::uint32_t outer = inside; outer != none; outer = tables.sections[outer].key.inside) {
    const SectionKey &key = tables.sections[outer].key;
    if (key.site == site && key.lockClass == lockClass && key.flags == flags && key.inside != none)
      return outer;
  }
  const std::uint32_t index = tables.section({accounts.classIndex, site, lockClass, inside, flags});
  if (index == none)
    ++tables.dropped;
  return index;
}

void Ledger::countAcquisition(HeldLock &lock, const Acquisition &taken) {
  Tables &tables = accounts.tables;
  if (const NamedLocks *const names = accounts.context.names) {
    lock.lockClass = names->find(taken.address, lock.lockClass);
    for (unsigned i = 0; i < lock.addressCount; ++i)
      lock.lockClass = names->find(lock.addresses[i], lock.lockClass);
  }
  const double waitNs = accounts.toNs(taken.waitTicks);
  lock.section = sectionFor(taken.site, lock.lockClass, lock.shared, taken.inside);
  Section *const section = lock.section == none ? nullptr : &tables.sections[lock.section];
  if (!section)
    return;
  if (section->kind != lock.kind) {
    section->kind = lock.kind;
    tables.noteKind(lock.lockClass, lock.kind);
  }
  if ((section->key.flags & format::sectionOther) != 0)
    ++tables.otherSections;
  if (section->key.inside == none && taken.outermost)
    countTransition(lock.section, taken.localTicks, taken.blockedTicks, taken.barriers);
  const Lock *const record =
      addAcquisition(*section, lock.identity(), lock.lockClass, accounts.windowOfStamp(taken.stamp),
                     taken.contended, taken.byWriter, waitNs);
  lock.recorded = record != nullptr;
  lock.recordAddress = record ? record->address : 0;
  lock.recordPlace = section->lockPlace;
  if (log)
    log->add({Effect::acquisition, taken.contended, taken.byWriter, lock.kind, lock.section,
              lock.lockClass, lock.identity(), partsOf(taken.waitTicks), 0});
}

Lock *Ledger::addAcquisition(Section &section, std::uint64_t address, std::uint32_t lockClass,
                             unsigned atWindow, bool contended, bool byWriter, double waitNs) {
  Tables &tables = accounts.tables;
  SectionWindow &inWindow = section.windows[atWindow];
  ++section.acquisitions;
  ++inWindow.acquisitions;
  section.contended += contended;
  section.contendedByWriter += byWriter;
  if (!accounts.context.countersOnly) {
    tables.addWait(section, waitNs, contended, byWriter);
    inWindow.waitNs += waitNs;
  }
  Lock *const record = tables.lock(address, lockClass, section.lockPlace);
  if (!record) {
    ++tables.dropped;
    return nullptr;
  }
  ++record->acquisitions;
  record->contended = record->contended + contended;
  record->waitNs += waitNs;
  if (record->address == 0)
    ++tables.otherLocks;
  return record;
}

void Ledger::countHolding(const HeldLock &lock) {
  Tables &tables = accounts.tables;
  const std::uint32_t index = lock.section;
  if (ended && ended->count < EndedSections::most)
    ended->entries[ended->count++] = {lock.serial, lock.identity(), index};
  if (index == none)
    return;
  Section &section = tables.sections[index];
  const double heldTicks = accounts.clock.now - lock.acquired;
  const double heldNs = accounts.toNs(heldTicks);
  if (!accounts.context.countersOnly) {
    addHolding(section, accounts.toNs(lock.own));
    LockTable::Place place = lock.recordPlace;
    if (Lock *const record =
            lock.recorded ? tables.lock(lock.recordAddress, lock.lockClass, place) : nullptr)
      record->heldNs += heldNs;
  }
  if (log)
    log->add({Effect::holding, false, false, lock.kind, index, lock.lockClass, lock.identity(),
              partsOf(lock.own), partsOf(heldTicks)});
  if (lock.shared)
    countRead(lock.identity(), lock.lockClass, heldNs);
  if (section.key.inside == none)
    lastSection = index;
}

void Ledger::countTransition(std::uint32_t to, double localTicks, double blockedTicks,
                             std::uint64_t barriers) {
  Tables &tables = accounts.tables;
  const std::uint32_t index = tables.transition({accounts.classIndex, lastSection, to});
  if (index == none) {
    ++tables.dropped;
  } else {
    Transition &transition = tables.transitions[index];
    transition.barriers += barriers;
    if (accounts.context.countersOnly)
      ++transition.local.count;
    else
      tables.addLocal(transition, accounts.toNs(localTicks), accounts.toNs(blockedTicks));
  }
  if (log)
    log->add({Effect::passage, false, false, LockKind::unknown, index, none, 0, partsOf(localTicks),
              partsOf(blockedTicks)});
}

void Ledger::countFailures(std::uint32_t site, std::uint32_t lockClass, bool shared,
                           std::uint32_t inside, std::uint32_t failures) {
  Tables &tables = accounts.tables;
  if (SiteCounts *const counts = tables.site(site)) {
    counts->executed += failures;
    counts->tryFailures += failures;
  }
  const std::uint32_t at = sectionFor(site, lockClass, shared, inside);
  if (at != none)
    tables.sections[at].tryFailures += failures;
}

void Ledger::countRead(std::uint64_t address, std::uint32_t lockClass, double heldNs) {
  if (log)
    log->add({Effect::reading, false, false, LockKind::unknown, none, lockClass, address,
              partsOf(heldNs), 0});
  lastRead = address;
  lastReaders = accounts.tables.readers(lockClass);
  if (lastReaders)
    lastReaders->heldNs += heldNs;
  else
    ++accounts.tables.dropped;
}

void Ledger::countReaders(const Event &event, std::uint64_t until) {
  if (event.address != lastRead || !lastReaders)
    return;
  if (log)
    log->add({Effect::sharing, false, false, LockKind::unknown, none, none, log->event, 0, 0});
  lastReaders->most = event.stack > lastReaders->most ? event.stack : lastReaders->most;
  if ((event.what & eventLast) == 0)
    return;
  const double busy = static_cast<double>(static_cast<std::int64_t>(until - event.stamp));
  lastReaders->busy.add(
      accounts.context.countersOnly ? 0 : accounts.toNs(busy - accounts.clock.hookTicks(event)));
}

} // namespace qdadvise::runtime
