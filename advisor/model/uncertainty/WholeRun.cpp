// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/WholeRun.h"

#include "advisor/model/solver/HardwareThreads.h"
#include "advisor/model/uncertainty/Confidence.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace qdadvise {

PipelineNs RunScaling::pipeline(double threads) const {
  if (run.fixedWork <= 0 || threads <= 1)
    return {};
  // Who reads a file, say, needs no processor all the time.
  const double workNs = std::min(run.work, run.computing) * run.parallelNs;
  const double fixedNs = run.fixedWork * run.parallelNs;
  const auto leastWith = [&](double busy) { return std::max(workNs / busy, fixedNs); };
  const double wanted = threads + 1, busy = std::min<double>(processors, wanted);
  const double least = leastWith(busy);
  const double waiting = (1 - 1 / busy) * fixedNs;
  // At its turn the fixed thread finds processors taken, and the others run out of work.
  constexpr double mostExpected = 0.5;
  const double share = wanted > busy ? std::min(mostExpected, std::pow(fixedNs / least, 2)) : 0;
  // One thread is what speed-ups are over, on a machine where it has no processor for itself, too.
  const double slower =
      std::max(1.0, leastWith(std::min<double>(processors, 2)) / (run.parallelNs * recorded));
  return {least / slower, (least + share * waiting) / slower, (least + waiting) / slower};
}

namespace {

/// Row by row linear from speed 1, where it is 1; beyond the last row it is what that says.
double slowdownAt(double speed, const std::vector<SharingSlowdown> &rows,
                  double SharingSlowdown::*end) {
  SharingSlowdown before;
  for (const SharingSlowdown &row : rows) {
    if (speed < row.speed)
      return before.*end + (row.*end - before.*end) * std::max(0.0, speed - before.speed) /
                               (row.speed - before.speed);
    before = row;
  }
  return before.*end;
}

} // namespace

double RunScaling::serialNs(double threads, double share) const {
  return run.serialNs * (1 - share * (1 - 1 / std::min<double>(threads, processors)));
}

double RunScaling::atBarriersNs(double threads) const {
  // With several recorded threads it is in the recorded time.
  return threads > 1 && run.threads == 1 ? run.barriers * wakeupNs : 0;
}

double RunScaling::dividedNs(double speedup) const {
  // Threads need processors for what they compute, however many of them are blocked (RUN11).
  const double needed = std::min(recorded, run.processors) / processors;
  return run.parallelNs * std::max(recorded / speedup, needed);
}

double RunScaling::sharedNs(double threads) const {
  if (loss == 0)
    return 0;
  const double computing = std::min(1.0, run.computing);
  const auto longer = [&](double together) { return 1 + loss * computing * (1 - 1 / together); };
  // Who is blocked needs no processor, and loses nothing to others.
  const double together =
      computing > 0 ? std::min<double>(threads, processors / computing) : threads;
  return dividedNs(threads) * longer(std::max(1.0, together)) / longer(run.threads);
}

double RunScaling::besideShare() const {
  const double computed = std::max(run.work, run.computing);
  const double most = std::min(run.fixedWork, computed - run.fixedWork);
  return most > 0 ? std::clamp((computed - 1) / most, 0.0, 1.0) : 1;
}

double RunScaling::inTurnNs(double dividedNs, double share) const {
  const double one = run.parallelNs * recorded;
  return share * one + (1 - share) * dividedNs;
}

RunTime RunScaling::time(double threads, double speedup) const {
  const PipelineNs atLeast = pipeline(threads);
  const double divided = dividedNs(speedup);
  const double stretch = run.parallelNs * run.longestStretch;
  // The parallel part takes so much longer if threads do not divide what is at its ends (RUN13).
  const double undivided = run.ends * std::max(0.0, run.parallelNs - divided);
  // At worst all others wait for the end of the longest stretch (RUN5, RUN10), or for stages
  // that have one thread (RUN15).
  const double others = (1 - 1 / threads) * run.parallelNs;
  const double uneven =
      std::max(divided + undivided +
                   others * std::max({run.longestStretch, run.barrierStretch, run.guessedStages}),
               inTurnNs(divided, run.fixedWork));
  const double guessed = divided + undivided / 2 + others * run.guessedStages / 2;
  const double turns = inTurnNs(divided, run.fixedWork * (1 - besideShare()));
  const double expected = std::max({guessed, stretch, atLeast.expected, turns});
  // What threads compute takes the longer the more of them go on at a time (RUN9).
  const auto slowed = [&](double ns, double SharingSlowdown::*end) {
    const double slowdown = slowdownAt(run.parallelNs * recorded / ns, slowdowns, end);
    return ns * (1 + std::min(1.0, run.computing) * (slowdown - 1));
  };
  // Half of what threads may divide of the serial part they do (RUN17).
  const double serial = serialNs(threads, run.openSerial / 2);
  // Somebody sleeps at each barrier, or nobody does (RUN12).
  const double barriersNs = atBarriersNs(threads);
  const double expectedNs =
      serial +
      std::max(slowed(expected, &SharingSlowdown::expected) + barriersNs, sharedNs(threads));
  return {std::min(expectedNs, serialNs(threads, run.openSerial) +
                                   slowed(std::max({divided, stretch, atLeast.least}),
                                          &SharingSlowdown::least)),
          expectedNs,
          std::max(expectedNs,
                   run.serialNs +
                       slowed(std::max({uneven, stretch, atLeast.most}), &SharingSlowdown::most) +
                       barriersNs),
          expected <= guessed   ? RunLimit::sections
          : expected <= stretch ? RunLimit::stretch
                                : RunLimit::pipeline,
          serial};
}

