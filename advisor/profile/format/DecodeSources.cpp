// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/format/DecodeSources.h"

#include "runtime/abi/site_record.h"

#include <algorithm>
#include <cstddef>

namespace qdadvise {
namespace {

/// The frames of a path must go forwards in the table, so that every path ends.
bool decodePath(CheckedRecords &records, std::size_t site, std::uint32_t first,
                const std::vector<format::CallerEntry> &callers, std::vector<CallFrame> &path) {
  for (std::uint32_t next = first, before = 0; next != 0;
       before = next, next = callers[next - 1].next) {
    if (!records.within("site", site, "path frame", next - 1, callers.size()))
      return false;
    if (next <= before)
      return records.refuse("the call path of site {} goes back in the table", site);
    if (path.size() == format::longestPath)
      return records.refuse("the call path of site {} has more than {} frames", site,
                            format::longestPath);
    const format::CallerEntry &entry = callers[next - 1];
    CallFrame &frame = path.emplace_back();
    frame.address.offset = entry.offset;
    frame.line = entry.line;
    frame.own = (entry.flags & format::callerOwn) != 0;
    if (!records.text(entry.module, frame.address.module) ||
        !records.text(entry.function, frame.function) || !records.text(entry.file, frame.file))
      return false;
  }
  return true;
}

bool decodeSites(CheckedRecords &records, Profile &profile) {
  std::vector<format::CallerEntry> callers;
  std::vector<format::SiteEntry> entries;
  if (!records.read(format::Table::callers, callers, offsetof(format::CallerEntry, function)))
    return false;
  format::SiteEntry absent{}; // for profiles from before there were callers
  absent.caller = format::none;
  if (!records.read(format::Table::sites, entries, offsetof(format::SiteEntry, caller), absent))
    return false;
  for (const format::SiteEntry &entry : entries) {
    ProfiledSite site;
    if (!records.text(entry.file, site.file) || !records.text(entry.function, site.function) ||
        !records.text(entry.expression, site.expression) ||
        !records.text(entry.lockName, site.lockName) ||
        !records.text(entry.lockType, site.lockType) ||
        !records.text(entry.declFile, site.declFile))
      return false;
    site.line = entry.line;
    site.column = entry.column;
    site.ordinal = entry.ordinal;
    site.declLine = entry.declLine;
    site.declColumn = entry.declColumn;
    site.role = entry.role;
    site.kind = entry.kind;
    site.flags = entry.flags & ~std::uint32_t{siteReentered};
    site.reentered = (entry.flags & siteReentered) != 0;
    site.sectionHash = entry.sectionHash;
    site.facts = entry.facts;
    site.executed = entry.executed;
    site.inside = entry.inside;
    site.tryFailures = entry.tryFailures;
    if (entry.caller != format::none) {
      if (!records.within("site", profile.sites.size(), "caller", entry.caller, callers.size()) ||
          !records.text(callers[entry.caller].module, site.caller.emplace().module))
        return false;
      site.caller->offset = callers[entry.caller].offset;
    }
    if (!decodePath(records, profile.sites.size(), entry.path, callers, site.path))
      return false;
    profile.sites.push_back(std::move(site));
  }
  return true;
}

bool decodeLocks(CheckedRecords &records, Profile &profile) {
  std::vector<format::LockClassEntry> classes;
  if (!records.read(format::Table::lockClasses, classes,
                    offsetof(format::LockClassEntry, maxReaders)))
    return false;
  for (const format::LockClassEntry &entry : classes) {
    ProfiledLockClass lockClass;
    if (!records.text(entry.name, lockClass.name) || !records.text(entry.type, lockClass.type) ||
        !records.text(entry.declFile, lockClass.declFile))
      return false;
    lockClass.declLine = entry.declLine;
    lockClass.declColumn = entry.declColumn;
    lockClass.kind = entry.kind;
    lockClass.readers.most = entry.maxReaders;
    lockClass.readers.heldNs = entry.readHeldNs;
    lockClass.closedRuns = entry.closedRuns;
    if (!records.times("lock class", profile.lockClasses.size(), {entry.readHeldNs}) ||
        !records.moments("lock class", profile.lockClasses.size(), entry.readBusy,
                         lockClass.readers.busy))
      return false;
    profile.lockClasses.push_back(std::move(lockClass));
  }

  std::vector<format::LockEntry> locks;
  if (!records.read(format::Table::locks, locks))
    return false;
  for (const format::LockEntry &entry : locks) {
    const std::size_t number = profile.locks.size();
    if (!records.within("lock", number, "lock class", entry.lockClass, classes.size()) ||
        !records.counts("lock", number, {entry.acquisitions, entry.contended}) ||
        !records.times("lock", number, {entry.heldNs, entry.waitNs}))
      return false;
    profile.locks.push_back({entry.lockClass, entry.address, entry.acquisitions, entry.contended,
                             entry.heldNs, entry.waitNs});
  }
  return true;
}

bool decodeClosedLocks(CheckedRecords &records, Profile &profile) {
  std::vector<format::InstancesEntry> entries;
  if (!records.read(format::Table::instances, entries))
    return false;
  for (const format::InstancesEntry &entry : entries) {
    const std::size_t number = profile.closedLocks.size();
    if (!records.within("locks of the past", number, "lock class", entry.lockClass,
                        profile.lockClasses.size()) ||
        !records.within("locks of the past", number, "bucket", entry.bucket, 64) ||
        !records.counts("locks of the past", number, {entry.acquisitions, entry.contended}) ||
        !records.times("locks of the past", number, {entry.heldNs, entry.waitNs}))
      return false;
    // Figures make sense only if there are as many acquisitions as the bucket says.
    constexpr std::uint64_t absurd = std::uint64_t{1} << 40;
    if (entry.instances == 0 || entry.instances > absurd ||
        entry.acquisitions / entry.instances >> entry.bucket != 1)
      return records.refuse(
          "locks of the past {}: {} locks with {} acquisitions are not of bucket {}", number,
          entry.instances, entry.acquisitions, entry.bucket);
    profile.closedLocks.push_back({entry.lockClass, entry.bucket, entry.instances,
                                   entry.acquisitions, entry.contended, entry.heldNs,
                                   entry.waitNs});
  }
  return true;
}

bool decodeThreadClasses(CheckedRecords &records, Profile &profile) {
  std::vector<format::ThreadClassEntry> entries;
  if (!records.read(format::Table::threadClasses, entries))
    return false;
  for (const format::ThreadClassEntry &entry : entries) {
    ProfiledThreadClass threadClass;
    if (!records.text(entry.name, threadClass.name) ||
        !records.text(entry.file, threadClass.file) ||
        !records.times("thread class", profile.threadClasses.size(),
                       {entry.aliveNs, entry.blockedNs}))
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

bool decodeTakers(CheckedRecords &records, Profile &profile) {
  std::vector<format::TakersEntry> entries;
  if (!records.read(format::Table::takers, entries, offsetof(format::TakersEntry, runs)))
    return false;
  for (const format::TakersEntry &entry : entries) {
    const std::size_t number = profile.takers.size();
    const bool ofSeveral = entry.threadClass == format::none;
    if (!records.within("takers", number, "lock class", entry.lockClass,
                        profile.lockClasses.size()) ||
        !(ofSeveral || records.within("takers", number, "thread class", entry.threadClass,
                                      profile.threadClasses.size())) ||
        !records.counts("takers", number, {entry.threads, entry.acquisitions}) ||
        !records.times("takers", number, {entry.heldNs, entry.ofOwnedHeldNs}))
      return false;
    if (entry.owners > entry.threads || entry.ofOwned > entry.acquisitions)
      return records.refuse("takers {}: {} of {} threads with locks of their own, {} of {} "
                            "acquisitions of such",
                            number, entry.owners, entry.threads, entry.ofOwned, entry.acquisitions);
    profile.takers.push_back(
        {entry.lockClass, ofSeveral ? std::nullopt : std::optional<std::size_t>(entry.threadClass),
         entry.threads, entry.owners, entry.acquisitions, entry.ofOwned, entry.heldNs,
         entry.ofOwnedHeldNs,
         entry.runs > 0 ? entry.runs : std::max<std::uint64_t>(profile.runs, 1)});
  }
  return true;
}

} // namespace

bool decodeSources(CheckedRecords &records, Profile &profile) {
  return decodeSites(records, profile) && decodeLocks(records, profile) &&
         decodeClosedLocks(records, profile) && decodeThreadClasses(records, profile) &&
         decodeTakers(records, profile);
}

} // namespace qdadvise
