// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/MemoryText.h"

#include "advisor/profile/Names.h"
#include "advisor/report/LockTable.h"
#include "advisor/support/Format.h"
#include "runtime/abi/profile_format.h"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>

namespace qdadvise {
namespace {

using Accesses = Columns<SectionMemory>;
using Access = SectionMemory;

std::string conflicts(const Access &of) {
  const std::optional<Conflicts> found = conflictsOf(of);
  return found ? fmt::format("{:>5} {:>5}", shortPercent(found->probability),
                             shortPercent(found->falseProbability()))
               : fmt::format("{:>5} {:>5}", "-", "-");
}

const Accesses accesses = {
    {"", "INSTR", 5, [](const Access &of) { return shortNumber(of.mean(of.instructions)); }},
    {"", "READS", 5, [](const Access &of) { return shortNumber(of.mean(of.reads)); }},
    {"", "WRITES", 6, [](const Access &of) { return shortNumber(of.mean(of.writes)); }},
    {"", "STACK", 5, [](const Access &of) { return shortNumber(of.mean(of.stackAccesses)); }},
    {"LOCATIONS", "READ WRITN", 11,
     [](const Access &of) {
       return fmt::format("{:>5} {:>5}", shortNumber(of.mean(of.locationsRead)),
                          shortNumber(of.mean(of.locationsWritten)));
     }},
    {"CACHE LINES", "READ WRITN   ALL", 17,
     [](const Access &of) {
       return fmt::format("{:>5} {:>5} {:>5}", shortNumber(of.mean(of.linesRead)),
                          shortNumber(of.mean(of.linesWritten)),
                          shortNumber(std::round(of.distinctLines())));
     }},
    {"", "SHARED", 6, [](const Access &of) { return shortPercent(of.sharedShare()); }},
    {"CONFLICTS", "TRUE FALSE", 11, conflicts},
};

const ProfiledSite &siteOf(const Profile &profile, const SiteSummary &summary) {
  return profile.sites[summary.site];
}

/// The locks of which only executions by one thread could be compared.
std::vector<std::string> locksOfOneThread(const ProfileSummary &summary, std::size_t &compared) {
  std::vector<std::string> names;
  for (const LockSummary &lock : summary.locks) {
    const std::optional<Conflicts> found =
        lock.measured.memory ? conflictsOf(*lock.measured.memory) : std::nullopt;
    compared += found.has_value();
    if (found && !found->otherThreads)
      names.push_back(lock.name);
  }
  return names;
}

std::string accessTable(const Profile &profile, const ProfileSummary &summary,
                        const TextStyle &style) {
  std::string text;
  for (const LockSummary &lock : summary.locks) {
    if (!lock.measured.memory)
      continue;
    text += lockLine(lock, figuresOf(accesses, *lock.measured.memory), style);
    for (const SiteSummary &site : lock.sites)
      if (site.measured.memory)
        text += siteLine(siteOf(profile, site), figuresOf(accesses, *site.measured.memory), style);
  }
  if (text.empty())
    return text;
  std::string legend =
      "Per execution of a section, but for ALL: cache lines of all executions together, about. "
      "READ: only read. SHARED: of reads and writes, to what other executions access, too. "
      "CONFLICTS: probability that another execution at the same time would get into the way, "
      "and that it would only for being in the same cache line.";
  std::size_t compared = 0;
  const std::vector<std::string> alone = locksOfOneThread(summary, compared);
  if (!alone.empty())
    legend += fmt::format(
        " {}xecutions of one thread stand in for other threads'.",
        alone.size() == compared ? "E" : fmt::format("At {}, e", fmt::join(alone, ", ")));
  return tableHeading("MEMORY", accesses, style) + text + style.rule() + style.wrapped(legend, 0);
}

/// What a line of the table is about: sections, or the threads of a class at them, or both.
struct Optimists {
  const OptimisticSections *sections;
  const OptimisticThreads *threads;
};

const Columns<Optimists> optimism = {
    {"", "WAITS", 5,
     [](const Optimists &of) { return of.sections ? shortNumber(of.sections->waits) : ""; }},
    {"CONFLICT", " TRUE  LINE", 11,
     [](const Optimists &of) {
       return of.sections ? fmt::format("{:>5} {:>5}", shortPercent(of.sections->conflict),
                                        shortPercent(of.sections->lineConflict))
                          : "";
     }},
    {"", "WAITING", 7,
     [](const Optimists &of) { return of.threads ? shortPercent(of.threads->waitShare) : ""; }},
    {"", "INSIDE", 6,
     [](const Optimists &of) { return of.threads ? shortPercent(of.threads->sectionShare) : ""; }},
    {"", "SPEED-UP", 8,
     [](const Optimists &of) {
       return of.threads ? fmt::format("{:.2f}", of.threads->gain.speedup) : "";
     }},
};

std::string optimists(const OptimisticSections *sections, const OptimisticThreads *threads) {
  return figuresOf<Optimists>(optimism, {sections, threads});
}

/// The threads are in the line of the sections where there is one class, else in lines of their
/// own.
std::string sectionFigures(const OptimisticSections &of) {
  return optimists(&of, of.threads.size() == 1 ? &of.threads.front() : nullptr);
}
std::string threadLines(const OptimisticSections &of, const std::vector<std::string> &names,
                        const std::string &indent, const TextStyle &style) {
  std::string text;
  if (of.threads.size() > 1)
    for (const OptimisticThreads &one : of.threads)
      text += labelled(optimists(nullptr, &one), indent, names[one.threadClass], style.plain());
  return text;
}

std::string optimisticTable(const Profile &profile, const ProfileSummary &summary,
                            const OptimisticProgram &program, const TextStyle &style) {
  const std::vector<std::string> names = threadClassNames(profile);
  std::string text;
  for (const LockSummary &lock : summary.locks) {
    const OptimisticLock *const found = program.find(lock.lockClass);
    if (!found)
      continue;
    text +=
        lockLine(lock, sectionFigures(*found), style) + threadLines(*found, names, "   ", style);
    for (const SiteSummary &site : lock.sites)
      if (const OptimisticSite *const at = found->find(site.site, site.shared))
        text += siteLine(profile.sites[site.site], sectionFigures(*at), style) +
                threadLines(*at, names, "     ", style);
  }
  if (text.empty())
    return text;
  return tableHeading("OPTIMISTIC CONCURRENCY", optimism, style) + text + style.rule() +
         style.wrapped(
             fmt::format("Maximum OCC efficiency {}: so much of the threads' time is saved where "
                         "any is. Best-case speed-up of the program: {:.2f}.",
                         shortPercent(program.efficiency), program.speedup),
             0) +
         style.wrapped(
             "WAITS: executions that an entering thread waits for. CONFLICT: with one of so "
             "many, by location and by cache line. SPEED-UP: of these threads, if they repeat "
             "what conflicts and do not wait.",
             0);
}

} // namespace

std::string memoryText(const Profile &profile, const ProfileSummary &summary,
                       const std::optional<OptimisticProgram> &optimistic, const TextStyle &style) {
  const std::string table = accessTable(profile, summary, style);
  if (table.empty() || optimistic)
    return table.empty() ? table : table + optimisticTable(profile, summary, *optimistic, style);
  if (!(profile.flags & format::runCountersOnly))
    return table;
  return table +
         style.wrapped("What sections would gain from running at once takes times to tell: give a "
                       "profile of a run without `memory` besides.",
                       0);
}

} // namespace qdadvise
