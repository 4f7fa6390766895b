// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See writer.h.
#include "runtime/output/writer.h"

#include "runtime/sites/path_memory.h"
#include "runtime/sites/sites.h"
#include "runtime/threads/thread_classes.h"

#include <cstring>

namespace qdadvise::runtime {

using format::none;

namespace {

/// The table of strings, each once.
class Strings {
public:
  Strings() { text.append("", 1); }

  std::uint32_t add(const char *string) {
    if (!string || !*string)
      return 0;
    const std::size_t bytes = std::strlen(string) + 1;
    std::uint64_t hash = bytes;
    for (std::size_t i = 0; i < bytes; ++i)
      hash = mixHash(hash, static_cast<unsigned char>(string[i]));
    const std::uint32_t found = index.find(
        hash, [&](std::uint32_t at) { return std::strcmp(text.data() + at, string) == 0; });
    if (found != none)
      return found;
    const auto offset = static_cast<std::uint32_t>(text.size());
    text.append(string, bytes);
    lost |= !index.insert(arena, hash, offset);
    return offset;
  }

  const ByteBuffer &bytes() const { return text; }
  bool failed() const { return lost || text.failed(); }

private:
  Arena arena;
  HashIndex index;
  bool lost = false;
  ByteBuffer text;
};

class Encoder {
public:
  Encoder(const Tables &from, const RunFacts &of, ByteBuffer &to)
      : tables(from), facts(of), file(to), sites(Sites::instance()) {}

  void encode() {
    const format::FileHeader header{};
    file.append(&header, sizeof header);
    const format::TableEntry entry{};
    for (std::uint32_t i = 0; i < tableTotal; ++i)
      file.append(&entry, sizeof entry);
    const bool canNumber =
        number(siteNumber, sites.size()) && number(threadClassNumber, threadClassCount());
    if (!canNumber)
      return file.fail();
    findOther();
    writeSites();
    writeCallers();
    writeLockClasses();
    writeLocks();
    writeInstances();
    writeThreadClasses();
    writeTakers();
    writeSections();
    writeMemory();
    writeTransitions();
    writeBuckets();
    writeWindows();
    writeUnseen();
    writeRun();
    begin(format::Table::strings, 1);
    file.append(strings.bytes().data(), strings.bytes().size());
    end(strings.bytes().size());
    if (strings.failed())
      file.fail();
    finish();
  }

private:
  template <typename Record> void put(const Record &record) {
    file.append(&record, sizeof record);
    ++written;
  }
  void begin(format::Table table, std::uint32_t recordSize) {
    file.alignTo8();
    entries[entryCount] = {table, recordSize, file.size(), 0};
    written = 0;
  }
  /// Makes `of` so long, with the number of what is not in the file; false when out of memory.
  bool number(BlockArray<std::uint32_t> &of, std::uint32_t count) {
    while (of.size() < count) {
      std::uint32_t *const added = of.append(arena);
      if (!added)
        return false;
      *added = none;
    }
    return true;
  }
  void end() { end(written); }
  void end(std::uint64_t count) { entries[entryCount++].count = count; }

  /// Sections beyond the limit belong to one site and lock class made up for them.
  void findOther() {
    for (std::uint32_t i = 0; i < tables.sections.size(); ++i)
      hasOther |= (tables.sections[i].key.flags & format::sectionOther) != 0;
  }

  static bool isListed(SiteRole role) {
    return role == SiteRole::acquire || role == SiteRole::wait || role == SiteRole::block ||
           role == SiteRole::wrapper;
  }

  void writeSites() {
    begin(format::Table::sites, sizeof(format::SiteEntry));
    for (std::uint32_t i = 0; i < siteNumber.size(); ++i) {
      const SiteRecord &record = sites.record(i);
      const Sites::CallerPlace *const place = sites.callerOf(i);
      if (!isListed(record.role) || (place && isOnTheWay(*place)))
        continue;
      siteNumber[i] = static_cast<std::uint32_t>(written);
      format::SiteEntry entry{};
      entry.caller = none;
      addCallers(place, (record.flags & siteByCaller) != 0, entry);
      entry.file = strings.add(record.file);
      entry.function = strings.add(record.function);
      entry.expression = strings.add(record.expression);
      entry.lockName = strings.add(record.lockName);
      entry.lockType = strings.add(record.lockType);
      entry.declFile = strings.add(record.declFile);
      entry.line = record.line;
      entry.column = record.column;
      entry.ordinal = record.ordinal;
      entry.declLine = record.declLine;
      entry.declColumn = record.declColumn;
      entry.role = static_cast<std::uint32_t>(record.role);
      entry.kind = static_cast<std::uint32_t>(record.kind);
      entry.flags = record.flags & ~std::uint32_t{siteTraced};
      entry.sectionHash = record.sectionHash;
      entry.facts = record.facts;
      if (i < tables.sites.size()) {
        entry.executed = tables.sites[i].executed;
        entry.inside = tables.sites[i].inside;
        entry.tryFailures = tables.sites[i].tryFailures;
        entry.flags |= tables.sites[i].reentered ? std::uint32_t{siteReentered} : 0;
      }
      put(entry);
    }
    if (hasOther) {
      otherSite = static_cast<std::uint32_t>(written);
      format::SiteEntry entry{};
      entry.caller = none;
      entry.function = strings.add("(other)");
      entry.expression = entry.function;
      put(entry);
    }
    end();
  }

