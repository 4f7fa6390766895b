// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise verify: runs a program before and after a change, and says what the change gains.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Options.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/ProgressBar.h"
#include "advisor/cli/process/CommandTemplate.h"
#include "advisor/cli/process/MeasuredRun.h"
#include "advisor/cli/verify/GainPrediction.h"
#include "advisor/cli/verify/PatchedBuilds.h"
#include "advisor/cli/verify/VerifyPlan.h"
#include "advisor/machine/calibration/Topology.h"
#include "advisor/report/Reporter.h"
#include "advisor/support/Format.h"
#include "advisor/verify/FigurePattern.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <memory>
#include <unistd.h>

namespace qdadvise {
namespace {

struct VerifyOptions {
  std::string threads, metric, metricIs = "time", format, output;
  std::string build, patch; ///< instead of two commands
  GainSources predicted;
  std::vector<std::string> words;
  int runs = 15;
  double limitS = 0;
  bool pinned = false, unpinned = false;
};

/// Why there is no figure of a run; a command that was interrupted has the exit code of a shell.
struct NoFigure {
  std::string why;
  int code = exitUsage;
};

/// What a program says at last, in a few words.
std::string lastLineOf(const std::string &output) {
  constexpr std::size_t most = 120;
  std::size_t end = output.find_last_not_of("\r\n\t ");
  if (end == std::string::npos)
    return "it printed nothing";
  const std::string text = output.substr(0, end + 1);
  const std::string line = text.substr(text.rfind('\n') + 1);
  return "it printed last: " + line.substr(0, most);
}

/// What other programs took of this machine while the measured ones ran.
struct OtherWork {
  double seconds = 0, othersS = 0;
};

/// Runs one of the commands and takes the figure from it.
tl::expected<double, NoFigure> figureOf(const std::vector<std::string> &command,
                                        const VerifiedRuns &runs, const VerifyOptions &options,
                                        const std::optional<FigurePattern> &pattern,
                                        OtherWork &work) {
  RunRequest request;
  request.command = filledIn(command, "threads", std::to_string(runs.threads));
  request.processors = runs.processors;
  request.limit = std::chrono::duration<double>(options.limitS);
  const auto refuse = [&](const std::string &what, int code = exitUsage) {
    return tl::unexpected(
        NoFigure{fmt::format("`{}` {}", fmt::join(request.command, " "), what), code});
  };
  const Expected<MeasuredRun> run = measureRun(request);
  if (!run)
    return tl::unexpected(NoFigure{run.error().message});
  if (run->interruption != 0)
    return refuse("was interrupted; nothing of it is left running", 128 + run->interruption);
  if (run->isTimedOut)
    return refuse(fmt::format("had not ended after {:g} s (--timeout)", options.limitS));
  if (run->status != 0)
    return refuse(fmt::format("failed with status {}; {}", run->status, lastLineOf(run->output)));
  work.seconds += run->seconds;
  work.othersS += run->othersS;
  if (!pattern)
    return run->seconds;
  const std::optional<double> figure = pattern->lastIn(run->output);
  if (!figure)
    return refuse("printed no figure above 0 that fits --metric " + options.metric + "; " +
                  lastLineOf(run->output));
  return *figure;
}

/// Runs both commands in alternation: which one is first changes from pair to pair, so that what
/// drifts with time is in both alike.
std::optional<NoFigure> measure(const TwoCommands &commands, const VerifiedRuns &runs,
                                const VerifyOptions &options,
                                const std::optional<FigurePattern> &pattern,
                                const std::function<void(int)> &pairDone, VerifiedThreads &result,
                                OtherWork &work) {
  result.threads = runs.threads;
  result.isPinned = !runs.processors.empty();
  const std::array both{&commands.before, &commands.after};
  for (int pair = -1; pair < options.runs; ++pair) {
    std::array<double, 2> figures{};
    for (const std::size_t turn : {0U, 1U}) {
      const std::size_t which = pair % 2 == 0 ? turn : 1 - turn;
      const auto figure = figureOf(*both[which], runs, options, pattern, work);
      if (!figure)
        return figure.error();
      figures[which] = *figure;
    }
    if (pair >= 0) { // the first pair finds files and caches as nobody left them
      result.before.push_back(figures[0]);
      result.after.push_back(figures[1]);
    }
    pairDone(pair);
  }
  return std::nullopt;
}

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this machine";
}

/// Says where other programs were at work, too. Clocks of ticks, and what the kernel does for us,
/// are some hundredths of a processor.
void noteOthers(const OtherWork &work, std::size_t processors, std::vector<std::string> &notes) {
  constexpr double idle = 0.1;
  const double taken = work.seconds > 0 ? work.othersS / work.seconds : 0;
  if (taken > idle)
    notes.push_back(fmt::format("other programs took {:.1f} of {} during the runs: gains are "
                                "smaller beside them",
                                taken, plural(processors, "processor")));
}

Expected<VerifyPlan> verifyPlan(const std::vector<int> &threads, const VerifyOptions &options,
                                std::size_t &processors) {
  std::vector<int> ids;
  for (const Processor &processor : readTopology().processors)
    ids.push_back(processor.id);
  processors = ids.size();
  VerifyPlan plan = planOf(threads, ids,
                           options.pinned == options.unpinned ? PinningChoice::both
                           : options.pinned                   ? PinningChoice::pinned
                                                              : PinningChoice::unpinned);
  if (plan.runs.empty())
    return makeError(fmt::format("--threads {}: nothing can be measured beyond the {} here",
                                 options.threads, plural(ids.size(), "processor")));
  return plan;
}

/// The commands as they are given: two, or one for both builds.
Expected<TwoCommands> givenCommands(const VerifyOptions &options) {
  if (options.build.empty() != options.patch.empty())
    return makeError("-p FOLDER and --patch FILE go together: what to build, and what to change");
  if (options.patch.empty())
    return twoCommands(options.words);
  const auto isOneOfBuild = [](const std::string &word) {
    return word.find("{build}") != std::string::npos;
  };
  if (std::ranges::find(options.words, "--") != options.words.end() ||
      std::ranges::none_of(options.words, isOneOfBuild))
    return makeError("with --patch, give one command that says {build} for the build folder: "
                     "-- {build}/PROGRAM --threads {threads}");
  return TwoCommands{options.words, options.words};
}

Expected<int> runVerify(const VerifyOptions &options) {
  TwoCommands commands = TRY(givenCommands(options));
  std::optional<FigurePattern> pattern;
  if (!options.metric.empty())
    pattern = TRY(FigurePattern::of(options.metric));
  if (!options.predicted.profiles.empty() && options.predicted.advice.empty())
    return makeError("--profile needs --advice FILE: what was changed is there");
  const std::vector<int> threads = TRY(parseThreads(options.threads));
  if (threads.size() > 1) {
    TRY(checkNamesThreads(commands.before));
    TRY(checkNamesThreads(commands.after));
  }
  std::size_t processors = 0;
  const VerifyPlan plan = TRY(verifyPlan(threads, options, processors));
  TRY(checkWritable(options.output));
  Verification verification;
  verification.host = hostName();
  verification.processors = static_cast<int>(processors);
  verification.isOwnFigure = pattern.has_value();
  verification.isRate = pattern && options.metricIs == "rate";
  verification.beyond = plan.beyond;
  for (const VerifiedRuns &runs : plan.runs)
    verification.measured.emplace_back().threads = runs.threads;
  // What is wrong with the files shows before time is spent on runs.
  TRY(addPredictions(verification, options.predicted));
  std::unique_ptr<PatchedBuilds> builds;
  if (!options.patch.empty()) {
    builds = TRY(PatchedBuilds::make(options.build, options.patch));
    commands.before = filledIn(commands.before, "build", builds->before());
    commands.after = filledIn(commands.after, "build", builds->after());
  }
  ProgressBar bar;
  OtherWork work;
  const double pairs = static_cast<double>(plan.runs.size()) * (options.runs + 1);
  for (std::size_t i = 0; i != plan.runs.size(); ++i) {
    const auto shown = [&](int pair) {
      bar.show((static_cast<double>(i) * (options.runs + 1) + pair + 2) / pairs,
               formatThreads(plan.runs[i].threads));
    };
    const auto fault =
        measure(commands, plan.runs[i], options, pattern, shown, verification.measured[i], work);
    if (!fault)
      continue;
    bar.clear();
    fail(fault->why);
    return fault->code;
  }
  bar.clear();
  noteOthers(work, processors, verification.notes);
  const auto reporter = formatNamed(options.format).make(outputStyle(options.output));
  const int code = writeOutput(options.output, reporter->writeVerification(verification));
  return code == exitSuccess && isLoss(verification) ? exitFailure : code;
}

void addMetricOptions(CLI::App &command, VerifyOptions &options) {
  command
      .add_option("--metric", options.metric,
                  "Compare the figure that this regular expression finds in the output, in its "
                  "group; the last one (default: the time of the whole run)")
      ->check(notEmpty)
      ->type_name("REGEX");
  command
      .add_option("--metric-is", options.metricIs,
                  "What that figure is: less is better of a time, more of a rate (default: time)")
      ->check(CLI::IsMember({"time", "rate"}))
      ->type_name("time|rate");
}

void addPredictionOptions(CLI::App &command, GainSources &sources) {
  command
      .add_option("--advice", sources.advice,
                  "The advice that was followed, to compare with what it predicts")
      ->check(notEmpty)
      ->type_name("FILE");
  command
      .add_option("--profile", sources.profiles,
                  "The profile that it is from, to predict for this machine and these numbers of "
                  "threads; may be repeated")
      ->check(notEmpty)
      ->type_name("PROFILE")
      ->allow_extra_args(false);
  addMachineOption(command, sources.machine);
}

} // namespace

