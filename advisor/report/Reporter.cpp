// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/Reporter.h"

#include "advisor/report/HtmlReporter.h"
#include "advisor/report/JsonReporter.h"
#include "advisor/report/PprofReporter.h"
#include "advisor/report/SarifReporter.h"
#include "advisor/report/SvgReporter.h"
#include "advisor/report/TextReporter.h"
#include "advisor/report/TomlReporter.h"

#include <algorithm>
#include <iterator>

namespace qdadvise {
namespace {

template <typename Class> std::unique_ptr<Reporter> make(const TextStyle &) {
  return std::make_unique<Class>();
}
template <> std::unique_ptr<Reporter> make<TextReporter>(const TextStyle &style) {
  return std::make_unique<TextReporter>(style);
}

constexpr unsigned everyReport =
    profileReport | predictionReport | adviceReport | verificationReport | comparisonReport;

constexpr ReportFormat formats[] = {
    {.name = "text", .reports = everyReport, .hasNotes = true, .make = make<TextReporter>},
    {.name = "json", .reports = everyReport, .hasMeasurements = true, .make = make<JsonReporter>},
    {.name = "html",
     .reports = everyReport & ~comparisonReport,
     .hasNotes = true,
     .hasMeasurements = true,
     .hasCurves = true,
     .isOfLocks = true,
     .make = make<HtmlReporter>},
    {.name = "svg", .reports = predictionReport, .isOfLocks = true, .make = make<SvgReporter>},
    {.name = "sarif",
     .reports = profileReport | adviceReport,
     .hasMeasurements = true,
     .make = make<SarifReporter>},
    {.name = "pprof", .reports = profileReport, .isBinary = true, .make = make<PprofReporter>},
    {.name = "toml", .reports = adviceReport, .make = make<TomlReporter>},
};

} // namespace

std::vector<const ReportFormat *> formatsOf(ReportKind report) {
  std::vector<const ReportFormat *> found;
  for (const ReportFormat &format : formats)
    if (format.reports & report)
      found.push_back(&format);
  return found;
}

const ReportFormat &formatNamed(const std::string &name) {
  const ReportFormat *const found =
      std::find_if(std::begin(formats), std::end(formats),
                   [&](const ReportFormat &format) { return format.name == name; });
  return found == std::end(formats) ? formats[0] : *found;
}

} // namespace qdadvise
