// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/findings/FindingsJson.h"

#include <fmt/format.h>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *verdictName(Verdict verdict) {
  return verdict == Verdict::shown ? "shown" : verdict == Verdict::fits ? "fits" : "open";
}

Json quadrantJson(Quadrant quadrant) { return fmt::format("Q{}", static_cast<int>(quadrant)); }

Json findingJson(const Finding &finding) {
  Json json = {{"id", finding.id}};
  json["quadrant"] = finding.quadrant ? quadrantJson(*finding.quadrant) : Json(nullptr);
  json["lock"] = finding.lock;
  json["sites"] = finding.places;
  json["message"] = finding.message;
  json["numbers"] = Json::object();
  for (const auto &[name, value] : finding.numbers)
    json["numbers"][name] = value;
  json["causes"] = json["remedies"] = Json::array();
  for (const CauseFound &found : finding.causes) {
    json["causes"].push_back({{"id", found.cause->id},
                              {"category", found.cause->category},
                              {"verdict", verdictName(found.verdict)}});
    json["remedies"].push_back(found.text);
  }
  if (!finding.threads.empty())
    json["threads"] = Json::array();
  for (const ThreadsOfClass &one : finding.threads)
    json["threads"].push_back({{"class", one.name},
                               {"threads", one.threads},
                               {"computing_share", one.computing},
                               {"waiting_share", one.waiting},
                               {"exact", one.exact},
                               {"best", one.best}});
  return json;
}

} // namespace

void addFindingsJson(Json &document, const std::vector<Finding> &findings, const Profile &profile,
                     const ProfileSummary &summary, const FindingThresholds &thresholds) {
  Json &list = document["findings"] = Json::array();
  for (const Finding &finding : findings)
    list.push_back(findingJson(finding));
  const auto quadrant = [&](const Measured &of) {
    return quadrantJson(quadrantOf(of.acquisitions, profile.maxThreads < 2 ? 0 : of.contended,
                                   profile.durationNs, thresholds, profile.recordedShare()));
  };
  for (std::size_t i = 0; i < summary.locks.size(); ++i) {
    const LockSummary &lock = summary.locks[i];
    Json &json = document["locks"][i];
    json["quadrant"] = quadrant(lock.measured);
    for (std::size_t j = 0; j < lock.sites.size(); ++j)
      json["sites"][j]["quadrant"] = quadrant(lock.sites[j].measured);
  }
}

} // namespace qdadvise
