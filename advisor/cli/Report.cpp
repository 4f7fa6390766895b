// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise report: what was measured.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Common.h"
#include "advisor/cli/NetworkInput.h"
#include "advisor/report/FindingsReport.h"
#include "advisor/report/ProfileReport.h"

#include <memory>

namespace qdadvise {
namespace {

struct ReportOptions {
  std::vector<std::string> profiles;
  std::string format, output;
};

nlohmann::ordered_json jsonOf(const Profile &profile, const ProfileSummary &summary,
                              const std::vector<Finding> &findings) {
  nlohmann::ordered_json document = profileReportJson(profile, summary);
  document["findings"] = findingsJson(findings);
  return document;
}

int runReport(const ReportOptions &options) {
  const Expected<UserConfig> config = loadUserConfig();
  if (!config)
    return fail(config.error());
  const Expected<Profile> profile = loadProfiles(options.profiles);
  if (!profile)
    return fail(profile.error());
  const ProfileSummary summary = summarize(*profile);
  const std::vector<Finding> findings = findingsOf(*profile, summary, config->findings);
  const TextStyle style = outputStyle(options.output);
  const std::string text =
      options.format == "json"
          ? printJson(jsonOf(*profile, summary, findings))
          : findingsText(findings, *profile, style) + profileReportText(*profile, summary, style);
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
