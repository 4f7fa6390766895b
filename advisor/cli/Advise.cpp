// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise advise: which algorithm each lock should use, why, and advice.toml.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Common.h"
#include "advisor/cli/NetworkInput.h"
#include "advisor/cli/ProgressBar.h"
#include "advisor/decide/AdviceOf.h"
#include "advisor/model/uncertainty/WholeRun.h"
#include "advisor/report/AdviceReport.h"
#include "advisor/report/FindingsReport.h"
#include "advisor/report/MemoryReport.h"
#include "advisor/report/ProfileReport.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>

namespace qdadvise {
namespace {

struct AdviseArguments {
  NetworkArguments input;
  std::string machine, threads, kinds = "all", whatIf, format, output;
  int cores = 0;
};

Expected<int> threadsFor(const std::string &given, const UserConfig &config, int cores) {
  if (given.empty())
    return config.threads > 0 ? config.threads : cores;
  const Expected<std::vector<int>> threads = parseThreads(given);
  if (!threads)
    return Unexpected(threads.error());
  if (threads->size() != 1)
    return makeError(fmt::format("--threads {}: advice is for one number of threads; `qdadvise "
                                 "predict` compares several",
                                 given));
  return threads->front();
}

/// `all` is every algorithm that can be had: the yardstick among them is left out.
Expected<std::vector<std::string>> menuFor(const std::string &kinds) {
  if (kinds == "all")
    return std::vector<std::string>{};
  return parseKinds(kinds);
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

nlohmann::ordered_json jsonOf(const NetworkInput &input, const AdviceReport &report,
                              const FindingThresholds &thresholds) {
  nlohmann::ordered_json document;
  if (input.profile) {
    const ProfileSummary summary = summarize(*input.profile);
    document = profileReportJson(*input.profile, summary);
    addFindingsJson(document, findingsOf(*input.profile, summary, thresholds), *input.profile,
                    summary, thresholds);
    addOptimisticJson(document, optimisticProgram(*input.profile, summary), *input.profile,
                      summary);
  } else {
    document["network"] = input.source;
  }
  addAdviceJson(document, report);
  return document;
}

/// Where advice.toml goes; "" where there is nothing to write and none was asked for.
std::string advicePath(const AdviceFile &file, const std::string &output) {
  return file.advice.empty() && output.empty() ? "" : output.empty() ? "advice.toml" : output;
}

void sayWritten(const std::string &path) {
  note(path.empty() ? "no section says where it is in the source, so no advice.toml is written"
                    : fmt::format("wrote {}; compile with -fplugin-arg-qdadvise-advice={} to see "
                                  "it at each lock",
                                  path, path));
}

/// What the gain is of the whole run, where it is known what else that does.
Expected<std::optional<AdviceReport::Whole>> wholeOf(const Decisions &decisions,
                                                     const NetworkInput &input,
                                                     const Machine &machine,
                                                     const DecisionOptions &options) {
  const Network &network = input.network;
  if (!network.run)
    return std::nullopt;
  const auto recorded = recordedSpeedup(network, decisions.kindsToday, machine, options.predict);
  if (!recorded)
    return Unexpected(recorded.error());
  const double serialShare = wholeRun(*network.run, decisions.today.speedup, *recorded).serialShare;
  return AdviceReport::Whole{ofWholeRun(decisions.together, serialShare), serialShare,
                             network.run->serial};
}

int runAdvise(const AdviseArguments &arguments) {
  const Expected<UserConfig> config = loadUserConfig();
  if (!config)
    return fail(config.error());
  const Expected<LoadedMachine> machine = loadMachine(arguments.machine);
  if (!machine)
    return fail(machine.error());

  DecisionOptions options;
  options.predict.cores = arguments.cores > 0 ? arguments.cores : config->cores;
  AdviceReport report;
  report.cores = options.predict.cores > 0 ? options.predict.cores : machine->machine.cores;
  const Expected<int> threads = threadsFor(arguments.threads, *config, report.cores);
  if (!threads)
    return fail(threads.error());
  options.threads = report.threads = *threads;
  const Expected<std::vector<std::string>> menu = menuFor(arguments.kinds);
  if (!menu)
    return fail(menu.error());
  options.menu = *menu;
  WhatIfOptions fixes{options.threads, options.predict, options.minimumGains, {}, {}};
  if (!arguments.whatIf.empty()) {
    const Expected<std::vector<FixRequest>> requests = parseFixes(arguments.whatIf);
    if (!requests)
      return fail(requests.error());
    fixes.requests = *requests;
  }

  const Expected<NetworkInput> input = loadNetworkInput(arguments.input, machine->machine);
  if (!input)
    return fail(input.error());
  ProgressBar bar(aWhile);
  options.progress = fixes.progress = [&](double done, const std::string &what) {
    bar.show(done, what.substr(0, 40));
  };
  Expected<Decisions> decisions = decide(input->network, machine->machine, options);
  bar.clear();
  if (!decisions)
    return fail(decisions.error());
  report.decisions = std::move(*decisions);
  const auto whole = wholeOf(report.decisions, *input, machine->machine, options);
  if (!whole)
    return fail(whole.error());
  report.whole = *whole;
  Expected<WhatIfs> found =
      whatIfs(input->network, machine->machine, report.decisions, input->memory, fixes);
  bar.clear();
  if (!found)
    return fail(found.error());
  report.whatIfs = std::move(found->found);
  report.network = input->network;
  report.program = input->profile ? input->profile->program : input->source;
  report.machine = machine->origin;
  report.notes = input->notes;
  if (found->wantsDiagnosis && input->profile)
    report.notes.push_back(
        "a diagnosis run (`qdadvise config memory`) tells whether sections could share reads, be "
        "atomic operations or run without their lock; give its profile beside this one");
  for (const std::string &note : report.decisions.notes)
    if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end())
      report.notes.push_back(note);

  const AdviceFile file = adviceOf(report.decisions, report.network, machine->machine,
                                   {report.program, today(), report.threads, report.cores});
  if (arguments.format == "toml" || arguments.output == "-")
    return writeOutput(arguments.output, printAdvice(file));
  const std::string text = arguments.format == "json"
                               ? printJson(jsonOf(*input, report, config->findings))
                               : adviceReportText(report, outputStyle(""));
  // The file first: where it cannot be written, nothing else is.
  const std::string path = advicePath(file, arguments.output);
  if (!path.empty())
    if (const int code = writeOutput(path, printAdvice(file)); code != exitSuccess)
      return code;
  if (const int code = writeOutput("", text); code != exitSuccess)
    return code;
  sayWritten(path);
  return exitSuccess;
}

} // namespace

void addAdvise(CLI::App &app, int &exitCode) {
  const auto arguments = std::make_shared<AdviseArguments>();
  CLI::App *command = app.add_subcommand(
      "advise", "Decide which algorithm each lock should use, say why, write advice.toml");
  addNetworkInput(*command, arguments->input);
  addMachineOption(*command, arguments->machine);
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
  addFormatOption(*command, arguments->format, {"text", "json", "toml"});
  command
      ->add_option("-o,--output", arguments->output, "Write the advice here (default: advice.toml)")
      ->type_name("FILE");
  command->callback([arguments, &exitCode] { exitCode = runAdvise(*arguments); });
}

} // namespace qdadvise
