// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a command found out is a value: a ProfileReport, a PredictionReport or an AdviceReport. How
// it is written is a class with one interface, and a row of one table, from which `--format` comes.
// A further format is one class and one row.
#pragma once

#include "advisor/report/AdviceReport.h"
#include "advisor/report/PredictionReport.h"
#include "advisor/report/ProfileReport.h"
#include "advisor/support/TextStyle.h"

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
};

/// The reports there are; bits.
enum ReportKind : unsigned {
  profileReport = 1u << 0,
  predictionReport = 1u << 1,
  adviceReport = 1u << 2
};

struct ReportFormat {
  const char *name;
  unsigned reports; ///< of ReportKind: those that it has
  /// Predictions come with their notes. Of other formats the command prints these beside.
  bool hasNotes;
  bool hasMeasurements; ///< advice comes with what was measured
  std::unique_ptr<Reporter> (*make)(const TextStyle &style);
};

/// The formats of a report, the default first.
std::vector<const ReportFormat *> formatsOf(ReportKind report);
/// One of these, by a name that is known to be one of theirs.
const ReportFormat &formatNamed(const std::string &name);

} // namespace qdadvise