  bool isByCaller(std::uint32_t site) const {
    return (sites.record(site).flags & siteByCaller) != 0 && !sites.callerOf(site);
  }
  /// A place on call paths at which none ends is no site.
  bool isOnTheWay(const Sites::CallerPlace &place) const {
    return !place.endsPath && !isByCaller(place.body);
  }

  /// What tells a site apart from its record's: the place that called it, and the path there.
  void addCallers(const Sites::CallerPlace *place, bool byCaller, format::SiteEntry &entry) {
    const Sites::CallerPlace *outermostFirst[deepestPath + 2];
    unsigned count = 0;
    for (; place && count < deepestPath + 2; place = sites.callerOf(place->body))
      outermostFirst[count++] = place;
    format::CallerEntry *inner = nullptr;
    for (unsigned i = count; i-- > 0;) {
      const CodePlace &at = outermostFirst[i]->at;
      format::CallerEntry *const added = callers.append(arena);
      if (!added)
        return file.fail();
      added->module = strings.add(at.module);
      added->offset = at.offset;
      const bool isInnermost = i + 1 == count;
      if (isInnermost && byCaller) {
        entry.caller = callers.size() - 1;
        continue;
      }
      added->flags = isInnermost ? std::uint32_t{format::callerOwn} : 0;
      (inner ? inner->next : entry.path) = callers.size();
      inner = added;
    }
  }

  void writeCallers() {
    begin(format::Table::callers, sizeof(format::CallerEntry));
    for (std::uint32_t i = 0; i < callers.size(); ++i)
      put(callers[i]);
    end();
  }

  void writeLockClasses() {
    begin(format::Table::lockClasses, sizeof(format::LockClassEntry));
    const std::uint32_t count = sites.lockClasses().size();
    for (std::uint32_t i = 0; i < count; ++i) {
      const LockClassInfo &info = sites.lockClasses()[i];
      LockKind kind = info.kind;
      if (i < tables.lockClassKinds.size() && tables.lockClassKinds[i] != LockKind::unknown)
        kind = tables.lockClassKinds[i];
      format::LockClassEntry entry{};
      entry.name = strings.add(info.name);
      entry.type = strings.add(info.type);
      entry.declFile = strings.add(info.declFile);
      entry.declLine = info.declLine;
      entry.declColumn = info.declColumn;
      entry.kind = static_cast<std::uint32_t>(kind);
      if (i < tables.lockClassReaders.size()) {
        const Readers &readers = tables.lockClassReaders[i];
        entry.maxReaders = static_cast<std::uint32_t>(readers.most);
        entry.readHeldNs = readers.heldNs;
        entry.readBusy = readers.busy.moments();
      }
      put(entry);
    }
    if (hasOther) {
      otherClass = static_cast<std::uint32_t>(written);
      format::LockClassEntry entry{};
      entry.name = strings.add("(other)");
      put(entry);
    }
    end();
  }

  void writeLocks() {
    begin(format::Table::locks, sizeof(format::LockEntry));
    tables.locks.forEach([this](const Lock &lock) {
      put(format::LockEntry{lock.lockClass(), 0, lock.address, lock.acquisitions, lock.contended,
                            lock.heldNs, lock.waitNs});
    });
    end();
  }

  void writeInstances() {
    begin(format::Table::instances, sizeof(format::InstancesEntry));
    const BlockArray<Instances> &rows = tables.closedLocks.rows;
    for (std::uint32_t i = 0; i < rows.size(); ++i)
      put(format::InstancesEntry{rows[i].lockClass, rows[i].bucket, rows[i].instances,
                                 rows[i].traffic.acquisitions, rows[i].traffic.contended,
                                 rows[i].traffic.heldNs, rows[i].traffic.waitNs});
    end();
  }

