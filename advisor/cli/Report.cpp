// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise report: what was measured.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Inputs.h"
#include "advisor/cli/Options.h"
#include "advisor/cli/Output.h"
#include "advisor/profile/summary/CallPaths.h"
#include "advisor/profile/summary/Selection.h"
#include "advisor/report/Reporter.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

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

Expected<ProfileReport> compute(const Profile &withPaths, const ReportOptions &options,
                                const FindingThresholds &thresholds) {
  ProfileReport report;
  report.profile = withoutPaths(withPaths);
  report.thresholds = thresholds;
  report.view = options.view;
  ProfileSummary all = summarize(report.profile);
  addPaths(all, report.profile, withPaths);
  report.findings = findingsOf(report.profile, all, thresholds);
  report.optimistic = optimisticProgram(report.profile, all);
  report.summary = TRY(select(std::move(all), report.profile, options.selection));
  if (!options.selection.lock.empty() || !options.selection.site.empty())
    std::erase_if(report.findings, [&](const Finding &finding) {
      return std::none_of(report.summary.locks.begin(), report.summary.locks.end(),
                          [&](const LockSummary &lock) { return lock.name == finding.lock; });
    });
  return report;
}

Expected<int> runReport(const ReportOptions &options) {
  if (formatNamed(options.format).isBinary && (options.output.empty() || options.output == "-") &&
      ::isatty(STDOUT_FILENO) == 1)
    return makeError(fmt::format(
        "--format {} is binary and not for a terminal: give a file with -o", options.format));
  const UserConfig config = TRY(loadUserConfig());
  const Profile profile = TRY(loadProfiles(options.profiles));
  const ProfileReport report = TRY(compute(profile, options, config.findings));
  const auto reporter = formatNamed(options.format).make(outputStyle(options.output));
  return writeOutput(options.output, reporter->writeProfile(report));
}

} // namespace

void addReport(CLI::App &app, int &exitCode) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App *command = app.add_subcommand("report", "Show what was measured, per lock and site");
  addProfilesArgument(*command, options->profiles);
  addFormatOption(*command, options->format, profileReport);
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
  command->callback([options, &exitCode] { exitCode = exitCodeOf(runReport(*options)); });
}

} // namespace qdadvise
