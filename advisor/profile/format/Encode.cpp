// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/format/Encode.h"

#include "advisor/profile/EachMoments.h"
#include "advisor/profile/format/Container.h"
#include "runtime/abi/profile_format.h"
#include "runtime/abi/site_record.h"

#include <bit>
#include <cstring>
#include <type_traits>
#include <unordered_map>

namespace qdadvise {
namespace {

static_assert(std::endian::native == std::endian::little, "profiles are little-endian");

class Encoder {
public:
  std::string encode(const Profile &profile);

private:
  struct Body {
    format::Table table;
    std::uint32_t recordSize;
    std::uint64_t count;
    std::string bytes;
  };

  std::uint32_t text(const std::string &value);
  template <typename Record> void add(format::Table table, const std::vector<Record> &records);
  void addSources(const Profile &profile);
  void addSections(const Profile &profile);
  void addExactSums(const Profile &profile);
  void addWindows(const Profile &profile);
  void addUnseen(const Profile &profile);
  void addCopies(const Profile &profile);
  std::string assemble() const;

  std::string strings = std::string(1, '\0');
  std::unordered_map<std::string, std::uint32_t> offsets{{"", 0}};
  std::vector<Body> bodies;
};

std::uint32_t index(std::size_t value) { return static_cast<std::uint32_t>(value); }

std::uint32_t index(const std::optional<std::size_t> &value) {
  return value ? index(*value) : format::none;
}

format::Moments encoded(const Moments &moments) {
  return {moments.count, moments.mean, moments.m2, moments.min, moments.max};
}

void appendBuckets(std::vector<format::BucketEntry> &buckets, format::BucketOf of,
                   std::size_t owner, const Histogram &histogram) {
  for (const auto &[bucket, count] : histogram.buckets)
    buckets.push_back({static_cast<std::uint32_t>(of), index(owner), bucket, 0, count});
}

std::uint32_t Encoder::text(const std::string &value) {
  const auto [place, isNew] = offsets.try_emplace(value, index(strings.size()));
  if (isNew)
    strings.append(value.c_str(), value.size() + 1);
  return place->second;
}

template <typename Record>
void Encoder::add(format::Table table, const std::vector<Record> &records) {
  static_assert(std::is_trivially_copyable_v<Record>, "a record is its bytes");
  std::string bytes(records.size() * sizeof(Record), '\0');
  if (!records.empty())
    std::memcpy(bytes.data(), records.data(), bytes.size());
  bodies.push_back({table, sizeof(Record), records.size(), std::move(bytes)});
}

void Encoder::addSources(const Profile &profile) {
  std::vector<format::SiteEntry> sites;
  std::vector<format::CallerEntry> callers;
  sites.reserve(profile.sites.size());
  for (const ProfiledSite &site : profile.sites) {
    std::uint32_t caller = format::none;
    if (site.caller) {
      caller = index(callers.size());
      callers.push_back({text(site.caller->module), 0, site.caller->offset, 0, 0, 0, 0});
    }
    const std::uint32_t path = site.path.empty() ? 0 : index(callers.size() + 1);
    for (const CallFrame &frame : site.path) {
      const bool isLast = &frame == &site.path.back();
      callers.push_back({text(frame.address.module), isLast ? 0 : index(callers.size() + 2),
                         frame.address.offset, text(frame.function), text(frame.file), frame.line,
                         frame.own ? format::callerOwn : 0u});
    }
    sites.push_back({text(site.file),
                     text(site.function),
                     text(site.expression),
                     text(site.lockName),
                     text(site.lockType),
                     text(site.declFile),
                     site.line,
                     site.column,
                     site.ordinal,
                     site.declLine,
                     site.declColumn,
                     site.role,
                     site.kind,
                     site.flags | (site.reentered ? std::uint32_t{siteReentered} : 0),
                     site.sectionHash,
                     site.facts,
                     site.executed,
                     site.inside,
                     site.tryFailures,
                     caller,
                     path});
  }
  add(format::Table::sites, sites);
  add(format::Table::callers, callers);

  std::vector<format::LockClassEntry> lockClasses;
  lockClasses.reserve(profile.lockClasses.size());
  for (const ProfiledLockClass &lock : profile.lockClasses)
    lockClasses.push_back({text(lock.name), text(lock.type), text(lock.declFile), lock.declLine,
                           lock.declColumn, lock.kind, lock.readers.most, lock.closedRuns,
                           lock.readers.heldNs, encoded(lock.readers.busy)});
  add(format::Table::lockClasses, lockClasses);

  std::vector<format::LockEntry> locks;
  locks.reserve(profile.locks.size());
  for (const ProfiledLock &lock : profile.locks)
    locks.push_back({index(lock.lockClass), 0, lock.address, lock.acquisitions, lock.contended,
                     lock.heldNs, lock.waitNs});
  add(format::Table::locks, locks);

  std::vector<format::InstancesEntry> closed;
  closed.reserve(profile.closedLocks.size());
  for (const ProfiledInstances &some : profile.closedLocks)
    closed.push_back({index(some.lockClass), some.bucket, some.instances, some.acquisitions,
                      some.contended, some.heldNs, some.waitNs});
  add(format::Table::instances, closed);

  std::vector<format::ThreadClassEntry> threadClasses;
  threadClasses.reserve(profile.threadClasses.size());
  for (const ProfiledThreadClass &thread : profile.threadClasses)
    threadClasses.push_back({text(thread.name), text(thread.file), thread.line, thread.count,
                             thread.maxAlive, thread.isMain ? 1u : 0u, thread.aliveNs,
                             thread.blockedNs});
  add(format::Table::threadClasses, threadClasses);

  std::vector<format::TakersEntry> takers;
  for (const ProfiledTakers &some : profile.takers)
    takers.push_back({index(some.lockClass), index(some.threadClass), some.threads, some.owners,
                      some.acquisitions, some.ofOwned, some.heldNs, some.ofOwnedHeldNs, some.runs});
  if (!takers.empty())
    add(format::Table::takers, takers);
}

void Encoder::addSections(const Profile &profile) {
  std::vector<format::BucketEntry> buckets;
  std::vector<format::SectionEntry> sections;
  for (const ProfiledSection &section : profile.sections) {
    const std::uint32_t flags =
        (section.shared ? format::sectionShared : 0u) | (section.other ? format::sectionOther : 0u);
    appendBuckets(buckets, format::BucketOf::hold, sections.size(), section.holdHistogram);
    appendBuckets(buckets, format::BucketOf::wait, sections.size(), section.waitHistogram);
    sections.push_back({index(section.threadClass), index(section.site), index(section.lockClass),
                        index(section.inside), flags, 0, section.acquisitions, section.contended,
                        section.tryFailures, encoded(section.hold), encoded(section.wait),
                        encoded(section.waitContended), section.contendedByWriter,
                        encoded(section.waitByWriter)});
  }
  add(format::Table::sections, sections);

  std::vector<format::MemoryEntry> memory;
  for (std::size_t i = 0; i < profile.sections.size(); ++i)
    if (const std::optional<SectionMemory> &traced = profile.sections[i].memory) {
      memory.push_back(*traced);
      memory.back().section = index(i);
    }
  add(format::Table::memory, memory);

  std::vector<format::TransitionEntry> transitions;
  for (const ProfiledTransition &transition : profile.transitions) {
    appendBuckets(buckets, format::BucketOf::local, transitions.size(), transition.localHistogram);
    transitions.push_back({index(transition.threadClass), index(transition.from),
                           index(transition.to), 0, encoded(transition.local),
                           encoded(transition.blocked), transition.barriers});
  }
  add(format::Table::transitions, transitions);
  add(format::Table::buckets, buckets);
}

void Encoder::addExactSums(const Profile &profile) {
  std::vector<format::ExactSumsEntry> sums;
  forEachMoments(profile, [&](format::MomentsOf of, std::size_t owner, const Moments &moments) {
    if (!moments.exact)
      return;
    const auto values = static_cast<unsigned __int128>(moments.exact->values);
    const unsigned __int128 squares = moments.exact->squares;
    const auto half = [](unsigned __int128 value) { return static_cast<std::uint64_t>(value); };
    sums.push_back({static_cast<std::uint32_t>(of),
                    index(owner),
                    {half(values), half(values >> 64)},
                    {half(squares), half(squares >> 64)}});
  });
  add(format::Table::exactSums, sums);
}

void Encoder::addWindows(const Profile &profile) {
  std::vector<format::WindowEntry> windows;
  std::vector<format::WindowSectionEntry> sections;
  std::vector<format::WindowThreadEntry> threads;
  for (const ProfiledWindow &window : profile.windows) {
    const std::uint32_t number = index(windows.size());
    windows.push_back({window.startNs, window.durationNs});
    for (const ProfiledWindow::Section &section : window.sections)
      sections.push_back(
          {number, index(section.section), section.acquisitions, section.holdNs, section.waitNs});
    for (const ProfiledWindow::Threads &thread : window.threads)
      threads.push_back(
          {number, index(thread.threadClass), thread.active, 0, thread.localNs, thread.blockedNs});
  }
  add(format::Table::windows, windows);
  add(format::Table::windowSections, sections);
  add(format::Table::windowThreads, threads);
}

void Encoder::addUnseen(const Profile &profile) {
  std::vector<format::UnseenEntry> unseen;
  for (const ProfiledUnseen &one : profile.unseen)
    unseen.push_back({text(one.module), 0, one.acquisitions});
  if (!unseen.empty())
    add(format::Table::unseen, unseen);
}

void Encoder::addCopies(const Profile &profile) {
  std::vector<format::CopiesEntry> copies;
  for (const ProfiledCopies &round : profile.copies)
    copies.push_back(
        {text(round.cpu), round.processors, round.copies, 0, round.aloneNs, round.besideNs});
  if (!copies.empty())
    add(format::Table::copies, copies);
}

std::string Encoder::assemble() const {
  const auto aligned = [](std::size_t offset) { return (offset + 7) / 8 * 8; };
  std::vector<format::TableEntry> entries;
  std::size_t end = sizeof(format::FileHeader) + bodies.size() * sizeof(format::TableEntry);
  for (const Body &body : bodies) {
    end = aligned(end);
    entries.push_back({body.table, body.recordSize, end, body.count});
    end += body.bytes.size();
  }

  std::string file(end, '\0');
  std::memcpy(file.data() + sizeof(format::FileHeader), entries.data(),
              entries.size() * sizeof(format::TableEntry));
  for (std::size_t i = 0; i < bodies.size(); ++i)
    std::memcpy(file.data() + entries[i].offset, bodies[i].bytes.data(), bodies[i].bytes.size());

  format::FileHeader header = {};
  std::memcpy(header.magic, format::magic, sizeof(header.magic));
  header.version = format::version;
  header.fileSize = file.size();
  header.tableCount = index(entries.size());
  header.crc = checksumOf(file);
  std::memcpy(file.data(), &header, sizeof(header));
  return file;
}

std::string Encoder::encode(const Profile &profile) {
  add(format::Table::run, std::vector<format::RunRecord>{
                              {text(profile.program), text(profile.host),    text(profile.command),
                               profile.flags,         profile.pid,           profile.startUnixNs,
                               profile.durationNs,    profile.ticksPerNs,    profile.timerNs,
                               profile.hookNs,        profile.events,        profile.dropped,
                               profile.unmatched,     profile.otherSections, profile.otherLocks,
                               profile.maxThreads,    profile.threadsTotal,  profile.slicedNs,
                               profile.runs,          profile.onProcessorNs, profile.runDelayNs}});
  addSources(profile);
  addSections(profile);
  addExactSums(profile);
  addWindows(profile);
  addUnseen(profile);
  addCopies(profile);
  bodies.push_back({format::Table::strings, 1, strings.size(), strings});
  return assemble();
}

} // namespace

std::string encodeProfile(const Profile &profile) { return Encoder().encode(profile); }

} // namespace qdadvise