  bool isUsed(std::uint32_t threadClass) const {
    for (std::uint32_t i = 0; i < tables.sections.size(); ++i)
      if (tables.sections[i].key.threadClass == threadClass)
        return true;
    return threadClass < tables.threadClasses.size() &&
           tables.threadClasses[threadClass].aliveNs > 0;
  }

  void writeThreadClasses() {
    begin(format::Table::threadClasses, sizeof(format::ThreadClassEntry));
    for (std::uint32_t i = 0; i < threadClassNumber.size(); ++i) {
      const ThreadClassInfo &info = threadClassInfo(i);
      if (info.count == 0 && i != mainThreadClass && !isUsed(i))
        continue;
      threadClassNumber[i] = static_cast<std::uint32_t>(written);
      format::ThreadClassEntry entry{};
      entry.name = strings.add(info.name);
      entry.file = strings.add(info.file);
      entry.line = info.line;
      entry.count = info.count;
      entry.maxAlive = info.maxAlive;
      entry.isMain = i == mainThreadClass;
      if (i < tables.threadClasses.size()) {
        entry.aliveNs = tables.threadClasses[i].aliveNs;
        entry.blockedNs = tables.threadClasses[i].blockedNs;
      }
      put(entry);
    }
    end();
  }

  void writeTakers() {
    if (tables.takers.size() == 0)
      return;
    begin(format::Table::takers, sizeof(format::TakersEntry));
    for (std::uint32_t i = 0; i < tables.takers.size(); ++i) {
      const Takers &row = tables.takers[i];
      put(format::TakersEntry{row.lockClass,
                              row.threadClass == none ? none : threadClassNumber[row.threadClass],
                              row.threads, row.owners, row.acquisitions, row.ofOwned, row.heldNs,
                              row.ofOwnedHeldNs, 1});
    }
    end();
  }

  void writeSections() {
    begin(format::Table::sections, sizeof(format::SectionEntry));
    for (std::uint32_t i = 0; i < tables.sections.size(); ++i) {
      const Section &section = tables.sections[i];
      const bool isOther = (section.key.flags & format::sectionOther) != 0;
      format::SectionEntry entry{};
      entry.threadClass = threadClassNumber[section.key.threadClass];
      entry.site = isOther ? otherSite : siteNumber[section.key.site];
      entry.lockClass = isOther ? otherClass : section.key.lockClass;
      entry.inside = section.key.inside;
      entry.flags = section.key.flags;
      entry.acquisitions = section.acquisitions;
      entry.contended = section.contended;
      entry.tryFailures = section.tryFailures;
      entry.hold = section.hold.moments();
      entry.wait = section.wait.moments();
      entry.waitContended = section.waitContended.moments();
      entry.contendedByWriter = section.contendedByWriter;
      entry.waitByWriter = section.waitByWriter.moments();
      put(entry);
    }
    end();
  }

  void writeMemory() {
    begin(format::Table::memory, sizeof(format::MemoryEntry));
    for (std::uint32_t i = 0; i < tables.sections.size(); ++i) {
      const Section &section = tables.sections[i];
      if (!section.memory || section.memory->entry.executions == 0)
        continue;
      format::MemoryEntry entry = section.memory->decided();
      entry.section = i;
      put(entry);
    }
    end();
  }

  void writeTransitions() {
    begin(format::Table::transitions, sizeof(format::TransitionEntry));
    for (std::uint32_t i = 0; i < tables.transitions.size(); ++i) {
      const Transition &transition = tables.transitions[i];
      put(format::TransitionEntry{threadClassNumber[transition.key.threadClass],
                                  transition.key.from, transition.key.to, 0,
                                  transition.local.moments(),
                                  (transition.blocked ? *transition.blocked : Sample())
                                      .withZeros(transition.local.count)
                                      .moments(),
                                  transition.barriers});
    }
    end();
  }

  template <unsigned subBits>
  void putBuckets(format::BucketOf of, std::uint32_t index, const Histogram<subBits> &histogram) {
    histogram.forEach([&](std::uint32_t bucket, std::uint64_t count) {
      put(format::BucketEntry{static_cast<std::uint32_t>(of), index, bucket, 0, count});
    });
  }

