// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/cli/record/Copies.h"

#include "advisor/cli/Options.h"
#include "advisor/cli/process/CommandTemplate.h"
#include "advisor/machine/calibration/Topology.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace qdadvise {
namespace {

/// A run that takes less processor time consists largely of the program's start.
constexpr double leastAloneS = 0.01;
/// A copy that takes so many times as long as the recorded run waits for something, and never ends.
constexpr double mostTimes = 10, leastLimitS = 60;

constexpr const char *unknown = "what copies lose to each other is not known";

/// Runs so many copies at once.
Expected<std::vector<MeasuredRun>> runCopies(const CopiesRequest &request, int number) {
  std::vector<RunRequest> copies;
  for (int copy = 1; copy <= number; ++copy) {
    RunRequest &one = copies.emplace_back();
    one.command = commandOfCopy(request.command, copy);
    // Runtimes from before there was `never` keep to what stands before it.
    one.environment = {"QDADVISE_OPTIONS=enabled=0:enabled=never", variableOfCopy(copy)};
    one.input = request.input;
    one.inputFrom = request.inputFrom;
    one.keepsOutput = false;
    one.limit = std::chrono::duration<double>(
        std::max(leastLimitS, mostTimes * number * request.recordedS));
  }
  return measureRuns(copies);
}

std::string lastLineOf(std::string text) {
  while (text.ends_with('\n'))
    text.pop_back();
  const std::string line = text.substr(text.rfind('\n') + 1);
  return line.empty() ? "" : fmt::format(" (\"{}\")", line);
}

/// Why these runs say nothing, or "".
std::string problemOf(const std::vector<MeasuredRun> &copies, const CopiesRequest &request) {
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const std::string which = copies.size() == 1
                                  ? "a run alone, without recording,"
                                  : fmt::format("copy {} of {}", i + 1, copies.size());
    if (copies[i].isTimedOut)
      return fmt::format("{} had not ended after more than {:g} times the recorded run's time; {}",
                         which, mostTimes, unknown);
    if (copies[i].status != request.status)
      return fmt::format("{} ended with status {}, the recorded run with {}{}; {}", which,
                         copies[i].status, request.status, lastLineOf(copies[i].output), unknown);
  }
  return "";
}

/// Runs one alone and each number of copies, in turns; the order changes from round to round, so
/// that what drifts is in all alike. What ends too unevenly is left out.
Expected<CopiesResult> measureRound(const CopiesRequest &request, const Topology &here,
                                    bool isBackwards, const std::function<void()> &ran) {
  std::vector<int> numbers = {1};
  numbers.insert(numbers.end(), request.numbers.begin(), request.numbers.end());
  if (isBackwards)
    std::reverse(numbers.begin(), numbers.end());
  CopiesResult result;
  double aloneS = 0;
  std::vector<std::pair<int, std::vector<MeasuredRun>>> together;
  for (const int number : numbers) {
    std::vector<MeasuredRun> copies = TRY(runCopies(request, number));
    result.interruption = copies.front().interruption;
    if (result.interruption != 0)
      return result;
    result.problem = problemOf(copies, request);
    if (!result.problem.empty())
      return result;
    if (number == 1)
      aloneS = copies.front().ownS;
    else
      together.emplace_back(number, std::move(copies));
    ran();
  }
  if (aloneS < leastAloneS)
    result.problem = fmt::format("a run alone takes only {} of processor time; {}",
                                 formatDuration(aloneS * 1e9), unknown);
  else
    for (const auto &[number, copies] : together)
      if (const std::optional<double> s = besideS(copies, aloneS))
        result.rounds.push_back({here.cpu, static_cast<std::uint32_t>(here.processors.size()),
                                 static_cast<std::uint32_t>(number), aloneS * 1e9, *s * 1e9});
  return result;
}

} // namespace

Expected<std::vector<int>> parseCopies(const std::string &list) {
  std::vector<int> numbers = TRY(parseNumbers("--copies", list, 2));
  const int processors = static_cast<int>(readTopology().processors.size());
  if (numbers.back() > processors || numbers.back() > static_cast<int>(mostRunsAtOnce))
    return makeError(fmt::format(
        "--copies {}: there {} for {} copies at once", list,
        processors == 1 ? "is only 1 processor" : fmt::format("are only {} processors", processors),
        numbers.back()));
  return numbers;
}

std::vector<std::string> commandOfCopy(const std::vector<std::string> &command, int number) {
  return filledIn(command, "copy", std::to_string(number));
}

std::string variableOfCopy(int number) { return fmt::format("QDADVISE_COPY={}", number); }

std::optional<double> besideS(const std::vector<MeasuredRun> &copies, double aloneS) {
  constexpr double leastTogether = 0.6;
  double slowdown = 0;
  for (const MeasuredRun &copy : copies) {
    const double together = copy.seconds > 0 ? std::min(1.0, copy.togetherS / copy.seconds) : 0;
    const double afterwardsS = (1 - together) * copy.ownS;
    if (together < leastTogether || afterwardsS >= aloneS)
      return std::nullopt;
    slowdown += (copy.ownS - afterwardsS) / (aloneS - afterwardsS);
  }
  return aloneS * slowdown / static_cast<double>(copies.size());
}

Expected<CopiesResult> measureCopies(const CopiesRequest &request) {
  const Topology here = readTopology();
  const double all = request.rounds * static_cast<double>(request.numbers.size() + 1);
  double done = 0;
  request.progress(0);
  CopiesResult result;
  for (int round = 0; round < request.rounds; ++round) {
    CopiesResult one =
        TRY(measureRound(request, here, round % 2 != 0, [&] { request.progress(++done / all); }));
    if (one.interruption != 0 || !one.problem.empty())
      return one;
    result.rounds.insert(result.rounds.end(), one.rounds.begin(), one.rounds.end());
  }
  for (const int number : request.numbers) {
    const auto counted =
        std::count_if(result.rounds.begin(), result.rounds.end(), [&](const ProfiledCopies &round) {
          return static_cast<int>(round.copies) == number;
        });
    if (2 * counted < request.rounds) {
      result.problem = fmt::format("{} copies end so far apart that they hardly run at the same "
                                   "time: they wait for each other, or the machine is busy; {}",
                                   number, unknown);
      result.rounds.clear();
      return result;
    }
  }
  return result;
}

} // namespace qdadvise