void addVerify(CLI::App &app, int &exitCode) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App *command = app.add_subcommand(
      "verify", "Measure what a change gains, beside what was predicted; exit code 1 for a loss");
  command
      ->add_option("--threads", options->threads,
                   "Numbers of threads, for {threads} in the commands: 8, 1,2,4 or 1..64")
      ->required()
      ->check(notEmpty)
      ->type_name("LIST");
  command->add_option("--runs", options->runs, "Runs of each command (default: 15)")
      ->check(CLI::Range(static_cast<int>(fewestForInterval), 1000))
      ->type_name("N");
  command->add_flag("--pinned", options->pinned,
                    "Only pinned: on as many processors as threads (default: also unpinned)");
  command->add_flag("--unpinned", options->unpinned, "Only unpinned");
  command
      ->add_option(
          "-p,--build", options->build,
          "Build the program of this folder of CMake, before and after --patch, in copies; "
          "{build} in the one command is the build folder")
      ->check(notEmpty)
      ->type_name("FOLDER");
  command->add_option("--patch", options->patch, "A patch that `qdadvise apply` wrote")
      ->check(notEmpty)
      ->type_name("FILE");
  addMetricOptions(*command, *options);
  addPredictionOptions(*command, options->predicted);
  command
      ->add_option("--timeout", options->limitS, "Give up on a run that takes longer, in seconds")
      ->check(CLI::PositiveNumber)
      ->type_name("S");
  addFormatOption(*command, options->format, verificationReport);
  addOutputOption(*command, options->output);
  command
      ->add_option("CMD", options->words,
                   "The program before the change, `--`, and after it, each with its arguments")
      ->required()
      ->type_name("");
  command->positionals_at_end();
  command->prefix_command(false);
  command->callback([options, &exitCode] { exitCode = exitCodeOf(runVerify(*options)); });
}

} // namespace qdadvise