  void writeBuckets() {
    begin(format::Table::buckets, sizeof(format::BucketEntry));
    for (std::uint32_t i = 0; i < tables.sections.size(); ++i) {
      putBuckets(format::BucketOf::hold, i, tables.sections[i].holdHistogram);
      putBuckets(format::BucketOf::wait, i, tables.sections[i].waitHistogram);
    }
    for (std::uint32_t i = 0; i < tables.transitions.size(); ++i)
      putBuckets(format::BucketOf::local, i, tables.transitions[i].localHistogram);
    end();
  }

  double windowNs() const {
    return facts.nsPerTick * static_cast<double>(std::uint64_t{1} << tables.windowShift);
  }

  unsigned windowsUsed() const {
    const double whole = facts.record.durationNs / windowNs();
    const auto used = static_cast<unsigned>(whole < windowCount ? whole : windowCount - 1) + 1;
    return facts.record.durationNs > 0 ? used : 0;
  }

  void writeWindows() {
    const unsigned used = windowsUsed();
    begin(format::Table::windows, sizeof(format::WindowEntry));
    for (unsigned w = 0; w < used; ++w) {
      const double start = w * windowNs();
      const double rest = facts.record.durationNs - start;
      put(format::WindowEntry{start, rest < windowNs() ? rest : windowNs()});
    }
    end();
    begin(format::Table::windowSections, sizeof(format::WindowSectionEntry));
    for (unsigned w = 0; w < used; ++w)
      for (std::uint32_t i = 0; i < tables.sections.size(); ++i) {
        const SectionWindow &window = tables.sections[i].windows[w];
        if (window.acquisitions != 0 || window.holdNs > 0)
          put(format::WindowSectionEntry{w, i, window.acquisitions, window.holdNs, window.waitNs});
      }
    end();
    begin(format::Table::windowThreads, sizeof(format::WindowThreadEntry));
    for (unsigned w = 0; w < used; ++w)
      for (std::uint32_t i = 0; i < tables.threadClasses.size(); ++i) {
        const ThreadWindow &window = tables.threadClasses[i].windows[w];
        if (window.active != 0 && threadClassNumber[i] != none)
          put(format::WindowThreadEntry{w, threadClassNumber[i], window.active, 0, window.localNs,
                                        window.blockedNs});
      }
    end();
  }

  void writeUnseen() {
    if (!facts.unseen)
      return;
    begin(format::Table::unseen, sizeof(format::UnseenEntry));
    facts.unseen->forEach([this](const char *path, std::uint64_t taken) {
      // The program itself has no path, as the loader has it.
      const char *const module = !path ? "(others)" : *path ? path : facts.program;
      put(format::UnseenEntry{strings.add(module), 0, taken});
    });
    end();
  }

  void writeRun() {
    begin(format::Table::run, sizeof(format::RunRecord));
    format::RunRecord run = facts.record;
    run.program = strings.add(facts.program);
    run.host = strings.add(facts.host);
    run.command = strings.add(facts.command);
    run.events = tables.events;
    run.dropped += tables.dropped;
    run.unmatched = tables.unmatched;
    run.otherSections = tables.otherSections;
    run.otherLocks = tables.otherLocks;
    run.maxThreads = maxThreadsAlive();
    run.threadsTotal = threadsSeen();
    put(run);
    end();
  }

  void finish() {
    if (file.failed())
      return;
    format::FileHeader header{};
    std::memcpy(header.magic, format::magic, sizeof header.magic);
    header.version = format::version;
    header.fileSize = file.size();
    header.tableCount = entryCount;
    std::memcpy(file.data() + sizeof header, entries, entryCount * sizeof entries[0]);
    header.crc = crc32(file.data() + sizeof header, file.size() - sizeof header);
    std::memcpy(file.data(), &header, sizeof header);
  }

  const Tables &tables;
  const RunFacts &facts;
  ByteBuffer &file;
  const Sites &sites;
  Strings strings;
  Arena arena;
  BlockArray<std::uint32_t> siteNumber;        ///< by the runtime's site index
  BlockArray<std::uint32_t> threadClassNumber; ///< by the runtime's class index
  BlockArray<format::CallerEntry> callers;
  static constexpr std::uint32_t tableTotal = 17;
  format::TableEntry entries[tableTotal] = {};
  std::uint32_t entryCount = 0;
  std::uint64_t written = 0;
  bool hasOther = false;
  std::uint32_t otherSite = none;
  std::uint32_t otherClass = none;
};

} // namespace

void encodeProfile(const Tables &tables, const RunFacts &facts, ByteBuffer &file) {
  Encoder(tables, facts, file).encode();
}

} // namespace qdadvise::runtime
