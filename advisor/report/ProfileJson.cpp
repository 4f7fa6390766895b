// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/ProfileReport.h"

#include "advisor/profile/Names.h"
#include "advisor/support/FactNames.h"
#include "runtime/profile_format.h"

#include <fmt/format.h>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

std::string place(const std::string &file, std::uint32_t line) {
  return file.empty() ? std::string() : fmt::format("{}:{}", file, line);
}

/// Adds the figures that locks and sites share. Times that were not taken are null.
void addMeasured(Json &json, const Measured &measured, bool timed) {
  if (!timed) {
    json["hold_ns"] = json["wait_ns"] = json["wait_contended_ns"] = nullptr;
    return;
  }
  const Moments &hold = measured.hold;
  json["hold_ns"] = {{"mean", hold.mean},
                     {"cv", hold.cv()},
                     {"min", hold.min},
                     {"p50", measured.holdQuantile(0.5)},
                     {"p99", measured.holdQuantile(0.99)},
                     {"max", hold.max}};
  json["wait_ns"] = {{"mean", measured.wait.mean}, {"max", measured.wait.max}};
  json["wait_contended_ns"] = {{"mean", measured.waitContended.mean}};
}

Json siteJson(const Profile &profile, const SiteSummary &summary, bool timed) {
  const ProfiledSite &site = profile.sites[summary.site];
  Json json = {{"file", site.file},
               {"line", site.line},
               {"column", site.column},
               {"function", site.function},
               {"mode", summary.shared ? "shared" : "exclusive"},
               {"acquisitions", summary.measured.acquisitions},
               {"contended", summary.measured.contended},
               {"try_failures", summary.tryFailures}};
  addMeasured(json, summary.measured, timed);
  json["facts"] = site.facts & factsKnown ? Json(namesOfFacts(site.facts)) : Json(nullptr);
  return json;
}

Json lockJson(const Profile &profile, const LockSummary &summary, bool timed) {
  const ProfiledLockClass &lockClass = profile.lockClasses[summary.lockClass];
  std::string declaration = place(lockClass.declFile, lockClass.declLine);
  if (!declaration.empty())
    declaration += fmt::format(":{}", lockClass.declColumn);
  Json json = {{"name", summary.name},
               {"class", declaration},
               {"type", lockClass.type},
               {"kind", summary.kind},
               {"instances", summary.instances},
               {"acquisitions", summary.measured.acquisitions},
               {"contended", summary.measured.contended}};
  json["distribution"] = Json::array();
  for (const TrafficShare &share : summary.distribution)
    json["distribution"].push_back({{"acquisitions_from", share.acquisitionsFrom},
                                    {"acquisitions_to", share.acquisitionsTo},
                                    {"instances", share.instances},
                                    {"acquisitions", share.acquisitions},
                                    {"contended", share.contended}});
  json["utilization"] = timed ? Json(summary.measured.utilization) : Json(nullptr);
  addMeasured(json, summary.measured, timed);
  json["sites"] = Json::array();
  for (const SiteSummary &site : summary.sites)
    json["sites"].push_back(siteJson(profile, site, timed));
  return json;
}

} // namespace

Json profileReportJson(const Profile &profile, const ProfileSummary &summary) {
  const bool timed = (profile.flags & format::runCountersOnly) == 0;
  Json json = {{"program", profile.program}, {"duration_s", profile.durationNs * 1e-9}};
  const std::vector<std::string> classNames = threadClassNames(profile);
  json["threads"] = Json::array();
  for (std::size_t i = 0; i < profile.threadClasses.size(); ++i) {
    const ProfiledThreadClass &threads = profile.threadClasses[i];
    json["threads"].push_back({{"class", classNames[i]},
                               {"start", place(threads.file, threads.line)},
                               {"count", threads.count}});
  }
  json["dropped"] = profile.dropped;
  json["unmatched"] = profile.unmatched;
  json["locks"] = Json::array();
  for (const LockSummary &lock : summary.locks)
    json["locks"].push_back(lockJson(profile, lock, timed));
  json["not_executed"] = Json::array();
  for (const std::size_t index : summary.notExecuted) {
    const ProfiledSite &site = profile.sites[index];
    json["not_executed"].push_back({{"file", site.file},
                                    {"line", site.line},
                                    {"column", site.column},
                                    {"function", site.function},
                                    {"expression", site.expression}});
  }
  json["findings"] = Json::array();
  return json;
}

std::string printJson(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace qdadvise
