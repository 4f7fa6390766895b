// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise report: what was measured.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Common.h"
#include "advisor/report/ProfileReport.h"

#include <memory>

namespace qdadvise {
namespace {

struct ReportOptions {
  std::vector<std::string> profiles;
  std::string format, output;
};

int runReport(const ReportOptions &options) {
  const Expected<Profile> profile = loadProfiles(options.profiles);
  if (!profile)
    return fail(profile.error());
  const ProfileSummary summary = summarize(*profile);
  const std::string text = options.format == "json"
                               ? printJson(profileReportJson(*profile, summary))
                               : profileReportText(*profile, summary, outputStyle(options.output));
  return writeOutput(options.output, text);
}

} // namespace

void addReport(CLI::App &app, int &exitCode) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App *command = app.add_subcommand("report", "Show what was measured, per lock and site");
  addProfilesArgument(*command, options->profiles);
  addFormatOption(*command, options->format, {"text", "json"});
  addOutputOption(*command, options->output);
  command->callback([options, &exitCode] { exitCode = runReport(*options); });
}

} // namespace qdadvise
