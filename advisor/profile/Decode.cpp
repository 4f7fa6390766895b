// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Container.h"
#include "advisor/profile/EachMoments.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

namespace qdadvise {
namespace {

constexpr std::uint32_t bucketLimit = 32 * (63 - format::bucketSubBits + 2); // 2^64 ns and beyond

constexpr std::size_t deepestNesting = 4096; // far more than a thread can hold

/// Fills a Profile table by table. The first thing that is wrong is kept and stops the rest.
class Decoder {
public:
  explicit Decoder(const Container &container)
      : container(container), stringBudget(container.stringBudget()) {}

  bool decode();

  Profile profile;
  std::string problem;

private:
  bool decodeRun();
  bool decodeSites();
  bool decodePath(std::uint32_t first, const std::vector<format::CallerEntry> &callers,
                  std::vector<CallFrame> &path);
  bool decodeClosedLocks();
  bool decodeLocks();
  bool decodeThreadClasses();
  bool decodeSections();
  bool checkNesting();
  bool decodeMemory();
  bool decodeTransitions();
  bool decodeBuckets();
  bool decodeExactSums();
  bool decodeWindows();

  template <typename... Args> bool refuse(fmt::format_string<Args...> form, Args &&...args) {
    problem = fmt::format(form, std::forward<Args>(args)...);
    return false;
  }
  /// Records may have been shorter once: what they lack is zero.
  template <typename Record>
  bool read(format::Table table, std::vector<Record> &records,
            std::size_t shortest = sizeof(Record));
  bool text(std::uint32_t offset, std::string &out);
  bool within(const char *table, std::size_t record, const char *field, std::uint32_t value,
              std::size_t size);
  bool times(const char *table, std::size_t record, std::initializer_list<double> values);
  bool moments(const char *table, std::size_t record, const format::Moments &from, Moments &to);
  Histogram *histogramOf(const format::BucketEntry &entry);
  std::size_t otherSite();
  std::size_t otherLockClass();

