// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise advise: which algorithm each lock should use, why, and advice.toml.

#include "advisor/cli/Advise.h"

#include "advisor/cli/Commands.h"
#include "advisor/cli/Inputs.h"
#include "advisor/cli/Kinds.h"
#include "advisor/cli/Options.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/ProgressBar.h"
#include "advisor/decide/AdviceOf.h"
#include "advisor/model/uncertainty/WholeRun.h"
#include "advisor/report/AdviceText.h"
#include "advisor/report/Reporter.h"
#include "advisor/support/Format.h"
#include "advisor/support/Installation.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <set>

namespace qdadvise {
namespace {

namespace fs = std::filesystem;

struct AdviseArguments {
  NetworkArguments input;
  std::string machine, placement, threads, kinds = "all", whatIf, format, output;
  std::vector<std::string> explain;
  int cores = 0;
};

struct AdviseInput {
  UserConfig config;
  LoadedMachine machine;
  NetworkInput network;
  int cores = 0; ///< of the machine that the advice is for
  DecisionOptions decisions;
  WhatIfOptions fixes;
};

// --- load

Expected<int> threadsFor(const std::string &given, const UserConfig &config, int cores) {
  if (given.empty())
    return config.threads > 0 ? config.threads : cores;
  const std::vector<int> threads = TRY(parseThreads(given));
  if (threads.size() != 1)
    return makeError(fmt::format("--threads {}: advice is for one number of threads; `qdadvise "
                                 "predict` compares several",
                                 given));
  return threads.front();
}

Expected<AdviseInput> load(const AdviseArguments &arguments) {
  AdviseInput input;
  const UserConfig config = TRY(loadUserConfig());
  input.config = config;
  input.machine = TRY(loadMachine(arguments.machine, arguments.placement));
  PredictOptions &predict = input.decisions.predict;
  predict.cores = arguments.cores > 0 ? arguments.cores : config.cores;
  input.cores = predict.cores > 0 ? predict.cores : input.machine.machine.cores;
  input.decisions.threads = TRY(threadsFor(arguments.threads, config, input.cores));
  // `all` is every algorithm that can be had: the yardstick among them is left out.
  if (arguments.kinds != "all")
    for (const KindChoice &kind : TRY(parseKinds(arguments.kinds, KindNames::advised))) {
      if (!kind.everywhere)
        return makeError("--kind recorded: what a lock has today always remains possible; name the "
                         "algorithms to choose from besides");
      input.decisions.menu.push_back(*kind.everywhere);
    }
  input.fixes = {input.decisions.threads, predict, input.decisions.minimumGains, {}, {}};
  if (!arguments.whatIf.empty())
    input.fixes.requests = TRY(parseFixes(arguments.whatIf));
  input.network = TRY(loadNetworkInput(arguments.input, input.machine.machine));
  input.decisions.runs = input.network.runs;
  return input;
}

// --- compute

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

/// The gain in the time of the whole run; none where it is not known what else the program does.
Expected<std::optional<AdviceReport::Whole>> wholeOf(const Decisions &decisions,
                                                     const AdviseInput &input) {
  const Network &network = input.network.network;
  if (!network.run)
    return std::nullopt;
  const RunScaling run = TRY(
      runScaling(network, decisions.kindsToday, input.machine.machine, input.decisions.predict));
  const double threads = input.decisions.threads, speedup = decisions.today.speedup;
  return AdviceReport::Whole{run.gain(threads, speedup, decisions.together),
                             run.at(threads, speedup).serialShare, network.run->serial,
                             run.time(threads, speedup * decisions.together.ratio).limit};
}

/// How the program of today scales: at 1, 2, 4 … threads and those that the advice is for.
Expected<std::vector<AdviceReport::ScalingPoint>> scalingOf(const Decisions &decisions,
                                                            const AdviseInput &input) {
  const Network &network = input.network.network;
  std::optional<RunScaling> run;
  if (network.run)
    run = TRY(
        runScaling(network, decisions.kindsToday, input.machine.machine, input.decisions.predict));
  std::vector<AdviceReport::ScalingPoint> points;
  const int most = input.decisions.threads;
  for (int threads = 1;; threads *= 2) {
    const int now = std::min(threads, most);
    const Prediction at = TRY(predict(network, decisions.kindsToday, input.machine.machine, now,
                                      input.decisions.predict));
    points.push_back({now, run ? run->at(now, at.speedup).speedup : at.speedup});
    if (now == most)
      return points;
  }
}

/// 1, 2, 4 … threads, those that the advice is for, and twice as many.
std::vector<int> curveThreads(int advised) {
  std::set<int> threads = {advised, 2 * advised};
  for (int number = 1; number < 2 * advised; number *= 2)
    threads.insert(number);
  return {threads.begin(), threads.end()};
}

Expected<AdviceReport::Curves> curvesOf(const Decisions &decisions, const AdviseInput &input) {
  ProgressBar bar(aWhile);
  const Network &network = input.network.network;
  const Machine &machine = input.machine.machine;
  const PredictOptions &options = input.decisions.predict;
  const std::vector<int> threads = curveThreads(input.decisions.threads);
  AdviceReport::Curves curves;
  std::set<LockKind> seen;
  std::vector<LockKind> advised = decisions.kindsToday;
  bool changes = false;
  for (const LockDecision &decision : decisions.locks) {
    curves.everywhere.lockNames.push_back(network.locks[decision.lock].name);
    for (const LockDecision::Alternative &alternative : decision.alternatives) {
      if (!seen.insert(alternative.kind).second)
        continue;
      const double all = static_cast<double>(decision.alternatives.size()) + 2;
      bar.show(std::min(1.0, static_cast<double>(seen.size() - 1) / all),
               std::string("curves: ") + nameOf(alternative.kind));
      curves.everywhere.kinds.push_back(
          TRY(predictKind(network, {}, alternative.kind, machine, threads, options)));
    }
    if (decision.keep)
      continue;
    advised[decision.lock] = decision.advised.kind;
    changes = true;
  }
  curves.today = TRY(predictAssignment(network, decisions.kindsToday, machine, threads, options));
  if (changes)
    curves.advised = TRY(predictAssignment(network, advised, machine, threads, options));
  return curves;
}

/// Adds the curves of each change: with this lock as today's, beside all changes together.
Expected<void> addScaling(AdviceFile &file, const Decisions &decisions, const AdviseInput &input) {
  const Network &network = input.network.network;
  const std::vector<int> threads = curveThreads(input.decisions.threads);
  std::vector<LockKind> advised = decisions.kindsToday;
  for (const LockDecision &decision : decisions.locks)
    if (!decision.keep)
      advised[decision.lock] = decision.advised.kind;
  const auto throughputs =
      [&](const std::vector<LockKind> &kinds) -> Expected<std::vector<double>> {
    std::vector<double> perS;
    for (const int number : threads)
      perS.push_back(
          TRY(predict(network, kinds, input.machine.machine, number, input.decisions.predict))
              .throughputPerS);
    return perS;
  };
  std::vector<double> together;
  for (const LockDecision &decision : decisions.locks) {
    if (decision.keep)
      continue;
    if (together.empty())
      together = TRY(throughputs(advised));
    std::vector<LockKind> without = advised;
    without[decision.lock] = decisions.kindsToday[decision.lock];
    const std::vector<double> today = TRY(throughputs(without));
    for (Advice &advice : file.advice)
      if (advice.lock == network.locks[decision.lock].name && advice.scaling.empty())
        for (std::size_t i = 0; i != threads.size(); ++i)
          advice.scaling.push_back({threads[i], today[i], together[i]});
  }
  return {};
}

ProfileReport measuredReport(const Profile &profile, const FindingThresholds &thresholds) {
  ProfileReport report;
  report.profile = profile;
  report.thresholds = thresholds;
  report.summary = summarize(profile);
  report.findings = findingsOf(profile, report.summary, thresholds);
  report.optimistic = optimisticProgram(profile, report.summary);
  return report;
}

/// Locks that threads are predicted to wait for, of which the run had one, taken by one thread.
/// Each thread may have its own: a connection's, say.
std::vector<std::string> maybeOwned(const Profile &profile, const Network &network,
                                    const Decisions &decisions) {
  constexpr double worthANote = 0.1;
  std::vector<std::string> names;
  if (std::any_of(profile.threadClasses.begin(), profile.threadClasses.end(),
                  [](const ProfiledThreadClass &threads) { return threads.maxAlive > 1; }))
    return names;
  for (const LockDecision &decision : decisions.locks) {
    const Lock &lock = network.locks[decision.lock];
    const bool isMember = lock.name.find("::") != std::string::npos;
    if (isMember && lock.instances == 1 && !decision.alternatives.empty() &&
        decision.alternatives.front().prediction.contentionRate >= worthANote)
      names.push_back(lock.name);
  }
  return names;
}

std::vector<std::string> notesOf(const AdviseInput &input, const Decisions &decisions,
                                 bool wantsTrace) {
  std::vector<std::string> notes = input.network.notes;
  if (wantsTrace && input.network.profile)
    notes.push_back(
        "a diagnosis run (built with `" + compileCommand("memory") +
        "`) tells whether sections could share reads, be "
        "atomic operations or run without their lock; give its profile beside this one");
  if (const auto &run = input.network.network.run)
    if (const std::string shared =
            sharingNote(*run, input.machine.machine, input.decisions.threads);
        !shared.empty())
      notes.push_back(shared);
  if (const auto &profile = input.network.profile)
    if (const auto names = maybeOwned(*profile, input.network.network, decisions); !names.empty())
      notes.push_back(fmt::format(
          "a run with one thread cannot tell a lock that all threads share from one that each has "
          "for itself, and waits for nobody at: {}; a run with two threads can (`qdadvise record "
          "--threads 1,2`)",
          someOf(names)));
  if (const auto &profile = input.network.profile)
    for (const Finding &finding : findingsOf(*profile, summarize(*profile), input.config.findings))
      if (finding.symptom == triesFail)
        notes.push_back(
            fmt::format("{}: {}; `qdadvise report` says more", finding.lock, finding.message));
  for (const std::string &note : decisions.notes)
    if (std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(note);
  return notes;
}

Expected<AdviceReport> compute(const AdviseInput &input, const ReportFormat &format) {
  const Network &network = input.network.network;
  const Machine &machine = input.machine.machine;
  ProgressBar bar(aWhile);
  DecisionOptions decisionOptions = input.decisions;
  WhatIfOptions fixOptions = input.fixes;
  decisionOptions.progress = fixOptions.progress = [&](double done, const std::string &what) {
    bar.show(done, what.substr(0, 40));
  };
  AdviceReport report;
  report.threads = decisionOptions.threads;
  report.cores = input.cores;
  report.network = network;
  report.program = input.network.profile ? input.network.profile->program : input.network.source;
  report.machine = input.machine.origin;
  report.decisions = TRY(decide(network, machine, decisionOptions));
  bar.clear();
  report.whole = TRY(wholeOf(report.decisions, input));
  WhatIfs found =
      TRY(whatIfs(network, machine, report.decisions, input.network.memory, fixOptions));
  report.whatIfs = std::move(found.found);
  const std::vector<LockDecision> &locks = report.decisions.locks;
  if (std::all_of(locks.begin(), locks.end(), [](const LockDecision &one) { return one.keep; }))
    report.scaling = TRY(scalingOf(report.decisions, input));
  report.notes = notesOf(input, report.decisions, found.wantsTrace);
  report.file = adviceOf(report.decisions, network, machine,
                         {report.program, today(), report.threads, report.cores});
  if (report.file.together && report.whole)
    report.file.wholeRun =
        AdvisedGain{report.whole->gain.ratio, report.whole->gain.low, report.whole->gain.high};
  TRY(addScaling(report.file, report.decisions, input));
  for (std::size_t lock = 0; lock < network.locks.size(); ++lock)
    for (Advice &advice : report.file.advice)
      if (advice.lock == network.locks[lock].name)
        advice.whatIfs = whatIfSentences(report, lock);
  for (std::size_t i = 0; i < report.file.advice.size(); ++i) {
    const Advice &advice = report.file.advice[i];
    if (!advice.keep &&
        suppressionOf(input.config.suppressions, advice.lock, advice.file, advice.function))
      report.suppressedSites.push_back(i);
  }
  // Curves of bounds would say nothing, and take minutes.
  if (format.hasCurves && !report.decisions.today.worstCase)
    report.curves = TRY(curvesOf(report.decisions, input));
  if (format.hasMeasurements && input.network.profile)
    report.measured = measuredReport(*input.network.profile, input.config.findings);
  return report;
}

// --- report

/// Where advice.toml goes; "" where there is nothing to write and none was asked for.
std::string advicePath(const AdviceFile &file, const std::string &output,
                       const UserConfig &config) {
  if (!output.empty())
    return output;
  if (file.advice.empty())
    return "";
  if (config.advice.empty())
    return "advice.toml";
  std::error_code none;
  const fs::path shown = fs::relative(config.advice, none);
  return none || shown.empty() ? config.advice : shown.string();
}

/// The advice that the configuration names is there for the first time. No compilation before could
/// name it among its dependencies; all of them name the configuration.
void tellBuilds(const UserConfig &config) {
  std::error_code error;
  fs::last_write_time(config.path, fs::file_time_type::clock::now(), error);
  if (error)
    note(fmt::format("{}: {}; `touch` it, so that the next build looks at the advice", config.path,
                     error.message()));
}

std::string nextStep(const std::string &path, bool isConfigured, const UserConfig &config) {
  const std::string command = compileCommand("advise");
  if (isConfigured)
    return fmt::format("wrote {}, which {} names: build again with `{}` to see it at each lock",
                       path, config.path, command);
  return fmt::format(
      "wrote {}; compile with `{} -fplugin-arg-qdadvise-advice={}` to see it at each "
      "lock",
      path, command, fs::absolute(path).lexically_normal().string());
}

/// The report, and advice.toml beside it unless that is the report.
int write(AdviceReport report, const ReportFormat &format, const std::string &output,
          const UserConfig &config) {
  if (format.name == std::string("toml") || output == "-")
    return writeOutput(output, printAdvice(report.file));
  const std::string text = format.make(outputStyle(""))->writeAdvice(report);
  // The file comes first: where it cannot be written, nothing is printed.
  const std::string path = advicePath(report.file, output, config);
  std::error_code none;
  const auto place = [&](const std::string &file) {
    return fs::weakly_canonical(fs::absolute(file, none), none);
  };
  const bool isConfigured =
      !path.empty() && !config.advice.empty() && place(path) == place(config.advice);
  const bool isFirst = isConfigured && !fs::exists(path, none);
  if (const auto old = path.empty() ? AdviceFile{} : readAdvice(path))
    keepApplied(report.file, *old);
  if (!path.empty())
    if (const int code = writeOutput(path, printAdvice(report.file)); code != exitSuccess)
      return code;
  if (isFirst)
    tellBuilds(config);
  if (const int code = writeOutput("", text); code != exitSuccess)
    return code;
  note(path.empty() ? "no section says where it is in the source, so no advice.toml is written"
                    : nextStep(path, isConfigured, config));
  return exitSuccess;
}

} // namespace

Expected<AdviceReport> adviceFor(const NetworkArguments &network, const std::string &machine,
                                 const std::string &threads, const ReportFormat &format) {
  AdviseArguments arguments;
  arguments.threads = threads;
  arguments.input = network;
  arguments.machine = machine;
  return compute(TRY(load(arguments)), format);
}

namespace {

/// The locks that `--explain` names; none for `all`.
Expected<std::optional<std::set<std::size_t>>> explainedOf(const std::vector<std::string> &names,
                                                           const Network &network) {
  std::set<std::size_t> explained;
  for (const std::string &name : names) {
    if (name == "all")
      return std::nullopt;
    const std::size_t before = explained.size();
    std::vector<std::string> known;
    for (std::size_t lock = 0; lock < network.locks.size(); ++lock) {
      known.push_back(network.locks[lock].name);
      if (network.locks[lock].name.find(name) != std::string::npos)
        explained.insert(lock);
    }
    if (explained.size() == before)
      return makeError(fmt::format("--explain {}: no lock has this in its name; there are {}, and "
                                   "`all` explains all",
                                   name, someOf(known)));
  }
  return explained;
}

Expected<int> runAdvise(const AdviseArguments &arguments) {
  const AdviseInput input = TRY(load(arguments));
  const ReportFormat &format = formatNamed(arguments.format);
  AdviceReport report = TRY(compute(input, format));
  // Who asks about fixes wants to see them.
  if (arguments.whatIf.empty() || !arguments.explain.empty())
    report.explained = TRY(explainedOf(arguments.explain, report.network));
  return write(report, format, arguments.output, input.config);
}

} // namespace

void addAdvise(CLI::App &app, int &exitCode) {
  const auto arguments = std::make_shared<AdviseArguments>();
  CLI::App *command = app.add_subcommand(
      "advise", "Decide which algorithm each lock should use, say why, write advice.toml");
  addNetworkInput(*command, arguments->input);
  addMachineOption(*command, arguments->machine);
  addPlacementOption(*command, arguments->placement);
  command
      ->add_option("--threads", arguments->threads,
                   "Number of threads to advise for (default: .qdadvise.toml's, else the cores)")
      ->check(notEmpty)
      ->type_name("N");
  addCoresOption(*command, arguments->cores);
  command
      ->add_option("--kind", arguments->kinds,
                   "Lock algorithms to choose from, separated by commas (default: all)")
      ->type_name("NAME[,NAME]");
  command
      ->add_option("--what-if", arguments->whatIf,
                   "Fixes to ask about at every lock, separated by commas: " + knownFixes() +
                       " (default: what is likely to be worth it)")
      ->check(notEmpty)
      ->type_name("FIX[,FIX]");
  command
      ->add_option("--explain", arguments->explain,
                   "Why, for locks with this in their name, or for all; may be repeated (text)")
      ->check(notEmpty)
      ->type_name("LOCK|all")
      ->allow_extra_args(false);
  addFormatOption(*command, arguments->format, adviceReport);
  command
      ->add_option("-o,--output", arguments->output,
                   "Write the advice here (default: what .qdadvise.toml names, else advice.toml)")
      ->check(notEmpty)
      ->type_name("FILE");
  command->callback([arguments, &exitCode] { exitCode = exitCodeOf(runAdvise(*arguments)); });
}

} // namespace qdadvise
