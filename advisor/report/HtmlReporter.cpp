// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/HtmlReporter.h"

#include "advisor/report/JsonReporter.h"
#include "advisor/report/PredictionJson.h"
#include "advisor/report/html/HtmlPage.h"
#include "advisor/report/html/PageData.h"
#include "advisor/report/verify/VerificationJson.h"
#include "advisor/support/Format.h"
#include "runtime/abi/lock_algorithms.h"

#include <fmt/format.h>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

Json labelsOfKinds() {
  Json labels = Json::object();
  for (const LockAlgorithm &algorithm : lockAlgorithms)
    labels[algorithm.name] = algorithm.label;
  const KindChoice today;
  labels[today.name()] = today.label();
  return labels;
}

std::string page(const std::string &title, Json data) {
  data["title"] = title;
  data["labels"] = labelsOfKinds();
  roundNumbers(data);
  return htmlPage(title, data);
}

/// Today's locks, those advised, and each algorithm everywhere.
Json curvesJson(const AdviceReport::Curves &curves) {
  Json json = predictionJson(curves.everywhere);
  json["today"] = kindJson(curves.everywhere, curves.today);
  if (curves.advised)
    json["advised"] = kindJson(curves.everywhere, *curves.advised);
  return forCharts(std::move(json));
}

} // namespace

std::string HtmlReporter::writeProfile(const ProfileReport &report) const {
  Json document = jsonOf(report);
  Json sources = excerptsOf(document);
  return page("Locks of " + report.profile.program, {{"document", std::move(document)},
                                                     {"sources", std::move(sources)},
                                                     {"notes", shortcomings(report.profile)}});
}

std::string HtmlReporter::writePrediction(const PredictionReport &report) const {
  return page("Predictions for " + report.source, {{"curves", forCharts(predictionJson(report))},
                                                   {"simulated", report.simulated},
                                                   {"machine", report.machine},
                                                   {"cores", report.cores},
                                                   {"notes", report.notes}});
}

std::string HtmlReporter::writeAdvice(const AdviceReport &report) const {
  Json document = jsonOf(report);
  Json data = {{"machine", report.machine}, {"cores", report.cores}};
  data["scaling"] = Json::array();
  for (const ThreadClass &one : report.network.classes)
    if (one.scales)
      data["scaling"].push_back(one.name);
  data["sources"] = excerptsOf(document);
  keepBusyRoutes(document);
  data["document"] = std::move(document);
  if (report.curves)
    data["curves"] = curvesJson(*report.curves);
  return page(fmt::format("Advice for {} at {}", report.program, formatThreads(report.threads)),
              std::move(data));
}

std::string HtmlReporter::writeVerification(const Verification &verification) const {
  return page("What the change gains on " + verification.host,
              {{"verification", verificationJson(verification)}});
}

} // namespace qdadvise