  const Container &container;
  std::size_t stringBudget; ///< bytes of text that may still be decoded
};

template <typename Record>
bool Decoder::read(format::Table table, std::vector<Record> &records, std::size_t shortest) {
  return container.read(table, records, shortest) || refuse("{}", container.problem());
}

bool Decoder::text(std::uint32_t offset, std::string &out) {
  const std::optional<std::string_view> found = container.text(offset);
  if (!found)
    return refuse("a string begins at byte {} of {}", offset, container.stringBytes());
  if (found->size() > stringBudget)
    return refuse("its strings unfold to an absurd size");
  stringBudget -= found->size();
  out = *found;
  return true;
}

bool Decoder::within(const char *table, std::size_t record, const char *field, std::uint32_t value,
                     std::size_t size) {
  return value < size || refuse("{} {} names {} {} of {}", table, record, field, value, size);
}

bool Decoder::times(const char *table, std::size_t record, std::initializer_list<double> values) {
  for (const double value : values)
    if (!std::isfinite(value))
      return refuse("{} {} has a time that is not a number", table, record);
  return true;
}

bool Decoder::moments(const char *table, std::size_t record, const format::Moments &from,
                      Moments &to) {
  // Rounding may leave a sum of squares a little below zero.
  to = {from.count, from.mean, std::max(from.m2, 0.0), from.min, from.max};
  return times(table, record, {from.mean, from.m2, from.min, from.max});
}

bool Decoder::decode() {
  return decodeRun() && decodeSites() && decodeLocks() && decodeClosedLocks() &&
         decodeThreadClasses() && decodeSections() && checkNesting() && decodeMemory() &&
         decodeTransitions() && decodeBuckets() && decodeExactSums() && decodeWindows();
}

bool Decoder::decodeRun() {
  std::vector<format::RunRecord> runs;
  if (!read(format::Table::run, runs))
    return false;
  if (runs.size() != 1)
    return refuse("it describes {} runs instead of one", runs.size());
  const format::RunRecord &run = runs.front();
  profile.flags = run.flags;
  profile.pid = run.pid;
  profile.startUnixNs = run.startUnixNs;
  profile.durationNs = run.durationNs;
  profile.ticksPerNs = run.ticksPerNs;
  profile.timerNs = run.timerNs;
  profile.hookNs = run.hookNs;
  profile.events = run.events;
  profile.dropped = run.dropped;
  profile.unmatched = run.unmatched;
  profile.otherSections = run.otherSections;
  profile.otherLocks = run.otherLocks;
  profile.maxThreads = run.maxThreads;
  profile.threadsTotal = run.threadsTotal;
  profile.slicedNs = run.slicedNs;
  return text(run.program, profile.program) && text(run.host, profile.host) &&
         text(run.command, profile.command) &&
         times("run", 0, {run.durationNs, run.ticksPerNs, run.timerNs, run.hookNs, run.slicedNs});
}

bool Decoder::decodeSites() {
  std::vector<format::CallerEntry> callers;
  std::vector<format::SiteEntry> entries;
  if (!read(format::Table::callers, callers, offsetof(format::CallerEntry, function)))
    return false;
  format::SiteEntry absent{}; // of a profile from before there were callers
  absent.caller = format::none;
  if (!container.read(format::Table::sites, entries, offsetof(format::SiteEntry, caller), absent))
    return refuse("{}", container.problem());
  for (const format::SiteEntry &entry : entries) {
    ProfiledSite site;
    if (!text(entry.file, site.file) || !text(entry.function, site.function) ||
        !text(entry.expression, site.expression) || !text(entry.lockName, site.lockName) ||
        !text(entry.lockType, site.lockType) || !text(entry.declFile, site.declFile))
      return false;
    site.line = entry.line;
    site.column = entry.column;
    site.ordinal = entry.ordinal;
    site.declLine = entry.declLine;
    site.declColumn = entry.declColumn;
    site.role = entry.role;
    site.kind = entry.kind;
    site.flags = entry.flags;
    site.sectionHash = entry.sectionHash;
    site.facts = entry.facts;
    site.executed = entry.executed;
    site.inside = entry.inside;
    site.tryFailures = entry.tryFailures;
    if (entry.caller != format::none) {
      if (!within("site", profile.sites.size(), "caller", entry.caller, callers.size()) ||
          !text(callers[entry.caller].module, site.caller.emplace().module))
        return false;
      site.caller->offset = callers[entry.caller].offset;
    }
    if (!decodePath(entry.path, callers, site.path))
      return false;
    profile.sites.push_back(std::move(site));
  }
  return true;
}

/// Outwards is onwards in the table, so that every path ends.
bool Decoder::decodePath(std::uint32_t first, const std::vector<format::CallerEntry> &callers,
                         std::vector<CallFrame> &path) {
  const std::size_t site = profile.sites.size();
  for (std::uint32_t next = first, before = 0; next != 0;
       before = next, next = callers[next - 1].next) {
    if (!within("site", site, "path frame", next - 1, callers.size()))
      return false;
    if (next <= before)
      return refuse("the call path of site {} goes back in the table", site);
    if (path.size() == format::longestPath)
      return refuse("the call path of site {} has more than {} frames", site, format::longestPath);
    const format::CallerEntry &entry = callers[next - 1];
    CallFrame &frame = path.emplace_back();
    frame.address.offset = entry.offset;
    frame.line = entry.line;
    frame.own = (entry.flags & format::callerOwn) != 0;
    if (!text(entry.module, frame.address.module) || !text(entry.function, frame.function) ||
        !text(entry.file, frame.file))
      return false;
  }
  return true;
}

bool Decoder::decodeLocks() {
  std::vector<format::LockClassEntry> classes;
  if (!read(format::Table::lockClasses, classes, offsetof(format::LockClassEntry, maxReaders)))
    return false;
  for (const format::LockClassEntry &entry : classes) {
    ProfiledLockClass lockClass;
    if (!text(entry.name, lockClass.name) || !text(entry.type, lockClass.type) ||
        !text(entry.declFile, lockClass.declFile))
      return false;
    lockClass.declLine = entry.declLine;
    lockClass.declColumn = entry.declColumn;
    lockClass.kind = entry.kind;
    lockClass.readers.most = entry.maxReaders;
    lockClass.readers.heldNs = entry.readHeldNs;
    lockClass.closedRuns = entry.closedRuns;
    if (!times("lock class", profile.lockClasses.size(), {entry.readHeldNs}) ||
        !moments("lock class", profile.lockClasses.size(), entry.readBusy, lockClass.readers.busy))
      return false;
    profile.lockClasses.push_back(std::move(lockClass));
  }

  std::vector<format::LockEntry> locks;
  if (!read(format::Table::locks, locks))
    return false;
  for (const format::LockEntry &entry : locks) {
    const std::size_t number = profile.locks.size();
    if (!within("lock", number, "lock class", entry.lockClass, classes.size()) ||
        !times("lock", number, {entry.heldNs, entry.waitNs}))
      return false;
    profile.locks.push_back({entry.lockClass, entry.address, entry.acquisitions, entry.contended,
                             entry.heldNs, entry.waitNs});
  }
  return true;
}

bool Decoder::decodeClosedLocks() {
  std::vector<format::InstancesEntry> entries;
  if (!read(format::Table::instances, entries))
    return false;
  for (const format::InstancesEntry &entry : entries) {
    const std::size_t number = profile.closedLocks.size();
    if (!within("locks of the past", number, "lock class", entry.lockClass,
                profile.lockClasses.size()) ||
        !within("locks of the past", number, "bucket", entry.bucket, 64) ||
        !times("locks of the past", number, {entry.heldNs, entry.waitNs}))
      return false;
    // As many acquisitions as the bucket says, or figures drawn from them make no sense.
    constexpr std::uint64_t absurd = std::uint64_t{1} << 40;
    if (entry.instances == 0 || entry.instances > absurd ||
        entry.acquisitions / entry.instances >> entry.bucket != 1)
      return refuse("locks of the past {}: {} locks with {} acquisitions are not of bucket {}",
                    number, entry.instances, entry.acquisitions, entry.bucket);
    profile.closedLocks.push_back({entry.lockClass, entry.bucket, entry.instances,
                                   entry.acquisitions, entry.contended, entry.heldNs,
                                   entry.waitNs});
  }
  return true;
}

bool Decoder::decodeThreadClasses() {
  std::vector<format::ThreadClassEntry> entries;
  if (!read(format::Table::threadClasses, entries))
    return false;
  for (const format::ThreadClassEntry &entry : entries) {
    ProfiledThreadClass threadClass;
    if (!text(entry.name, threadClass.name) || !text(entry.file, threadClass.file) ||
        !times("thread class", profile.threadClasses.size(), {entry.aliveNs, entry.blockedNs}))
      return false;
    threadClass.line = entry.line;
    threadClass.count = entry.count;
    threadClass.maxAlive = entry.maxAlive;
    threadClass.isMain = entry.isMain != 0;
    threadClass.aliveNs = entry.aliveNs;
    threadClass.blockedNs = entry.blockedNs;
    profile.threadClasses.push_back(std::move(threadClass));
  }
  return true;
}

// The bucket beyond max_sections has no site and no lock class of its own. It gets
// stand-ins, so that every index of a Profile can be followed.
std::size_t Decoder::otherSite() {
  ProfiledSite site;
  site.expression = "(other)";
  profile.sites.push_back(std::move(site));
  return profile.sites.size() - 1;
}

std::size_t Decoder::otherLockClass() {
  ProfiledLockClass lockClass;
  lockClass.name = "(other)";
  profile.lockClasses.push_back(std::move(lockClass));
  return profile.lockClasses.size() - 1;
}

bool Decoder::decodeSections() {
  std::vector<format::SectionEntry> entries;
  if (!read(format::Table::sections, entries, offsetof(format::SectionEntry, contendedByWriter)))
    return false;
  for (const format::SectionEntry &entry : entries) {
    const std::size_t number = profile.sections.size();
    ProfiledSection section;
    section.shared = (entry.flags & format::sectionShared) != 0;
    section.other = (entry.flags & format::sectionOther) != 0;
    const bool noSite = section.other && entry.site == format::none;
    const bool noLock = section.other && entry.lockClass == format::none;
    if (!within("section", number, "thread class", entry.threadClass,
                profile.threadClasses.size()) ||
        (!noSite && !within("section", number, "site", entry.site, profile.sites.size())) ||
        (!noLock &&
         !within("section", number, "lock class", entry.lockClass, profile.lockClasses.size())) ||
        !moments("section", number, entry.hold, section.hold) ||
        !moments("section", number, entry.wait, section.wait) ||
        !moments("section", number, entry.waitContended, section.waitContended) ||
        !moments("section", number, entry.waitByWriter, section.waitByWriter))
      return false;
    section.threadClass = entry.threadClass;
    section.site = noSite ? otherSite() : entry.site;
    section.lockClass = noLock ? otherLockClass() : entry.lockClass;
    if (entry.inside != format::none) {
      if (!within("section", number, "outer section", entry.inside, entries.size()))
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

/// Nesting ends at an outermost section, is not absurdly deep and stays within one thread class.
bool Decoder::checkNesting() {
  constexpr std::size_t open = std::numeric_limits<std::size_t>::max();
  const std::vector<ProfiledSection> &sections = profile.sections;
  std::vector<std::size_t> depths(sections.size(), 0); // 0: not seen yet
  for (std::size_t start = 0; start < sections.size(); ++start) {
    std::vector<std::size_t> path;
    std::optional<std::size_t> at = start;
    for (; at && depths[*at] == 0; at = sections[*at].inside) {
      depths[*at] = open;
      path.push_back(*at);
      const std::optional<std::size_t> outer = sections[*at].inside;
      if (outer && sections[*outer].threadClass != sections[*at].threadClass)
        return refuse("section {} is inside one of another thread class", *at);
    }
    if (at && depths[*at] == open)
      return refuse("section {} is inside itself", *at);
    std::size_t depth = at ? depths[*at] : 0;
    for (; !path.empty(); path.pop_back()) {
      depths[path.back()] = ++depth;
      if (depth > deepestNesting)
        return refuse("section {} is nested more than {} deep", path.back(), deepestNesting);
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

/// Ascending, and nothing after the first that is free.
bool makeSense(const format::SiteOverlap (&overlaps)[format::overlapSlots]) {
  return std::adjacent_find(std::begin(overlaps), std::end(overlaps),
                            [](const format::SiteOverlap &one, const format::SiteOverlap &next) {
                              return next.site != 0 && next.site <= one.site;
                            }) == std::end(overlaps);
}

bool Decoder::decodeMemory() {
  std::vector<format::MemoryEntry> entries;
  if (!read(format::Table::memory, entries, offsetof(format::MemoryEntry, safeAccesses)))
    return false;
  for (std::size_t number = 0; number < entries.size(); ++number) {
    const format::MemoryEntry &entry = entries[number];
    if (!within("memory", number, "section", entry.section, profile.sections.size()))
      return false;
    std::optional<SectionMemory> &memory = profile.sections[entry.section].memory;
    if (memory)
      return refuse("section {} has two records of memory accesses", entry.section);
    if (entry.executions == 0 || entry.safeAccesses > entry.sharedAccesses ||
        entry.writers > entry.executions || !makeSense(entry.others) || !makeSense(entry.own) ||
        !makeSense(entry.othersOfWriters, entry.others) ||
        !makeSense(entry.ownOfWriters, entry.own) || !makeSense(entry.overlaps))
      return refuse("the record of memory accesses of section {} contradicts itself",
                    entry.section);
    memory.emplace(entry);
  }
  return true;
}

bool Decoder::decodeTransitions() {
  std::vector<format::TransitionEntry> entries;
  if (!read(format::Table::transitions, entries))
    return false;
  for (const format::TransitionEntry &entry : entries) {
    const std::size_t number = profile.transitions.size();
    ProfiledTransition transition;
    if (!within("transition", number, "thread class", entry.threadClass,
                profile.threadClasses.size()) ||
        !moments("transition", number, entry.local, transition.local) ||
        !moments("transition", number, entry.blocked, transition.blocked))
      return false;
    transition.threadClass = entry.threadClass;
    const auto end = [&](std::uint32_t section, std::optional<std::size_t> &to) {
      if (section == format::none)
        return true;
      if (!within("transition", number, "section", section, profile.sections.size()))
        return false;
      to = section;
      return profile.sections[section].threadClass == entry.threadClass ||
             refuse("transition {} names a section of another thread class", number);
    };
    if (!end(entry.from, transition.from) || !end(entry.to, transition.to))
      return false;
    profile.transitions.push_back(std::move(transition));
  }
  return true;
}

Histogram *Decoder::histogramOf(const format::BucketEntry &entry) {
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

bool Decoder::decodeBuckets() {
  std::vector<format::BucketEntry> entries;
  if (!read(format::Table::buckets, entries))
    return false;
  for (std::size_t number = 0; number < entries.size(); ++number) {
    const format::BucketEntry &entry = entries[number];
    Histogram *histogram = histogramOf(entry);
    if (!histogram)
      return refuse("bucket {} belongs to nothing (of {}, index {})", number, entry.of,
                    entry.index);
    if (!within("bucket", number, "interval", entry.bucket, bucketLimit))
      return false;
    // A file has them in ascending order.
    auto &buckets = histogram->buckets;
    buckets.try_emplace(buckets.end(), entry.bucket, 0)->second += entry.count;
  }
  return true;
}

/// Sums that do not give the figures are as good as none: whoever merges looks.
bool Decoder::decodeExactSums() {
  std::vector<format::ExactSumsEntry> entries;
  if (!read(format::Table::exactSums, entries))
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
      return refuse("exact sums {} belong to nothing (of {}, index {})", number, entry.of,
                    entry.index);
    owner->second->exact = {static_cast<__int128>(whole(entry.values)), whole(entry.squares)};
  }
  return true;
}

bool Decoder::decodeWindows() {
  std::vector<format::WindowEntry> windows;
  std::vector<format::WindowSectionEntry> sections;
  std::vector<format::WindowThreadEntry> threads;
  if (!read(format::Table::windows, windows) || !read(format::Table::windowSections, sections) ||
      !read(format::Table::windowThreads, threads))
    return false;
  for (const format::WindowEntry &entry : windows) {
    if (!times("window", profile.windows.size(), {entry.startNs, entry.durationNs}))
      return false;
    profile.windows.push_back({entry.startNs, entry.durationNs, {}, {}});
  }
  for (std::size_t number = 0; number < sections.size(); ++number) {
    const format::WindowSectionEntry &entry = sections[number];
    const char *table = "window's section";
    if (!within(table, number, "window", entry.window, windows.size()) ||
        !within(table, number, "section", entry.section, profile.sections.size()) ||
        !times(table, number, {entry.holdNs, entry.waitNs}))
      return false;
    profile.windows[entry.window].sections.push_back(
        {entry.section, entry.acquisitions, entry.holdNs, entry.waitNs});
  }
  for (std::size_t number = 0; number < threads.size(); ++number) {
    const format::WindowThreadEntry &entry = threads[number];
    const char *table = "window's thread class";
    if (!within(table, number, "window", entry.window, windows.size()) ||
        !within(table, number, "thread class", entry.threadClass, profile.threadClasses.size()) ||
        !times(table, number, {entry.localNs, entry.blockedNs}))
      return false;
    profile.windows[entry.window].threads.push_back(
        {entry.threadClass, entry.active, entry.localNs, entry.blockedNs});
  }
  return true;
}

} // namespace

Expected<Profile> decodeProfile(const std::string &bytes, const std::string &name) {
  const Container container(bytes);
  if (!container.problem().empty())
    return makeError(fmt::format("{}: {}", name, container.problem()));
  Decoder decoder(container);
  if (!decoder.decode())
    return makeError(fmt::format("{}: malformed profile: {}; record again", name, decoder.problem));
  return std::move(decoder.profile);
}

Expected<Profile> readProfile(const std::string &path) {
  const auto unreadable = [&] {
    return makeError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  };
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return unreadable();
  // The beginning first: whatever is not a profile is not read whole.
  std::string bytes(sizeof(format::FileHeader), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.bad() || (errno != 0 && file.gcount() == 0)) // a folder opens, but does not read
    return unreadable();
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (bytes.size() == sizeof(format::FileHeader) && hasProfileMagic(bytes)) {
    std::ostringstream rest;
    rest << file.rdbuf();
    bytes += rest.view();
    if (file.bad())
      return unreadable();
  }
  return decodeProfile(bytes, path);
}

} // namespace qdadvise
