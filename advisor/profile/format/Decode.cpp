// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/format/Decode.h"

#include "advisor/profile/EachMoments.h"
#include "advisor/profile/format/Container.h"
#include "advisor/profile/format/DecodeSections.h"
#include "advisor/profile/format/DecodeSources.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>

namespace qdadvise {
namespace {

bool decodeRun(CheckedRecords &records, Profile &profile) {
  std::vector<format::RunRecord> runs;
  if (!records.read(format::Table::run, runs, offsetof(format::RunRecord, runs)))
    return false;
  if (runs.size() != 1)
    return records.refuse("it describes {} runs instead of one", runs.size());
  const format::RunRecord &run = runs.front();
  if (run.flags & format::runSitesOnly)
    return records.refuse("it has counts of sites alone, which were dropped with counters_only");
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
  profile.runs = run.runs;
  profile.onProcessorNs = run.onProcessorNs;
  profile.runDelayNs = run.runDelayNs;
  return records.text(run.program, profile.program) && records.text(run.host, profile.host) &&
         records.text(run.command, profile.command) && records.counts("run", 0, {run.runs}) &&
         records.times("run", 0,
                       {run.durationNs, run.ticksPerNs, run.timerNs, run.hookNs, run.slicedNs,
                        run.onProcessorNs, run.runDelayNs});
}

bool decodeWindows(CheckedRecords &records, Profile &profile) {
  std::vector<format::WindowEntry> windows;
  std::vector<format::WindowSectionEntry> sections;
  std::vector<format::WindowThreadEntry> threads;
  if (!records.read(format::Table::windows, windows) ||
      !records.read(format::Table::windowSections, sections) ||
      !records.read(format::Table::windowThreads, threads))
    return false;
  for (const format::WindowEntry &entry : windows) {
    if (!records.times("window", profile.windows.size(), {entry.startNs, entry.durationNs}))
      return false;
    profile.windows.push_back({entry.startNs, entry.durationNs, {}, {}});
  }
  for (std::size_t number = 0; number < sections.size(); ++number) {
    const format::WindowSectionEntry &entry = sections[number];
    const char *table = "window's section";
    if (!records.within(table, number, "window", entry.window, windows.size()) ||
        !records.within(table, number, "section", entry.section, profile.sections.size()) ||
        !records.times(table, number, {entry.holdNs, entry.waitNs}))
      return false;
    profile.windows[entry.window].sections.push_back(
        {entry.section, entry.acquisitions, entry.holdNs, entry.waitNs});
  }
  for (std::size_t number = 0; number < threads.size(); ++number) {
    const format::WindowThreadEntry &entry = threads[number];
    const char *table = "window's thread class";
    if (!records.within(table, number, "window", entry.window, windows.size()) ||
        !records.within(table, number, "thread class", entry.threadClass,
                        profile.threadClasses.size()) ||
        !records.times(table, number, {entry.localNs, entry.blockedNs}))
      return false;
    profile.windows[entry.window].threads.push_back(
        {entry.threadClass, entry.active, entry.localNs, entry.blockedNs});
  }
  return true;
}

/// A module may have several records in the file.
bool decodeUnseen(CheckedRecords &records, Profile &profile) {
  std::vector<format::UnseenEntry> entries;
  if (!records.read(format::Table::unseen, entries))
    return false;
  std::map<std::string, std::uint64_t> modules;
  for (std::size_t number = 0; number < entries.size(); ++number) {
    std::string module;
    if (!records.text(entries[number].module, module) ||
        !records.counts("unseen locks", number, {entries[number].acquisitions}))
      return false;
    modules[module] += entries[number].acquisitions;
  }
  for (const auto &[module, acquisitions] : modules)
    profile.unseen.push_back({module, acquisitions});
  return true;
}

/// Whether it may be how many times as long something takes.
bool isRatio(double value) {
  constexpr double absurd = 1e6;
  return value > 0 && value < absurd;
}

bool decodeCopies(CheckedRecords &records, Profile &profile) {
  std::vector<format::CopiesEntry> entries;
  if (!records.read(format::Table::copies, entries))
    return false;
  for (std::size_t number = 0; number < entries.size(); ++number) {
    const format::CopiesEntry &entry = entries[number];
    ProfiledCopies round{"", entry.processors, entry.copies, entry.aloneNs, entry.besideNs};
    if (!records.text(entry.cpu, round.cpu) ||
        !records.times("copies", number, {entry.aloneNs, entry.besideNs}))
      return false;
    if (entry.copies < 2 || entry.copies > entry.processors)
      return records.refuse("copies {}: {} copies at once on {} processors", number, entry.copies,
                            entry.processors);
    if (!isRatio(entry.besideNs / entry.aloneNs) || entry.aloneNs <= 0)
      return records.refuse("copies {} took {:g} ns of processor time alone and {:g} ns beside "
                            "others",
                            number, entry.aloneNs, entry.besideNs);
    profile.copies.push_back(std::move(round));
  }
  return true;
}

/// A file that does not tell the number of runs has one run, unless it was merged.
void countRuns(Profile &profile) {
  bool merged = profile.pid == 0;
  forEachMoments(profile, [&](format::MomentsOf, std::size_t, const Moments &moments) {
    merged = merged || moments.exact;
  });
  if (profile.runs == 0 && !merged)
    profile.runs = 1;
}

} // namespace

Expected<Profile> decodeProfile(const std::string &bytes, const std::string &name) {
  const Container container(bytes);
  if (!container.problem().empty())
    return makeError(fmt::format("{}: {}", name, container.problem()));
  CheckedRecords records(container);
  Profile profile;
  if (!decodeRun(records, profile) || !decodeSources(records, profile) ||
      !decodeSections(records, profile) || !decodeWindows(records, profile) ||
      !decodeUnseen(records, profile) || !decodeCopies(records, profile))
    return makeError(
        fmt::format("{}: malformed profile: {}; record again", name, records.problem()));
  countRuns(profile);
  return profile;
}

Expected<Profile> readProfile(const std::string &path) {
  const auto unreadable = [&] {
    return makeError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  };
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return unreadable();
  // The header is read first, so that a file that is no profile is not read as a whole.
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
