// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See site_counters.h.
#include "runtime/tables/site_counters.h"

#include "runtime/base/pages.h"

namespace qdadvise::runtime {

using format::none;

namespace {

/// Its own thread counts on meanwhile.
SiteCounter readCounter(const SiteCounter &counter) {
  const auto read = [](const std::uint64_t &of) { return __atomic_load_n(&of, __ATOMIC_RELAXED); };
  // Failures first: there are no more of them than of attempts.
  const std::uint64_t failures = read(counter.failures);
  return {read(counter.attempts), read(counter.contended), read(counter.contendedByWriter),
          failures};
}

std::uint64_t lesser(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }

/// Who fails has found the lock taken: what is left was acquired.
std::uint64_t withoutFailures(std::uint64_t contended, std::uint64_t failures,
                              std::uint64_t acquisitions) {
  return lesser(contended > failures ? contended - failures : 0, acquisitions);
}

} // namespace

SiteCounter *SiteCounters::counters() {
  if (!counted) {
    auto *const both =
        reinterpret_cast<SiteCounter *>(reservePages(std::size_t{2} * most * sizeof(SiteCounter)));
    counted = both;
    added = both ? both + most : nullptr;
  }
  return counted;
}

void SiteCounters::addTo(Tables &tables, std::uint32_t threadClass, const SiteTraits *sites,
                         std::uint32_t siteCount) {
  for (std::uint32_t site = 0; counted && site < lesser(siteCount, most); ++site) {
    const SiteCounter now = readCounter(counted[site]);
    SiteCounter &before = added[site];
    const std::uint64_t attempts = now.attempts - before.attempts;
    if (attempts == 0)
      continue;
    // One that was under way the last time, and counted as an acquisition, may have failed since:
    // it is another's of the next time.
    const std::uint64_t failures = lesser(now.failures - before.failures, attempts);
    const std::uint64_t acquisitions = attempts - failures;
    const std::uint64_t contended =
        withoutFailures(now.contended - before.contended, failures, acquisitions);
    const SiteTraits &traits = sites[site];
    const bool shared = (traits.flags & siteShared) != 0;
    const std::uint32_t index =
        tables.section({threadClass, site, traits.lockClass, none,
                        shared ? std::uint32_t{format::sectionShared} : 0u});
    SiteCounts *const counts = tables.site(site);
    const std::uint64_t byWriter = now.contendedByWriter - before.contendedByWriter;
    before = {now.attempts, now.contended, now.contendedByWriter, before.failures + failures};
    tables.events += attempts + failures;
    if (index == none || !counts) {
      tables.dropped += attempts + failures;
      continue;
    }
    Section &section = tables.sections[index];
    section.acquisitions += acquisitions;
    section.windows[0].acquisitions += acquisitions;
    section.contended += contended;
    section.contendedByWriter += lesser(byWriter, contended);
    section.tryFailures += failures;
    if ((section.key.flags & format::sectionOther) != 0)
      tables.otherSections += acquisitions;
    counts->executed += acquisitions;
    counts->tryFailures += failures;
    tables.noteKind(traits.lockClass, traits.kind);
  }
}

void SiteCounters::skip(std::uint32_t siteCount) {
  for (std::uint32_t site = 0; counted && site < lesser(siteCount, most); ++site)
    added[site] = readCounter(counted[site]);
}

} // namespace qdadvise::runtime
