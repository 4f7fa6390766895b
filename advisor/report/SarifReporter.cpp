// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/SarifReporter.h"

#include "advisor/advice/DiagnosticText.h"
#include "advisor/report/JsonReporter.h"
#include "advisor/report/sarif/LockChange.h"
#include "advisor/report/sarif/SarifLog.h"
#include "advisor/report/sarif/SarifRules.h"
#include "advisor/support/Format.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

SarifPlace placeOf(const Advice &advice) {
  return {advice.file, advice.function, advice.line, advice.column};
}
SarifPlace placeOf(const ProfiledSite &site) {
  return {site.file, site.function, site.line, site.column};
}
SarifPlace declarationOf(const ProfiledLockClass &lock) {
  return {lock.declFile, "", lock.declLine, lock.declColumn};
}

const ProfiledLockClass *classNamed(const AdviceReport &report, const std::string &lock) {
  if (report.measured)
    for (const LockSummary &one : report.measured->summary.locks)
      if (one.name == lock)
        return &report.measured->profile.lockClasses[one.lockClass];
  return nullptr;
}

/// The edits that follow the advice; none where it needs work by hand at some section, or where
/// threads wait for a condition with the lock, which takes a std::mutex.
std::vector<SarifReplacement> fixOf(const AdviceReport &report, const Advice &advice) {
  const ProfiledLockClass *const lock = classNamed(report, advice.lock);
  if (!lock || !advice.obstacles.empty())
    return {};
  std::vector<SarifPlace> sites;
  for (const ProfiledSite &site : report.measured->profile.sites) {
    if (site.declFile != lock->declFile || site.declLine != lock->declLine)
      continue;
    if (site.role == static_cast<std::uint32_t>(SiteRole::wait))
      return {};
    if (site.role != static_cast<std::uint32_t>(SiteRole::lifetime))
      sites.push_back(placeOf(site));
  }
  SourceLines source;
  return lockChange(lock->type, algorithmNamed(advice.advised), declarationOf(*lock), sites,
                    source);
}

Json propertiesOf(const Advice &advice) {
  Json waits = Json::object();
  for (const auto &[label, ns] : advice.waitNs)
    waits[label] = ns;
  return {{"lock", advice.lock},
          {"today", advice.today},
          {"advised", advice.advised},
          {"threads", advice.threads},
          {"speedup", advice.speedup},
          {"interval", {advice.low, advice.high}},
          {"contentionRate", advice.contentionRate},
          {"meanWaitNs", std::move(waits)},
          {"reasons", advice.reasons}};
}

SarifResult resultOf(const AdviceReport &report, std::size_t index) {
  const Advice &advice = report.file.advice[index];
  SarifResult result;
  result.rule = &lockAlgorithmRule();
  result.message = adviceMessage(advice) + ".";
  if (const std::string waits = waitNote(advice); !waits.empty())
    result.message += " Predicted " + waits + ".";
  for (const std::string &obstacle : advice.obstacles)
    result.message += " " + obstacle + ".";
  result.place = placeOf(advice);
  for (const Advice &other : report.file.advice)
    if (&other != &advice && other.lock == advice.lock)
      result.related.emplace_back(placeOf(other), "The lock is also taken here.");
  if (const ProfiledLockClass *const lock = classNamed(report, advice.lock);
      lock && !lock->declFile.empty())
    result.related.emplace_back(declarationOf(*lock),
                                fmt::format("'{}' is declared here.", advice.lock));
  result.identity =
      fmt::format("{}|{}|{}|{}|{}|{}", result.rule->id, advice.lock, baseName(advice.file),
                  advice.function, advice.expression, advice.ordinal);
  result.properties = propertiesOf(advice);
  result.fix = fixOf(report, advice);
  result.fixText = fmt::format("Make '{}' {}.", advice.lock, withArticle(advice.label));
  result.suppressed = std::find(report.suppressedSites.begin(), report.suppressedSites.end(),
                                index) != report.suppressedSites.end();
  return result;
}

/// Where a finding is shown: its first site, or the first start routine that it names.
std::optional<SarifPlace> placeOf(const Finding &finding, const Profile &profile) {
  if (!finding.sites.empty())
    return placeOf(profile.sites[finding.sites.front()]);
  if (finding.places.empty())
    return std::nullopt;
  const std::string &place = finding.places.front();
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos)
    return SarifPlace{place, "", 1, 0};
  const auto line = std::strtoul(place.c_str() + colon + 1, nullptr, 10);
  return SarifPlace{place.substr(0, colon), "", static_cast<std::uint32_t>(line), 0};
}

SarifResult resultOf(const Finding &finding, const Profile &profile, const SarifPlace &place) {
  SarifResult result;
  result.rule = &findingRule(finding.id);
  result.message = (finding.lock.empty() ? "" : "'" + finding.lock + "': ") + finding.message + ".";
  for (const CauseFound &found : finding.causes)
    result.message += fmt::format(" {}: {}.", found.cause->category, found.text);
  result.place = place;
  for (std::size_t i = 1; i < finding.sites.size(); ++i)
    result.related.emplace_back(placeOf(profile.sites[finding.sites[i]]), "It is also taken here.");
  const ProfiledSite none;
  const ProfiledSite &site = finding.sites.empty() ? none : profile.sites[finding.sites.front()];
  result.identity = fmt::format("{}|{}|{}|{}|{}|{}", finding.id, finding.lock, baseName(place.file),
                                place.function, site.expression, site.ordinal);
  result.properties = {{"finding", finding.id}, {"lost", finding.lost}};
  for (const auto &[name, value] : finding.numbers)
    result.properties[name] = value;
  return result;
}

} // namespace

std::string SarifReporter::writeProfile(const ProfileReport &report) const {
  SarifLog log;
  log.category = "qdadvise/report/" + baseName(report.profile.program);
  for (const Finding &finding : report.findings)
    if (const auto place = placeOf(finding, report.profile))
      log.results.push_back(resultOf(finding, report.profile, *place));
  return printJson(sarifJson(log));
}

std::string SarifReporter::writeAdvice(const AdviceReport &report) const {
  SarifLog log;
  log.category = "qdadvise/advise/" + baseName(report.program);
  const GainInterval &together = report.decisions.together;
  log.properties = {{"program", report.program}, {"machine", report.machine},
                    {"threads", report.threads}, {"cores", report.cores},
                    {"speedup", together.ratio}, {"interval", {together.low, together.high}}};
  std::vector<std::size_t> changes;
  for (std::size_t i = 0; i < report.file.advice.size(); ++i)
    if (!report.file.advice[i].keep)
      changes.push_back(i);
  std::sort(changes.begin(), changes.end(), [&](std::size_t a, std::size_t b) {
    const double x = report.file.advice[a].speedup, y = report.file.advice[b].speedup;
    return x != y ? x > y : a < b;
  });
  for (const std::size_t index : changes)
    log.results.push_back(resultOf(report, index));
  return printJson(sarifJson(log));
}

} // namespace qdadvise
