// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/cli/verify/GainPrediction.h"

#include "advisor/advice/AdviceFile.h"
#include "advisor/cli/Inputs.h"
#include "advisor/cli/NetworkInput.h"
#include "advisor/model/uncertainty/Gain.h"
#include "advisor/model/uncertainty/WholeRun.h"
#include "advisor/support/Format.h"

#include <fmt/format.h>
#include <map>

namespace qdadvise {
namespace {

/// The gain in what is measured: the program's own figure is taken for that of its threads'
/// common work, the time of the run has the rest in it as well.
std::optional<PredictedGain> gainIn(const AdviceFile &file, bool isOwnFigure) {
  const std::optional<AdvisedGain> &gain =
      !isOwnFigure && file.wholeRun ? file.wholeRun : file.together;
  if (!gain)
    return std::nullopt;
  return PredictedGain{gain->speedup, gain->low, gain->high};
}

void addFromAdvice(Verification &verification, const AdviceFile &file, const std::string &path) {
  const std::optional<PredictedGain> gain = gainIn(file, verification.isOwnFigure);
  bool isUsed = false;
  for (VerifiedThreads &threads : verification.measured)
    if (gain && threads.threads == file.threads && file.cores == verification.processors) {
      threads.predicted = gain;
      isUsed = true;
    }
  if (!gain)
    verification.notes.push_back(path + " has no gain of all changes together: let `qdadvise "
                                        "advise` write it again, or give the --profile, too");
  else if (!isUsed)
    verification.notes.push_back(fmt::format(
        "{} is for {} on {}, which was not measured; with --profile, the gain here is predicted",
        path, formatThreads(file.threads),
        plural(static_cast<std::uint64_t>(file.cores), "processor")));
}

/// The algorithms of the advice, by lock of the network.
Expected<std::vector<LockKind>> advisedKinds(const AdviceFile &file, const Network &network,
                                             const std::vector<LockKind> &today) {
  std::map<std::string, LockKind> advised;
  for (const Advice &advice : file.advice)
    if (!advice.keep)
      advised[advice.lock] = algorithmNamed(advice.advised);
  std::vector<LockKind> kinds = today;
  for (std::size_t lock = 0; lock != network.locks.size(); ++lock)
    if (const auto found = advised.find(network.locks[lock].name); found != advised.end()) {
      kinds[lock] = found->second;
      advised.erase(found);
    }
  if (!advised.empty())
    return makeError("the profile has no lock '" + advised.begin()->first +
                     "', which the advice is to change; give the profile that the advice is from");
  return kinds;
}

Expected<void> addFromProfile(Verification &verification, const AdviceFile &file,
                              const GainSources &sources) {
  const LoadedMachine loaded = TRY(loadMachine(sources.machine));
  const NetworkInput input = TRY(loadNetworkInput({sources.profiles, {}, ""}, loaded.machine));
  const Network &network = input.network;
  PredictOptions options;
  options.cores = verification.processors;
  std::vector<LockKind> today;
  for (const Lock &lock : network.locks)
    today.push_back(lock.kind.isKnown() ? lock.kind.kind : LockKind::pthreadMutex);
  const std::vector<LockKind> advised = TRY(advisedKinds(file, network, today));
  std::map<int, std::optional<PredictedGain>> known;
  for (VerifiedThreads &threads : verification.measured) {
    if (const auto found = known.find(threads.threads); found != known.end()) {
      threads.predicted = found->second;
      continue;
    }
    GainInterval gain =
        TRY(throughputGain(network, today, advised, loaded.machine, threads.threads, options));
    if (!verification.isOwnFigure && network.run) {
      const RunScaling run = TRY(runScaling(network, today, loaded.machine, options));
      const Prediction now = TRY(predict(network, today, loaded.machine, threads.threads, options));
      gain = run.gain(threads.threads, now.speedup, gain);
    }
    if (gain.known)
      threads.predicted = PredictedGain{gain.ratio, gain.low, gain.high};
    known[threads.threads] = threads.predicted;
  }
  verification.notes.push_back("predicted for " + loaded.origin);
  if (!verification.isOwnFigure && network.run && !known.empty())
    if (const std::string shared = sharingNote(*network.run, loaded.machine, known.rbegin()->first);
        !shared.empty())
      verification.notes.push_back(shared);
  return {};
}

} // namespace

Expected<void> addPredictions(Verification &verification, const GainSources &sources) {
  if (sources.advice.empty())
    return {};
  const AdviceFile file = TRY(readAdvice(sources.advice));
  if (!sources.profiles.empty())
    return addFromProfile(verification, file, sources);
  addFromAdvice(verification, file, sources.advice);
  return {};
}

} // namespace qdadvise
