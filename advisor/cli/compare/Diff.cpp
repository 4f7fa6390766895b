// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise diff: what has changed at the locks from one profile to another.

#include "advisor/cli/Advise.h"
#include "advisor/cli/Commands.h"
#include "advisor/cli/Options.h"
#include "advisor/cli/Output.h"
#include "advisor/decide/compare/Comparison.h"
#include "advisor/network/construction/Preemption.h"
#include "advisor/report/Reporter.h"

#include <fmt/format.h>
#include <memory>

namespace qdadvise {
namespace {

struct DiffOptions {
  std::string before, after, machine, threads, format, output;
  double threshold = 0, contention = 0; ///< in percent and percentage points
};

Expected<ComparedRun> load(const std::string &path, const DiffOptions &options) {
  const NetworkArguments arguments{{path}, {}, ""};
  AdviceReport report =
      TRY(adviceFor(arguments, options.machine, options.threads, formatNamed("json")));
  ComparedRun run{std::move(report.measured->profile), std::move(report.network),
                  std::move(report.decisions)};
  removePreemptions(run.profile);
  return run;
}

/// What makes the two runs hard to compare.
std::vector<std::string> notesOn(const ComparedRun &before, const ComparedRun &after) {
  std::vector<std::string> notes;
  if (before.profile.program != after.profile.program)
    notes.push_back(fmt::format("these are profiles of two programs, {} and {}",
                                before.profile.program, after.profile.program));
  if (before.profile.maxThreads != after.profile.maxThreads)
    notes.push_back(fmt::format("the runs had {} and {} threads at once, which alone changes how "
                                "locks are contended",
                                before.profile.maxThreads, after.profile.maxThreads));
  return notes;
}

Expected<int> runDiff(const DiffOptions &options) {
  const ComparedRun before = TRY(load(options.before, options));
  const ComparedRun after = TRY(load(options.after, options));
  ComparisonThresholds thresholds;
  thresholds.longer = options.threshold / 100;
  thresholds.contention = options.contention / 100;
  const ComparisonReport report{compareRuns(before, after, thresholds), notesOn(before, after)};
  const auto reporter = formatNamed(options.format).make(outputStyle(options.output));
  const int code = writeOutput(options.output, reporter->writeComparison(report));
  for (const std::string &one : report.notes)
    note(one);
  return code == exitSuccess && report.anyWorse() ? exitFailure : code;
}

} // namespace

void addDiff(CLI::App &app, int &exitCode) {
  const auto options = std::make_shared<DiffOptions>();
  const ComparisonThresholds defaults;
  options->threshold = 100 * defaults.longer;
  options->contention = 100 * defaults.contention;
  CLI::App *command =
      app.add_subcommand("diff", "Compare two profiles by lock; exit code 1 where a lock is worse");
  command->add_option("OLD", options->before, "Profile to compare with")->required()->type_name("");
  command->add_option("NEW", options->after, "Profile of the program as it is now")
      ->required()
      ->type_name("");
  addMachineOption(*command, options->machine);
  command->add_option("--threads", options->threads, "Number of threads to advise for, in both")
      ->check(notEmpty)
      ->type_name("N");
  command
      ->add_option("--threshold", options->threshold,
                   fmt::format("Worse: a holding time so much longer, in % (default: {:g})",
                               options->threshold))
      ->check(CLI::Range(0.0, 10000.0))
      ->type_name("PERCENT");
  command
      ->add_option("--contention", options->contention,
                   fmt::format("Worse: so many more percent of the acquisitions find the lock "
                               "taken (default: {:g})",
                               options->contention))
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("POINTS");
  addFormatOption(*command, options->format, comparisonReport);
  addOutputOption(*command, options->output);
  command->callback([options, &exitCode] { exitCode = exitCodeOf(runDiff(*options)); });
}

} // namespace qdadvise
