// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/ProfileJson.h"

#include "advisor/profile/Names.h"
#include "advisor/report/MemoryJson.h"
#include "advisor/support/Format.h"
#include "advisor/support/SectionFactNames.h"
#include "runtime/abi/profile_format.h"

#include <fmt/format.h>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

std::string place(const std::string &file, std::uint32_t line) {
  return file.empty() ? std::string() : fmt::format("{}:{}", file, line);
}

/// Adds the times that locks, their modes and sites have alike; null where no times were taken.
void addTimes(Json &json, const Measured &measured, bool timed) {
  if (!timed) {
    json["hold_ns"] = json["wait_ns"] = json["wait_contended_ns"] = nullptr;
    return;
  }
  const Moments &hold = measured.hold;
  json["hold_ns"] = {{"mean", hold.mean},
                     {"cv", hold.cv()},
                     {"min", hold.min},
                     {"p50", measured.holdQuantile(0.5)},
                     {"p90", measured.holdQuantile(0.9)},
                     {"p99", measured.holdQuantile(0.99)},
                     {"max", hold.max}};
  if (hold.count > 0 && hold.mean < shortestMeasuredNs)
    json["hold_ns"]["mean_between"] = {0, shortestMeasuredNs};
  json["wait_ns"] = {{"mean", measured.wait.mean},
                     {"p50", measured.waitQuantile(0.5)},
                     {"p90", measured.waitQuantile(0.9)},
                     {"p99", measured.waitQuantile(0.99)},
                     {"max", measured.wait.max}};
  json["wait_contended_ns"] = {{"mean", measured.waitContended.mean},
                               {"max", measured.waitContended.max}};
}

Json utilization(const Measured &measured, bool timed) {
  return timed ? Json(measured.utilization) : Json(nullptr);
}

Json meanAndMax(const Moments &moments, bool timed) {
  return timed ? Json{{"mean", moments.mean}, {"max", moments.max}} : Json(nullptr);
}

/// A reader-writer lock in one mode.
Json modeJson(const Measured &measured, bool timed) {
  Json json = {{"acquisitions", measured.acquisitions},
               {"contended", measured.contended},
               {"utilization", utilization(measured, timed)}};
  addTimes(json, measured, timed);
  return json;
}

Json objectJson(const Profile &profile, const ProfiledLock &lock, bool timed) {
  Json json = {{"address", fmt::format("{:#x}", lock.address)},
               {"acquisitions", lock.acquisitions},
               {"contended", lock.contended}};
  const bool known = timed && profile.durationNs > 0;
  json["utilization"] = known ? Json(lock.heldNs / profile.durationNs) : Json(nullptr);
  return json;
}

Json pathJson(const PathSummary &path, bool timed) {
  Json json = {{"acquisitions", path.measured.acquisitions},
               {"contended", path.measured.contended}};
  addTimes(json, path.measured, timed);
  json["callers"] = Json::array();
  for (const CallFrame &frame : path.frames)
    if (!frame.own)
      json["callers"].push_back(
          {{"function", nameOfFrame(frame)}, {"file", frame.file}, {"line", frame.line}});
  return json;
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
               {"try_failures", summary.tryFailures},
               {"utilization", utilization(summary.measured, timed)}};
  addTimes(json, summary.measured, timed);
  if (summary.measured.memory)
    json["memory"] = memoryJson(*summary.measured.memory);
  if (!summary.paths.empty()) {
    json["paths"] = Json::array();
    for (const PathSummary &path : summary.paths)
      json["paths"].push_back(pathJson(path, timed));
  }
  json["facts"] = site.facts & factsKnown ? Json(namesOfFacts(site.facts)) : Json(nullptr);
  return json;
}

Json lockJson(const Profile &profile, const LockSummary &summary, std::size_t objects, bool timed) {
  const ProfiledLockClass &lockClass = profile.lockClasses[summary.lockClass];
  std::string declaration = place(lockClass.declFile, lockClass.declLine);
  if (!declaration.empty())
    declaration += fmt::format(":{}", lockClass.declColumn);
  Json json = {{"name", summary.name},
               {"class", declaration},
               {"type", lockClass.type},
               {"kind", nameOf(summary.kind)},
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
  json["owned_share"] = summary.ownedShare ? Json(*summary.ownedShare) : Json(nullptr);
  if (objects > 0) {
    json["objects"] = Json::array();
    for (const ProfiledLock *lock : busiestLocks(profile, summary.lockClass, objects))
      json["objects"].push_back(objectJson(profile, *lock, timed));
  }
  json["utilization"] = utilization(summary.measured, timed);
  const double heldNs = summary.measured.heldNs;
  json["blocked_share"] = timed ? Json(heldNs > 0 ? summary.heldBlockedNs / heldNs : 0) : nullptr;
  addTimes(json, summary.measured, timed);
  if (summary.measured.memory)
    json["memory"] = memoryJson(*summary.measured.memory);
  if (summary.readerWriter) {
    json["readers"] = modeJson(summary.readers, timed);
    json["readers"]["max_readers"] = summary.sharing.most;
    json["readers"]["busy_ns"] = meanAndMax(summary.sharing.busy, timed);
    json["writers"] = modeJson(summary.writers, timed);
    json["writers"]["contended_by_writer"] = summary.writers.contendedByWriter;
    json["writers"]["wait_by_writer_ns"] = meanAndMax(summary.writers.waitByWriter, timed);
  }
  json["sites"] = Json::array();
  for (const SiteSummary &site : summary.sites)
    json["sites"].push_back(siteJson(profile, site, timed));
  return json;
}

Json unseenJson(const Profile &profile) {
  Json json = Json::array();
  for (const ProfiledUnseen &one : profile.unseen)
    json.push_back({{"module", one.module}, {"acquisitions", one.acquisitions}});
  return json;
}

} // namespace

Json profileReportJson(const Profile &profile, const ProfileSummary &summary,
                       const ReportView &view) {
  const bool timed = (profile.flags & format::runCountersOnly) == 0;
  Json json = {{"program", profile.program},
               {"runs", profile.runs > 0 ? Json(profile.runs) : Json(nullptr)},
               {"duration_s", profile.durationNs * 1e-9}};
  if (profile.recordedShare() < 1)
    json["recorded_share"] = profile.recordedShare();
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
  if (profile.flags & format::runCountsUnseen)
    json["unseen"] = unseenJson(profile);
  json["locks"] = Json::array();
  for (const LockSummary &lock : summary.locks)
    json["locks"].push_back(lockJson(profile, lock, view.instances, timed));
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

} // namespace qdadvise
