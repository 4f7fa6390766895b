// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/TextReporter.h"

#include "advisor/report/AdviceText.h"
#include "advisor/report/MemoryText.h"
#include "advisor/report/PredictionText.h"
#include "advisor/report/ProfileText.h"
#include "advisor/report/compare/ComparisonText.h"
#include "advisor/report/findings/FindingsText.h"
#include "advisor/report/verify/VerificationText.h"

namespace qdadvise {

std::string TextReporter::writeProfile(const ProfileReport &report) const {
  return profileReportText(report.profile, report.summary, report.view, style,
                           findingsText(report.findings, report.profile, style),
                           memoryText(report.profile, report.summary, report.optimistic, style));
}

std::string TextReporter::writePrediction(const PredictionReport &report) const {
  return predictionText(report, style);
}

std::string TextReporter::writeAdvice(const AdviceReport &report) const {
  return adviceReportText(report, style);
}

std::string TextReporter::writeVerification(const Verification &verification) const {
  return verificationText(verification, style);
}

std::string TextReporter::writeComparison(const ComparisonReport &report) const {
  return comparisonText(report, style);
}

} // namespace qdadvise
