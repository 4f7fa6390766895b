// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/format/DecodeSections.h"

#include "advisor/profile/EachMoments.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>

namespace qdadvise {
namespace {

constexpr std::uint32_t bucketLimit = 32 * (63 - format::bucketSubBits + 2); // 2^64 ns and beyond

constexpr std::size_t deepestNesting = 4096; // far more than a thread can hold

// The section that stands for those beyond max_sections has no site and no lock class. It gets
// stand-ins, so that every index of a Profile is valid.
std::size_t otherSite(Profile &profile) {
  ProfiledSite site;
  site.expression = "(other)";
  profile.sites.push_back(std::move(site));
  return profile.sites.size() - 1;
}

std::size_t otherLockClass(Profile &profile) {
  ProfiledLockClass lockClass;
  lockClass.name = "(other)";
  profile.lockClasses.push_back(std::move(lockClass));
  return profile.lockClasses.size() - 1;
}

bool decodeSectionTable(CheckedRecords &records, Profile &profile) {
  std::vector<format::SectionEntry> entries;
  if (!records.read(format::Table::sections, entries,
                    offsetof(format::SectionEntry, contendedByWriter)))
    return false;
  for (const format::SectionEntry &entry : entries) {
    const std::size_t number = profile.sections.size();
    ProfiledSection section;
    section.shared = (entry.flags & format::sectionShared) != 0;
    section.other = (entry.flags & format::sectionOther) != 0;
    const bool noSite = section.other && entry.site == format::none;
    const bool noLock = section.other && entry.lockClass == format::none;
    if (!records.within("section", number, "thread class", entry.threadClass,
                        profile.threadClasses.size()) ||
        (!noSite && !records.within("section", number, "site", entry.site, profile.sites.size())) ||
        (!noLock && !records.within("section", number, "lock class", entry.lockClass,
                                    profile.lockClasses.size())) ||
        !records.counts(
            "section", number,
            {entry.acquisitions, entry.contended, entry.tryFailures, entry.contendedByWriter}) ||
        !records.moments("section", number, entry.hold, section.hold) ||
        !records.moments("section", number, entry.wait, section.wait) ||
        !records.moments("section", number, entry.waitContended, section.waitContended) ||
        !records.moments("section", number, entry.waitByWriter, section.waitByWriter))
      return false;
    section.threadClass = entry.threadClass;
    section.site = noSite ? otherSite(profile) : entry.site;
    section.lockClass = noLock ? otherLockClass(profile) : entry.lockClass;
    if (entry.inside != format::none) {
      if (!records.within("section", number, "outer section", entry.inside, entries.size()))
        return false;
      section.inside = entry.inside;
    }
    section.acquisitions = entry.acquisitions;
    section.contended = entry.contended;
    section.tryFailures = entry.tryFailures;
    section.contendedByWriter = entry.contendedByWriter;
    profile.sections.push_back(std::move(section));
  }
  return true;
}

/// Checks that nesting ends at an outermost section, is not absurdly deep and stays within one
/// thread class.
bool checkNesting(CheckedRecords &records, const std::vector<ProfiledSection> &sections) {
  constexpr std::size_t open = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> depths(sections.size(), 0); // 0: not seen yet
  for (std::size_t start = 0; start < sections.size(); ++start) {
    std::vector<std::size_t> path;
    std::optional<std::size_t> at = start;
    for (; at && depths[*at] == 0; at = sections[*at].inside) {
      depths[*at] = open;
      path.push_back(*at);
      const std::optional<std::size_t> outer = sections[*at].inside;
      if (outer && sections[*outer].threadClass != sections[*at].threadClass)
        return records.refuse("section {} is inside one of another thread class", *at);
    }
    if (at && depths[*at] == open)
      return records.refuse("section {} is inside itself", *at);
    std::size_t depth = at ? depths[*at] : 0;
    for (; !path.empty(); path.pop_back()) {
      depths[path.back()] = ++depth;
      if (depth > deepestNesting)
        return records.refuse("section {} is nested more than {} deep", path.back(),
                              deepestNesting);
    }
  }
  return true;
}

bool makeSense(const format::ConflictPairs &pairs) {
  return pairs.conflicts <= pairs.lineConflicts && pairs.lineConflicts <= pairs.pairs;
}

bool makeSense(const format::WriterPairs &some, const format::ConflictPairs &all) {
  return some.conflicts <= some.pairs && some.pairs <= all.pairs && some.conflicts <= all.conflicts;
}

/// Whether the sites ascend, and all free places come last.
bool makeSense(const format::SiteOverlap (&overlaps)[format::overlapSlots]) {
  return std::adjacent_find(std::begin(overlaps), std::end(overlaps),
                            [](const format::SiteOverlap &one, const format::SiteOverlap &next) {
                              return next.site != 0 && next.site <= one.site;
                            }) == std::end(overlaps);
}

bool decodeMemory(CheckedRecords &records, Profile &profile) {
  std::vector<format::MemoryEntry> entries;
  if (!records.read(format::Table::memory, entries, offsetof(format::MemoryEntry, safeAccesses)))
    return false;
  for (std::size_t number = 0; number < entries.size(); ++number) {
    const format::MemoryEntry &entry = entries[number];
    if (!records.within("memory", number, "section", entry.section, profile.sections.size()))
      return false;
    std::optional<SectionMemory> &memory = profile.sections[entry.section].memory;
    if (memory)
      return records.refuse("section {} has two records of memory accesses", entry.section);
    if (entry.executions == 0 || entry.safeAccesses > entry.sharedAccesses ||
        entry.writers > entry.executions || !makeSense(entry.others) || !makeSense(entry.own) ||
        !makeSense(entry.othersOfWriters, entry.others) ||
        !makeSense(entry.ownOfWriters, entry.own) || !makeSense(entry.overlaps))
      return records.refuse("the record of memory accesses of section {} contradicts itself",
                            entry.section);
    memory.emplace(entry);
  }
  return true;
}

bool decodeTransitions(CheckedRecords &records, Profile &profile) {
  std::vector<format::TransitionEntry> entries;
  if (!records.read(format::Table::transitions, entries,
                    offsetof(format::TransitionEntry, barriers)))
    return false;
  for (const format::TransitionEntry &entry : entries) {
    const std::size_t number = profile.transitions.size();
    ProfiledTransition transition;
    if (!records.within("transition", number, "thread class", entry.threadClass,
                        profile.threadClasses.size()) ||
        !records.moments("transition", number, entry.local, transition.local) ||
        !records.moments("transition", number, entry.blocked, transition.blocked))
      return false;
    transition.threadClass = entry.threadClass;
    transition.barriers = entry.barriers;
    const auto end = [&](std::uint32_t section, std::optional<std::size_t> &to) {
      if (section == format::none)
        return true;
      if (!records.within("transition", number, "section", section, profile.sections.size()))
        return false;
      to = section;
      return profile.sections[section].threadClass == entry.threadClass ||
             records.refuse("transition {} names a section of another thread class", number);
    };
    if (!end(entry.from, transition.from) || !end(entry.to, transition.to))
      return false;
    profile.transitions.push_back(std::move(transition));
  }
  return true;
}

Histogram *histogramOf(Profile &profile, const format::BucketEntry &entry) {
  switch (static_cast<format::BucketOf>(entry.of)) {
  case format::BucketOf::hold:
    return entry.index < profile.sections.size() ? &profile.sections[entry.index].holdHistogram
                                                 : nullptr;
  case format::BucketOf::wait:
    return entry.index < profile.sections.size() ? &profile.sections[entry.index].waitHistogram
                                                 : nullptr;
  case format::BucketOf::local:
    return entry.index < profile.transitions.size()
               ? &profile.transitions[entry.index].localHistogram
               : nullptr;
  }
  return nullptr;
}

bool decodeBuckets(CheckedRecords &records, Profile &profile) {
  std::vector<format::BucketEntry> entries;
  if (!records.read(format::Table::buckets, entries))
    return false;
  for (std::size_t number = 0; number < entries.size(); ++number) {
    const format::BucketEntry &entry = entries[number];
    Histogram *histogram = histogramOf(profile, entry);
    if (!histogram)
      return records.refuse("bucket {} belongs to nothing (of {}, index {})", number, entry.of,
                            entry.index);
    if (!records.within("bucket", number, "interval", entry.bucket, bucketLimit) ||
        !records.counts("bucket", number, {entry.count}))
      return false;
    // A file has the buckets in ascending order.
    auto &buckets = histogram->buckets;
    buckets.try_emplace(buckets.end(), entry.bucket, 0)->second += entry.count;
  }
  return true;
}

/// Sums that contradict the figures do no harm: a merge checks them.
bool decodeExactSums(CheckedRecords &records, Profile &profile) {
  std::vector<format::ExactSumsEntry> entries;
  if (!records.read(format::Table::exactSums, entries))
    return false;
  if (entries.empty())
    return true;
  std::map<std::pair<std::uint32_t, std::size_t>, Moments *> owners;
  forEachMoments(profile, [&](format::MomentsOf of, std::size_t owner, Moments &moments) {
    owners[{static_cast<std::uint32_t>(of), owner}] = &moments;
  });
  const auto whole = [](const std::uint64_t (&halves)[2]) {
    return static_cast<unsigned __int128>(halves[1]) << 64 | halves[0];
  };
  for (std::size_t number = 0; number < entries.size(); ++number) {
    const format::ExactSumsEntry &entry = entries[number];
    const auto owner = owners.find({entry.of, entry.index});
    if (owner == owners.end())
      return records.refuse("exact sums {} belong to nothing (of {}, index {})", number, entry.of,
                            entry.index);
    owner->second->exact = {static_cast<__int128>(whole(entry.values)), whole(entry.squares)};
  }
  return true;
}

} // namespace

bool decodeSections(CheckedRecords &records, Profile &profile) {
  return decodeSectionTable(records, profile) && checkNesting(records, profile.sections) &&
         decodeMemory(records, profile) && decodeTransitions(records, profile) &&
         decodeBuckets(records, profile) && decodeExactSums(records, profile);
}

} // namespace qdadvise
