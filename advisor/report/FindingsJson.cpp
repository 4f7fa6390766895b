// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/FindingsReport.h"

#include <fmt/format.h>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *verdictName(Verdict verdict) {
  return verdict == Verdict::shown ? "shown" : verdict == Verdict::fits ? "fits" : "open";
}

Json findingJson(const Finding &finding) {
  Json json = {{"id", finding.id}};
  json["quadrant"] = finding.quadrant
                         ? Json(fmt::format("Q{}", static_cast<int>(*finding.quadrant)))
                         : Json(nullptr);
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

Json findingsJson(const std::vector<Finding> &findings) {
  Json json = Json::array();
  for (const Finding &finding : findings)
    json.push_back(findingJson(finding));
  return json;
}

} // namespace qdadvise
