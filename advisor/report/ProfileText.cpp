// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/ProfileReport.h"

#include "advisor/advice/Advice.h"
#include "advisor/profile/Names.h"
#include "advisor/report/Wrapped.h"
#include "runtime/profile_format.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <string_view>

namespace qdadvise {
namespace {

constexpr std::size_t width = textWidth;
constexpr std::size_t nameColumn = 56;
constexpr std::size_t mostNotExecuted = 20; ///< the JSON lists them all

std::string baseName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

std::string plural(std::uint64_t count, const std::string &singular) {
  return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

std::string header(const Profile &profile) {
  const auto seconds = static_cast<std::time_t>(profile.startUnixNs / 1'000'000'000);
  const bool xray = (profile.flags & format::runHooksXray) != 0;
  std::string text = wrapped(fmt::format("{}: {:.3f} s measured on {}, {:%Y-%m-%d %H:%M:%S} UTC{}",
                                         profile.program, profile.durationNs * 1e-9,
                                         profile.host.empty() ? "an unnamed host" : profile.host,
                                         fmt::gmtime(seconds),
                                         profile.pid ? fmt::format(", pid {}", profile.pid) : ""),
                             2);
  std::string threads;
  const std::vector<std::string> names = threadClassNames(profile);
  for (std::size_t i = 0; i < names.size(); ++i)
    threads += fmt::format("{}{} {}", i ? ", " : "", profile.threadClasses[i].count, names[i]);
  text += wrapped("Threads: " + threads, 2);
  text += wrapped(fmt::format("Hooks ({}): {}, {} each, taken out", xray ? "xray" : "call",
                              plural(profile.events, "event"), formatDuration(profile.hookNs)),
                  2);
  return text;
}

std::string figures(const Measured &measured, bool timed) {
  const auto time = [&](const Moments &moments, double value) {
    return timed && moments.count > 0 ? formatDuration(value) : "-";
  };
  const std::string utilization = timed ? fmt::format("{:.1f}%", 100 * measured.utilization) : "-";
  return fmt::format("{:>6} {:>5.1f}% {:>7} {:>7} {:>7} {:>7} {:>9}", utilization,
                     100 * measured.contentionRate(), time(measured.hold, measured.hold.mean),
                     time(measured.hold, measured.hold.max),
                     time(measured.wait, measured.wait.mean),
                     time(measured.wait, measured.wait.max), measured.acquisitions);
}

/// A qualified name in so much room: without scopes from the left as need be, then cut.
std::string fitted(std::string text, std::size_t room) {
  for (std::size_t scope = text.find("::"); text.size() > room && scope != std::string::npos;
       scope = text.find("::"))
    text.erase(0, scope + 2);
  if (text.size() > room)
    text = room > 2 ? text.substr(0, room - 2) + ".." : "";
  return text;
}

std::string lockLine(const LockSummary &lock, bool timed, const TextStyle &style) {
  std::string name = lock.name;
  if (lock.instances > 1 || lock.moreInstances)
    name += fmt::format(" x{}{}", lock.instances, lock.moreInstances ? "+" : "");
  std::string line = fmt::format("{:<{}}", figures(lock.measured, timed), nameColumn);
  // A name is never cut: advice and networks use it.
  if (line.size() + name.size() > width)
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n    " + style.bold(name) + "\n";
  return line + style.bold(name) + "\n";
}

/// How unevenly several locks of one class are used.
std::string trafficLine(const LockSummary &lock) {
  if (lock.instances < 2 || lock.distribution.empty())
    return {};
  return fmt::format(
      "    {}{} locks; the busiest has {:.2g}% of the traffic, half of it is on {}\n",
      lock.instances, lock.moreInstances ? "+" : "", 100 * lock.busiestShare, lock.halfTheTraffic);
}

std::string siteLine(const Profile &profile, const SiteSummary &summary, bool timed) {
  const ProfiledSite &site = profile.sites[summary.site];
  std::string line = fmt::format("{:<{}}  ", figures(summary.measured, timed), nameColumn);
  std::string mark = site.file.empty() ? "" : fmt::format(":{}", site.line);
  if (summary.shared)
    mark += " shared";
  const std::string file = site.file.empty() ? site.expression : baseName(site.file);
  const std::string where = fitted(file, width - std::min(line.size() + mark.size(), width)) + mark;
  line += where;
  const std::string function = withoutParameters(site.function);
  if (!function.empty() && line.size() + 5 <= width)
    line += " " + fitted(function, width - line.size() - 1);
  return line + "\n";
}

std::string notExecuted(const Profile &profile, const ProfileSummary &summary) {
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
  return text + wrapped("Some locks are taken in company only: a run with two threads and "
                        "counters_only=1 may reach these, and `qdadvise merge --visits` adds it.",
                        0);
}

} // namespace

std::string profileReportText(const Profile &profile, const ProfileSummary &summary,
                              const TextStyle &style) {
  const bool timed = (profile.flags & format::runCountersOnly) == 0;
  std::string text = header(profile);
  for (const std::string &line : shortcomings(profile))
    text += style.warn(wrapped("note: " + line, 2));
  if (summary.locks.empty())
    return text + "\nNo lock was acquired while recording.\n" + notExecuted(profile, summary);

  const std::string rule(width, '-');
  text += "\n" + rule + "\n";
  text += "  UTIL    CON      HOLD            WAIT          TOTAL  LOCK\n";
  text += "                  MEAN     MAX    MEAN     MAX             file:line function\n";
  text += rule + "\n";
  bool nested = false;
  for (const LockSummary &lock : summary.locks) {
    text += lockLine(lock, timed, style) + trafficLine(lock);
    for (const SiteSummary &site : lock.sites) {
      text += siteLine(profile, site, timed);
      nested = nested || site.nested;
    }
  }
  text += rule + "\n";
  text += "WAIT MEAN is over all acquisitions. UTIL of several locks (xN) is their mean.\n";
  if (nested)
    text += "HOLD leaves out the critical sections nested inside; UTIL includes them.\n";
  return text + notExecuted(profile, summary);
}

} // namespace qdadvise
