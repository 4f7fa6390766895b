// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise report: what was measured.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Common.h"
#include "advisor/cli/NetworkInput.h"
#include "advisor/profile/CallPaths.h"
#include "advisor/profile/Selection.h"
#include "advisor/report/FindingsReport.h"
#include "advisor/report/MemoryReport.h"
#include "advisor/report/ProfilePprof.h"
#include "advisor/report/ProfileReport.h"

#include <algorithm>
#include <memory>

namespace qdadvise {
namespace {

struct ReportOptions {
  std::vector<std::string> profiles;
  std::string format, output;
  Selection selection;
  ReportView view;
};

std::string oneOrMore(const std::string &value) {
  const bool number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
  return number && value.find_first_not_of('0') != std::string::npos
             ? ""
             : value + ": give a whole number from 1 on";
}

int runReport(const ReportOptions &options) {
  const Expected<UserConfig> config = loadUserConfig();
  if (!config)
    return fail(config.error());
  const Expected<Profile> withPaths = loadProfiles(options.profiles);
  if (!withPaths)
    return fail(withPaths.error());
  const Profile profile = withoutPaths(*withPaths);
  ProfileSummary all = summarize(profile);
  addPaths(all, profile, *withPaths);
  std::vector<Finding> findings = findingsOf(profile, all, config->findings);
  const std::optional<OptimisticProgram> optimistic = optimisticProgram(profile, all);
  const Expected<ProfileSummary> summary = select(std::move(all), profile, options.selection);
  if (!summary)
    return fail(summary.error());
  if (!options.selection.lock.empty() || !options.selection.site.empty())
    std::erase_if(findings, [&](const Finding &finding) {
      return std::none_of(summary->locks.begin(), summary->locks.end(),
                          [&](const LockSummary &lock) { return lock.name == finding.lock; });
    });
  const TextStyle style = outputStyle(options.output);
  const auto written = [&]() -> std::string {
    if (options.format == "json") {
      nlohmann::ordered_json document = profileReportJson(profile, *summary, options.view);
      addFindingsJson(document, findings, profile, *summary, config->findings);
      addOptimisticJson(document, optimistic, profile, *summary);
      return printJson(document);
    }
    if (options.format == "pprof")
      return profilePprof(profile, *summary);
    return profileReportText(profile, *summary, options.view, style,
                             findingsText(findings, profile, style),
                             memoryText(profile, *summary, optimistic, style));
  };
  return writeOutput(options.output, written());
}

} // namespace

void addReport(CLI::App &app, int &exitCode) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App *command = app.add_subcommand("report", "Show what was measured, per lock and site");
  addProfilesArgument(*command, options->profiles);
  addFormatOption(*command, options->format, {"text", "json", "pprof"});
  addOutputOption(*command, options->output);
  Selection &selection = options->selection;
  command
      ->add_option("--sort", selection.sort,
                   "Greatest first: time waited for altogether (default) or held altogether, "
                   "UTIL, CON or TOTAL")
      ->check(CLI::IsMember(sortKeys()))
      ->type_name("wait|hold|util|con|total");
  command->add_option("--top", selection.top, "Only the first N locks")
      ->check(oneOrMore)
      ->type_name("N");
  command->add_option("--lock", selection.lock, "Only locks with this in their name")
      ->check(notEmpty)
      ->type_name("NAME");
  command->add_option("--site", selection.site, "Only sites in this file, or in this line of it")
      ->check(notEmpty)
      ->type_name("FILE[:LINE]");
  ReportView &view = options->view;
  command
      ->add_option("--instances", view.instances,
                   "Also N lock objects of each class of several, those with most traffic")
      ->check(oneOrMore)
      ->type_name("N");
  command->add_flag("--rate", view.rate, "RATE, acquisitions per second, instead of UTIL");
  command->add_flag("--percentiles", view.percentiles,
                    "50th, 90th and 99th of times instead of mean and maximum");
  command->callback([options, &exitCode] { exitCode = runReport(*options); });
}

} // namespace qdadvise
