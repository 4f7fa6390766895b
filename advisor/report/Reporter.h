// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command computes a value: a ProfileReport, a PredictionReport, an AdviceReport and so on. A
// Reporter writes it in one format. Each format is a class and a row of the table in Reporter.cpp,
// from which `--format` and its help come; a further format is one class and one row.
#pragma once

#include "advisor/report/AdviceReport.h"
#include "advisor/report/PredictionReport.h"
#include "advisor/report/ProfileReport.h"
#include "advisor/report/compare/ComparisonReport.h"
#include "advisor/support/TextStyle.h"
#include "advisor/verify/Verification.h"

#include <memory>
#include <string>
#include <vector>

namespace qdadvise {

/// Writes reports in one format. A format need not have all of them: its row says which.
class Reporter {
public:
  virtual ~Reporter() = default;
  virtual std::string writeProfile(const ProfileReport &) const { return {}; }
  virtual std::string writePrediction(const PredictionReport &) const { return {}; }
  virtual std::string writeAdvice(const AdviceReport &) const { return {}; }
  virtual std::string writeVerification(const Verification &) const { return {}; }
  virtual std::string writeComparison(const ComparisonReport &) const { return {}; }
};

/// The reports there are; bits.
enum ReportKind : unsigned {
  profileReport = 1u << 0,
  predictionReport = 1u << 1,
  adviceReport = 1u << 2,
  verificationReport = 1u << 3,
  comparisonReport = 1u << 4
};

struct ReportFormat {
  const char *name;
  unsigned reports; ///< of ReportKind: those that it has
  /// Predictions come with their notes. Otherwise the command prints these on standard error.
  bool hasNotes = false;
  bool hasMeasurements = false; ///< advice comes with what was measured
  bool hasCurves = false;       ///< advice comes with predictions for several numbers of threads
  bool isBinary = false;        ///< nothing for a terminal
  bool isOfLocks = false;       ///< predictions of a program without locks are nothing for it
  std::unique_ptr<Reporter> (*make)(const TextStyle &style);
};

/// The formats of a report, the default first.
std::vector<const ReportFormat *> formatsOf(ReportKind report);
/// The format of a name that `--format` has accepted.
const ReportFormat &formatNamed(const std::string &name);

} // namespace qdadvise
