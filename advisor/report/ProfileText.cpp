// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/ProfileText.h"

#include "advisor/profile/Names.h"
#include "advisor/report/LockTable.h"
#include "advisor/support/Format.h"
#include "runtime/abi/profile_format.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <vector>

namespace qdadvise {
namespace {

constexpr double worthSaying = 0.1;         ///< a share of what was measured
constexpr std::size_t mostNotExecuted = 20; ///< the JSON lists them all
constexpr std::size_t mostPaths = 10;       ///< of a site; the JSON lists them all

/// Hooks that are patched in are also hooks=call's.
std::string hookKindsOf(const Profile &profile) {
  const bool patched = (profile.flags & format::runHooksPatch) != 0;
  std::vector<std::string> kinds;
  if ((profile.flags & format::runHooksXray) != 0)
    kinds.emplace_back("xray");
  if (patched || (profile.flags & format::runHooksCall) != 0)
    kinds.emplace_back(patched ? "patch" : "call");
  return fmt::format("{}", fmt::join(kinds, " and "));
}

std::string header(const Profile &profile, const TextStyle &style) {
  const auto seconds = static_cast<std::time_t>(profile.startUnixNs / 1'000'000'000);
  const std::string which = profile.runs == 0  ? ", several runs merged"
                            : profile.runs > 1 ? fmt::format(", {} runs merged", profile.runs)
                            : profile.pid != 0 ? fmt::format(", pid {}", profile.pid)
                                               : "";
  std::string text =
      style.wrapped(fmt::format("{}: {:.3f} s measured on {}, {:%Y-%m-%d %H:%M:%S} UTC{}",
                                profile.program, profile.durationNs * 1e-9,
                                profile.host.empty() ? "an unnamed host" : profile.host,
                                fmt::gmtime(seconds), which),
                    2);
  std::string threads;
  const std::vector<std::string> names = threadClassNames(profile);
  for (std::size_t i = 0; i < names.size(); ++i)
    threads += fmt::format("{}{} {}", i ? ", " : "", profile.threadClasses[i].count, names[i]);
  text += style.wrapped("Threads: " + threads, 2);
  const bool inPlace = (profile.flags & format::runHooksInPlace) != 0;
  const bool timed = (profile.flags & format::runCountersOnly) == 0;
  const std::string cost =
      profile.hookNs > 0 ? fmt::format(", {} each{}{}", formatDuration(profile.hookNs),
                                       inPlace ? " where they are" : "", timed ? ", taken out" : "")
                         : "";
  text += style.wrapped(
      fmt::format("Hooks ({}): {}{}", hookKindsOf(profile), plural(profile.events, "event"), cost),
      2);
  return text;
}

/// What a line of a table shows.
struct Row {
  const Measured &measured;
  const ProfiledReaders *sharing; ///< null for a site: it is known of whole locks only
  bool timed;
  double seconds; ///< how long the run took
};

using Shown = std::string (*)(double ns);

std::string meanAndMax(const Moments &moments, Shown shown = shortDuration) {
  return moments.count > 0 ? fmt::format("{:>5}({:>5})", shown(moments.mean), shown(moments.max))
                           : fmt::format("{:>5}{:7}", "-", "");
}

std::string percentiles(const Measured &measured, double (Measured::*quantile)(double) const,
                        bool known, Shown shown = shortDuration) {
  std::string text;
  for (const double p : {0.5, 0.9, 0.99})
    text += fmt::format("{:>6}", known ? shown((measured.*quantile)(p)) : "-");
  return text.substr(1);
}

constexpr Column<Row> utilization = {"", "UTIL", 5, [](const Row &row) {
                                       return row.timed ? shortPercent(row.measured.utilization)
                                                        : "-";
                                     }};
constexpr Column<Row> perSecond = {"", "RATE", 5, [](const Row &row) {
                                     const auto count =
                                         static_cast<double>(row.measured.acquisitions);
                                     return row.seconds > 0 ? shortRate(count / row.seconds) : "-";
                                   }};
constexpr Column<Row> contention = {
    "", "CON", 5, [](const Row &row) { return shortPercent(row.measured.contentionRate()); }};
constexpr Column<Row> hold = {"HOLD", "MEAN(  MAX)", 12, [](const Row &row) {
                                return meanAndMax(row.measured.hold, shortHold);
                              }};
constexpr Column<Row> wait = {"WAIT", "MEAN(  MAX)", 12, [](const Row &row) {
                                return meanAndMax(row.measured.waitContended);
                              }};
constexpr Column<Row> holdPercentiles = {"HOLD", "P50   P90   P99", 17, [](const Row &row) {
                                           return percentiles(row.measured, &Measured::holdQuantile,
                                                              row.measured.hold.count > 0,
                                                              shortHold);
                                         }};
constexpr Column<Row> waitPercentiles = {"WAIT", "P50   P90   P99", 17, [](const Row &row) {
                                           return percentiles(row.measured, &Measured::waitQuantile,
                                                              row.measured.wait.count > 0);
                                         }};
constexpr Column<Row> mostReaders = {
    "MOST", "RDRS", 4, [](const Row &row) {
      return row.sharing ? row.sharing->most > 0 ? fmt::format("{}", row.sharing->most) : "-"
                         : std::string();
    }};
constexpr Column<Row> busyPeriod = {
    "BUSY PERIOD", "MEAN(  MAX)", 12, [](const Row &row) {
      return row.sharing ? meanAndMax(row.timed ? row.sharing->busy : Moments()) : std::string();
    }};
constexpr Column<Row> waitByWriter = {"WAIT (WW)", "MEAN(  MAX)", 12, [](const Row &row) {
                                        return meanAndMax(row.measured.waitByWriter);
                                      }};
constexpr Column<Row> total = {
    "", "TOTAL", 9, [](const Row &row) { return fmt::format("{}", row.measured.acquisitions); }};
constexpr Column<Row> spin = {
    "", "SPIN", 7, [](const Row &row) { return fmt::format("{}", row.measured.contended); }};
constexpr Column<Row> spinByWriter = {"SPIN", "WW", 6, [](const Row &row) {
                                        return fmt::format("{}", row.measured.contendedByWriter);
                                      }};

/// A part of the report: which locks it has, in which mode they were taken.
struct Part {
  const char *title;
  bool readerWriter;
  std::optional<bool> shared;
  Measured LockSummary::*measured;
  Columns<Row> columns; ///< behind the first, UTIL or RATE
  Columns<Row> apart;   ///< those that have no room beside percentiles
};

const Part parts[] = {
    {"SPINLOCKS AND MUTEXES",
     false,
     std::nullopt,
     &LockSummary::measured,
     {contention, hold, wait, total, spin},
     {}},
    {"RWLOCK READERS",
     true,
     true,
     &LockSummary::readers,
     {contention, hold, mostReaders, busyPeriod, wait, total, spin},
     {mostReaders, busyPeriod}},
    {"RWLOCK WRITERS",
     true,
     false,
     &LockSummary::writers,
     {contention, hold, wait, waitByWriter, total, spin, spinByWriter},
     {waitByWriter, spinByWriter}},
};

Columns<Row> columnsOf(const Part &part, const ReportView &view) {
  Columns<Row> columns = part.columns;
  if (view.percentiles)
    columns = {contention, holdPercentiles, waitPercentiles, total};
  columns.insert(columns.begin(), view.rate ? perSecond : utilization);
  return columns;
}

/// How unevenly several locks of one class are used.
std::string trafficLine(const LockSummary &lock) {
  if (lock.instances < 2 || lock.distribution.empty())
    return {};
  return fmt::format("    {}{} locks; the busiest has {} of the traffic, half of it is on {}\n",
                     lock.instances, lock.moreInstances ? "+" : "",
                     formatPercent(lock.busiestShare), lock.halfTheTraffic);
}

/// How many of the acquisitions are on locks that only one thread takes.
std::string ownedLine(const LockSummary &lock) {
  if (lock.instances < 2 || lock.ownedShare.value_or(0) < worthSaying)
    return {};
  return fmt::format("    {} of it is on locks that one thread has for itself\n",
                     shortPercent(*lock.ownedShare));
}

/// How much of the time that a lock was held its holder was blocked.
std::string blockedLine(const LockSummary &lock) {
  const double share = lock.measured.heldNs > 0 ? lock.heldBlockedNs / lock.measured.heldNs : 0;
  if (share < worthSaying || lock.measured.utilization < worthSaying / 10)
    return {};
  return fmt::format("    {} of the time that it was held its holder was blocked\n",
                     shortPercent(share));
}

/// Failed attempts to take the lock, which no column counts.
std::string failuresLine(const SiteSummary &site) {
  if (site.tryFailures == 0)
    return {};
  return fmt::format("    {} of {} attempts there failed\n", site.tryFailures,
                     site.tryFailures + site.measured.acquisitions);
}

std::string frameLine(const CallFrame &frame, std::size_t width) {
  const std::string indent(8, ' ');
  const std::string place =
      frame.file.empty() ? "" : fmt::format("{}:{} ", baseName(frame.file), frame.line);
  const std::size_t taken = indent.size() + place.size();
  const std::string name = withoutParameters(nameOfFrame(frame));
  return indent + place + fitted(name, taken < width ? width - taken : 0) + "\n";
}

/// The call paths by which a site was reached, where they were recorded.
std::string pathLines(const SiteSummary &site, bool timed, std::size_t width) {
  std::string text;
  const auto share = [](double part, double whole) {
    return shortPercent(whole > 0 ? part / whole : 0);
  };
  const Measured &all = site.measured;
  for (std::size_t i = 0; i < site.paths.size(); ++i) {
    if (i == mostPaths) {
      text += fmt::format("      and {} more\n", plural(site.paths.size() - i, "path"));
      break;
    }
    const PathSummary &path = site.paths[i];
    const Measured &here = path.measured;
    text += fmt::format(
        "      {} times ({})", here.acquisitions,
        share(static_cast<double>(here.acquisitions), static_cast<double>(all.acquisitions)));
    if (timed)
      text += fmt::format(", {} of WAIT, {} of HOLD",
                          share(here.waitContended.sum(), all.waitContended.sum()),
                          share(here.hold.sum(), all.hold.sum()));
    text += path.frames.empty() ? ", by other paths\n" : ", by\n";
    for (const CallFrame &frame : path.frames)
      if (!frame.own)
        text += frameLine(frame, width);
  }
  return text;
}

/// The lock objects of a class with the most traffic. A profile has neither distributions of times
/// nor sites of single objects.
std::string instanceLines(const Profile &profile, const LockSummary &lock, std::size_t count,
                          bool timed) {
  std::string text;
  if (lock.instances < 2)
    return text;
  for (const ProfiledLock *one : busiestLocks(profile, lock.lockClass, count))
    text += fmt::format(
        "    {:#x}: {} of the traffic, {} of {} waited{}\n", one->address,
        formatPercent(static_cast<double>(one->acquisitions) /
                      static_cast<double>(std::max<std::uint64_t>(lock.measured.acquisitions, 1))),
        one->contended, one->acquisitions,
        timed ? ", held " +
                    shortPercent(profile.durationNs > 0 ? one->heldNs / profile.durationNs : 0)
              : "");
  return text;
}

/// A sentence on which locks cost most.
std::string waiting(const ProfileSummary &summary, const TextStyle &style) {
  constexpr std::size_t most = 3;
  if (summary.waitedNs <= 0 || summary.awakeNs <= 0)
    return {};
  std::vector<const LockSummary *> locks;
  for (const LockSummary &lock : summary.locks)
    locks.push_back(&lock);
  const auto waited = [](const LockSummary *lock) { return lock->measured.waitContended.sum(); };
  std::sort(locks.begin(), locks.end(), [&](const LockSummary *a, const LockSummary *b) {
    return std::pair(-waited(a), a->name) < std::pair(-waited(b), b->name);
  });
  std::string text = fmt::format("Waited for locks: {} of the {} that threads were not blocked",
                                 shortPercent(summary.waitedNs / summary.awakeNs),
                                 formatDuration(summary.awakeNs));
  for (std::size_t i = 0; i < std::min(most, locks.size()) && waited(locks[i]) > 0; ++i)
    text += fmt::format("{} {} of it at {}", i == 0 ? ";" : ",",
                        shortPercent(waited(locks[i]) / summary.waitedNs), locks[i]->name);
  return style.wrapped(text, 2);
}

std::string partText(const Part &part, const Profile &profile, const ProfileSummary &summary,
                     const ReportView &view, const TextStyle &style) {
  const bool timed = (profile.flags & format::runCountersOnly) == 0;
  const double seconds = profile.durationNs * 1e-9;
  const Columns<Row> columns = columnsOf(part, view);
  std::string text, apart;
  for (const LockSummary &lock : summary.locks) {
    const Measured &measured = lock.*part.measured;
    if (lock.readerWriter != part.readerWriter || measured.acquisitions == 0)
      continue;
    const Row row{measured, &lock.sharing, timed, seconds};
    text += lockLine(lock, figuresOf(columns, row), style);
    apart += lockLine(lock, figuresOf(part.apart, row), style);
    // These lines are about both modes together, and stand once.
    if (part.shared.value_or(true) || lock.readers.acquisitions == 0)
      text += blockedLine(lock) + trafficLine(lock) + ownedLine(lock) +
              instanceLines(profile, lock, view.instances, timed);
    for (const SiteSummary &site : lock.sites) {
      if (site.shared != part.shared.value_or(site.shared))
        continue;
      const Row ofSite{site.measured, nullptr, timed, seconds};
      text += siteLine(profile.sites[site.site], figuresOf(columns, ofSite), style) +
              failuresLine(site) + pathLines(site, timed, style.width);
      if (!site.shared) // the number of readers is known of whole locks only
        apart += siteLine(profile.sites[site.site], figuresOf(part.apart, ofSite), style);
    }
  }
  if (text.empty())
    return text;
  text = tableHeading(part.title, columns, style) + text;
  if (view.percentiles && !part.apart.empty())
    text += tableHeading(fmt::format("{}, CONTINUED", part.title), part.apart, style) + apart;
  return text;
}

/// Explains the columns whose titles do not tell what they show.
std::string legend(const Profile &profile, const ProfileSummary &summary, const ReportView &view,
                   const TextStyle &style) {
  const bool timed = (profile.flags & format::runCountersOnly) == 0;
  std::string text =
      view.percentiles ? "WAIT is over all acquisitions; CON of TOTAL found the lock taken (SPIN)."
                       : "WAIT is over those that found the lock taken, SPIN counts them.";
  bool several = false, nested = false, readers = false, writers = false, blocked = false;
  for (const LockSummary &lock : summary.locks) {
    several = several || lock.instances > 1;
    blocked = blocked || !blockedLine(lock).empty();
    readers = readers || lock.readers.acquisitions > 0;
    writers = writers || (lock.readerWriter && lock.writers.acquisitions > 0);
    for (const SiteSummary &site : lock.sites)
      nested = nested || site.nested;
  }
  if (timed && !view.rate && several)
    text += " UTIL of several locks (xN) is their mean.";
  if (timed && !view.rate && readers)
    text += " UTIL of readers is the time with one or more; of one of their sites, added up.";
  if (writers)
    text += " WW: those of the writers that found another writer inside.";
  if (timed && blocked)
    text += " HOLD, and UTIL of a site, leave out blocked time.";
  if (timed && nested)
    text += " HOLD leaves out the critical sections nested inside, UTIL includes them.";
  return style.rule() + style.wrapped(text, 0);
}

std::string notExecuted(const Profile &profile, const ProfileSummary &summary,
                        const TextStyle &style) {
  if (summary.notExecuted.empty())
    return {};
  std::string text =
      fmt::format("\nNot executed: {}\n", plural(summary.notExecuted.size(), "critical section"));
  for (std::size_t i = 0; i < summary.notExecuted.size(); ++i) {
    if (i == mostNotExecuted) {
      text += fmt::format("  and {} more\n", summary.notExecuted.size() - i);
      break;
    }
    const ProfiledSite &site = profile.sites[summary.notExecuted[i]];
    text += fmt::format("  {}:{} {}\n", site.file, site.line, withoutParameters(site.function));
  }
  // The main thread beside one worker is no company yet.
  constexpr std::uint32_t company = 3;
  return text +
         style.wrapped(profile.maxThreads >= company
                           ? "Another input may reach these; `qdadvise merge` adds its run."
                           : "Some locks are taken in company only: a run with two threads may "
                             "reach these, and `qdadvise record --threads 1,2` adds one.",
                       0);
}

} // namespace

std::string profileReportText(const Profile &profile, const ProfileSummary &summary,
                              const ReportView &view, const TextStyle &style,
                              const std::string &findings, const std::string &memory) {
  std::string text = header(profile, style) + style.bold(waiting(summary, style));
  for (const std::string &line : shortcomings(profile))
    text += style.warn(style.wrapped("note: " + line, 2));
  if (!findings.empty())
    text += "\n" + findings;
  if (summary.locks.empty())
    return text + "\nNo lock was acquired while recording.\n" +
           notExecuted(profile, summary, style);
  for (const Part &part : parts)
    text += partText(part, profile, summary, view, style);
  return text + legend(profile, summary, view, style) + memory +
         notExecuted(profile, summary, style);
}

} // namespace qdadvise
