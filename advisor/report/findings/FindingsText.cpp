// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/findings/FindingsText.h"

#include "advisor/profile/Names.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <fmt/format.h>

namespace qdadvise {
namespace {

constexpr std::size_t mostFindings = 5; ///< the JSON lists them all
constexpr std::size_t mostPlaces = 3;

std::string headline(const Finding &finding, const TextStyle &style) {
  const std::string quadrant =
      finding.quadrant ? fmt::format(" (Q{})", static_cast<int>(*finding.quadrant)) : "";
  const std::string what = finding.id + quadrant;
  return finding.lock.empty() ? style.bold(what) + "\n"
                              : fmt::format("{}: {}\n", style.bold(finding.lock), what);
}

std::string places(const Finding &finding, const Profile &profile, const TextStyle &style) {
  std::string text;
  for (std::size_t i = 0; i < std::min(mostPlaces, finding.places.size()); ++i) {
    const std::string function =
        finding.sites.empty() ? "" : withoutParameters(profile.sites[finding.sites[i]].function);
    text += fmt::format("{}{}{}", i ? ", " : "  at ", finding.places[i],
                        function.empty() ? "" : " " + function);
  }
  if (finding.places.size() > mostPlaces)
    text += fmt::format(" and {} more", finding.places.size() - mostPlaces);
  return text.empty() ? "" : style.wrapped(text, 5);
}

/// A table of how the thread classes share the work, and how they should.
std::string assignment(const std::vector<ThreadsOfClass> &classes) {
  if (classes.empty())
    return "";
  std::string text = "  computes   waits  threads  exact  best\n";
  for (const ThreadsOfClass &one : classes)
    text += fmt::format("  {:>7.1f}% {:>6.1f}% {:>8} {:>6.1f} {:>5}  {}\n", 100 * one.computing,
                        100 * one.waiting, one.threads, one.exact, one.best, one.name);
  return text;
}

std::string block(const Finding &finding, const Profile &profile, const TextStyle &style) {
  std::string text = headline(finding, style) + style.wrapped("  " + finding.message, 2);
  text += assignment(finding.threads);
  for (const CauseFound &found : finding.causes)
    text += style.wrapped(fmt::format("  - {}: {}", found.cause->category, found.text), 4);
  return text + style.dim(places(finding, profile, style));
}

} // namespace

std::string findingsText(const std::vector<Finding> &findings, const Profile &profile,
                         const TextStyle &style) {
  if (findings.empty())
    return "";
  std::string text = "Findings, the costliest first:\n";
  const std::size_t shown = std::min(mostFindings, findings.size());
  for (std::size_t i = 0; i < shown; ++i)
    text += "\n" + block(findings[i], profile, style);
  if (shown < findings.size())
    text += fmt::format("\nand {} more: --format json lists them all\n", findings.size() - shown);
  return text;
}

} // namespace qdadvise