WholeRun RunScaling::at(double threads, double speedup) const {
  const RunTime found = time(threads, speedup);
  return {oneThreadNs() / found.expected, found.serial / found.expected};
}

GainInterval RunScaling::gain(double threads, double speedup,
                              const GainInterval &ofSections) const {
  const RunTime today = time(threads, speedup);
  const auto then = [&](double ratio) { return time(threads, speedup * ratio); };
  const auto expected = [&](double ratio) { return today.expected / then(ratio).expected; };
  // Each way to count the time limits a gain, and a loss: the interval holds all of them.
  const auto all = [&](double ratio) {
    const RunTime at = then(ratio);
    return std::array{today.least / at.least, today.expected / at.expected, today.most / at.most};
  };
  const auto lowest = all(ofSections.low), highest = all(ofSections.high);
  const double gain = expected(ofSections.ratio);
  // Where threads slow each other down more than they are, a gain of the sections is a loss.
  const auto [low, some] = std::minmax_element(lowest.begin(), lowest.end());
  const auto [others, high] = std::minmax_element(highest.begin(), highest.end());
  return {gain, std::min({*low, *others, gain}), std::max({*high, *some, gain}),
          expected(ofSections.lowerQuartile), ofSections.known};
}

namespace {

/// Why what copies took does not tell of threads, for people; "" where it does.
std::string whyUnused(const Run &run, const Machine &machine) {
  if (!machine.isMeasuredOn(run.copies->cpu, run.copies->processors))
    return fmt::format("they ran on {} of '{}', and the machine description is not measured there",
                       plural(static_cast<std::uint64_t>(run.copies->processors), "processor"),
                       run.copies->cpu);
  constexpr double severalThreads = 2;
  if (run.computing >= severalThreads)
    return fmt::format("each computes with {:.1f} threads at a time, and those of one thread would "
                       "tell",
                       run.computing);
  return "";
}

} // namespace

std::vector<SharingSlowdown> sharingSlowdowns(const Run &run, const Machine &machine) {
  std::vector<SharingSlowdown> rows;
  if (!run.copies || !whyUnused(run, machine).empty())
    return rows;
  for (const RunCopies::Row &row : run.copies->rows) {
    // The model of the sections knows already that hardware threads share cores.
    const double known = sharedCoreStretch(machine, row.copies, 1);
    const auto beyond = [&](double deviations) {
      return std::max(1.0, row.slowdown * std::exp(deviations * row.deviation) / known);
    };
    rows.push_back({row.copies / known, beyond(-deviations95), beyond(0), beyond(deviations95)});
  }
  return rows;
}

std::string sharingNote(const Run &run, const Machine &machine, int threads) {
  if (!run.copies)
    return "";
  const std::string unused = whyUnused(run, machine);
  if (!unused.empty())
    return "what copies of the program took is left out: " + unused;
  std::vector<std::string> rows;
  for (const RunCopies::Row &row : run.copies->rows)
    rows.push_back(fmt::format("{} copies at once took {:.2f} times the processor time of one",
                               row.copies, row.slowdown));
  const bool isSlower = std::any_of(run.copies->rows.begin(), run.copies->rows.end(),
                                    [](const RunCopies::Row &row) { return row.slowdown > 1; });
  if (!isSlower)
    return fmt::format(
        "{}: in the whole run, threads compute no longer, and what is below 1 is noise",
        fmt::join(rows, ", "));
  const int most = run.copies->rows.back().copies;
  return fmt::format(
      "{}: in the whole run, threads compute as much longer{}", fmt::join(rows, ", "),
      std::min(threads, machine.cores) > most
          ? fmt::format("; more than {} at a time lose at least what {} do", most, most)
          : "");
}

RunScaling runScaling(const Run &run, double recordedSpeedup, const Machine &machine,
                      const PredictOptions &options) {
  return {run,
          recordedSpeedup,
          options.cores > 0 ? options.cores : machine.cores,
          sharingSlowdowns(run, machine),
          machine.wakeupAfter(0).latencyNs,
          sharingLoss};
}

Expected<RunScaling> runScaling(const Network &network, const std::vector<LockKind> &kinds,
                                const Machine &machine, const PredictOptions &options) {
  return runScaling(*network.run, TRY(recordedSpeedup(network, kinds, machine, options)), machine,
                    options);
}

Expected<double> recordedSpeedup(const Network &network, const std::vector<LockKind> &kinds,
                                 const Machine &machine, const PredictOptions &options) {
  return possibleSpeedup(network.run->threads, [&](int threads) {
    return predict(network, kinds, machine, threads, options);
  });
}

Expected<double> possibleSpeedup(int threads,
                                 const std::function<Expected<Prediction>(int)> &predictAt) {
  for (int fewer = threads; fewer > 1; --fewer) {
    const Prediction prediction = TRY(predictAt(fewer));
    if (prediction.impossible.empty())
      return prediction.speedup * threads / fewer;
  }
  return threads;
}

} // namespace qdadvise
