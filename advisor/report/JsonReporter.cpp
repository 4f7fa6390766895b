// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/JsonReporter.h"

#include "advisor/report/AdviceJson.h"
#include "advisor/report/MemoryJson.h"
#include "advisor/report/PredictionJson.h"
#include "advisor/report/ProfileJson.h"
#include "advisor/report/compare/ComparisonJson.h"
#include "advisor/report/findings/FindingsJson.h"
#include "advisor/report/verify/VerificationJson.h"

namespace qdadvise {

using Json = nlohmann::ordered_json;

Json jsonOf(const ProfileReport &report) {
  Json document = profileReportJson(report.profile, report.summary, report.view);
  addFindingsJson(document, report.findings, report.profile, report.summary, report.thresholds);
  addOptimisticJson(document, report.optimistic, report.profile, report.summary);
  return document;
}

Json jsonOf(const AdviceReport &report) {
  Json document = report.measured ? jsonOf(*report.measured) : Json{{"network", report.program}};
  addAdviceJson(document, report);
  addGraphJson(document, report);
  return document;
}

std::string JsonReporter::writeProfile(const ProfileReport &report) const {
  return printJson(jsonOf(report));
}

std::string JsonReporter::writePrediction(const PredictionReport &report) const {
  return printJson(predictionJson(report));
}

std::string JsonReporter::writeAdvice(const AdviceReport &report) const {
  return printJson(jsonOf(report));
}

std::string JsonReporter::writeVerification(const Verification &verification) const {
  return printJson(verificationJson(verification));
}

std::string JsonReporter::writeComparison(const ComparisonReport &report) const {
  return printJson(comparisonJson(report));
}

std::string printJson(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace qdadvise
