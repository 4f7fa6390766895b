// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See thin_tables.h.
#include "runtime/tables/thin_tables.h"

#include "runtime/base/thinning.h"

namespace qdadvise::runtime {

namespace {

constexpr double partOf(unsigned shift) {
  return 1 / static_cast<double>(std::uint64_t{1} << shift);
}

void thinWindows(Section &section, unsigned shift) {
  Thinning acquisitions(shift, section.acquisitions);
  for (SectionWindow &window : section.windows) {
    window.acquisitions = acquisitions.of(window.acquisitions);
    window.holdNs *= partOf(shift);
    window.waitNs *= partOf(shift);
  }
}

/// A time and its distribution.
template <unsigned subBits>
void thinTime(Tables &tables, Sample &sample, Histogram<subBits> &histogram, unsigned shift) {
  if (sample.thin(shift))
    tables.dropped += !histogram.replaceBy(tables.memory(), sample.origin);
  else
    histogram.thin(shift);
}

void thinSection(Tables &tables, Section &section, unsigned shift) {
  thinWindows(section, shift);
  std::uint64_t *const counts[] = {&section.acquisitions, &section.contended, &section.tryFailures,
                                   &section.contendedByWriter};
  for (std::uint64_t *const count : counts)
    *count = thinned(*count, shift);
  thinTime(tables, section.hold, section.holdHistogram, shift);
  thinTime(tables, section.wait, section.waitHistogram, shift);
  section.waitContended.thin(shift);
  section.waitByWriter.thin(shift);
}

void thinTransition(Tables &tables, Transition &transition, unsigned shift) {
  thinTime(tables, transition.local, transition.localHistogram, shift);
  if (transition.blocked)
    transition.blocked->thin(shift);
  transition.barriers = thinned(transition.barriers, shift);
}

/// Many locks are taken seldom: together they keep their share.
void thinLocks(LockTable &locks, unsigned shift) {
  constexpr std::uint64_t any = ~std::uint64_t{0};
  Thinning acquisitions(shift, any), contended(shift, any);
  locks.changeEach([&](Lock &lock) {
    lock.acquisitions = acquisitions.of(lock.acquisitions);
    const std::uint64_t waited = contended.of(lock.contended);
    lock.contended = waited < lock.acquisitions ? waited : lock.acquisitions;
    lock.heldNs *= partOf(shift);
    lock.waitNs *= partOf(shift);
  });
}

void thinSite(SiteCounts &site, unsigned shift) {
  std::uint64_t *const counts[] = {&site.executed, &site.inside, &site.tryFailures};
  for (std::uint64_t *const count : counts)
    *count = thinned(*count, shift);
}

void thinThreads(ThreadClassTimes &times, unsigned shift) {
  times.aliveNs *= partOf(shift);
  times.blockedNs *= partOf(shift);
  for (ThreadWindow &window : times.windows) {
    window.localNs *= partOf(shift);
    window.blockedNs *= partOf(shift);
  }
}

template <typename Row, typename Thin>
void thinEach(BlockArray<Row> &rows, unsigned shift, Thin thinRow) {
  for (std::uint32_t i = 0; i < rows.size(); ++i)
    thinRow(rows[i], shift);
}

} // namespace

void thin(Tables &tables, unsigned shift) {
  for (std::uint32_t i = 0; i < tables.sections.size(); ++i)
    thinSection(tables, tables.sections[i], shift);
  for (std::uint32_t i = 0; i < tables.transitions.size(); ++i)
    thinTransition(tables, tables.transitions[i], shift);
  thinEach(tables.sites, shift, thinSite);
  thinEach(tables.threadClasses, shift, thinThreads);
  thinEach(tables.lockClassReaders, shift, [](Readers &readers, unsigned by) {
    readers.heldNs *= partOf(by);
    readers.busy.thin(by);
  });
  thinLocks(tables.locks, shift);
  // As many windows of the time that is left.
  tables.windowShift -= shift < tables.windowShift ? shift : tables.windowShift;
  tables.events >>= shift;
  tables.xrayEvents >>= shift;
}

void thin(LockTraffic &traffic, unsigned shift) {
  traffic.acquisitions = thinned(traffic.acquisitions, shift);
  traffic.contended = thinned(traffic.contended, shift);
  traffic.heldNs *= partOf(shift);
  traffic.waitNs *= partOf(shift);
}

bool thin(const Distribution &closed, unsigned shift, Arena &arena, Distribution &into) {
  bool whole = true;
  for (std::uint32_t i = 0; i < closed.rows.size(); ++i) {
    Instances some = closed.rows[i];
    thin(some.traffic, shift);
    // Of locks that are taken more seldom than once in so many slices some are not seen.
    some.instances =
        some.traffic.acquisitions < some.instances ? some.traffic.acquisitions : some.instances;
    std::uint64_t each = some.instances != 0 ? some.traffic.acquisitions / some.instances : 0;
    for (some.bucket = 0; each > 1; each >>= 1)
      ++some.bucket;
    whole &= some.instances == 0 || into.add(arena, some);
  }
  return whole;
}

} // namespace qdadvise::runtime
