// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/OverPhases.h"

#include <algorithm>

namespace qdadvise {
namespace {

/// Sums a figure over phases, weighted.
template <typename Weight, typename Figure>
double sumOver(const std::vector<Prediction> &phases, Weight weight, Figure figure) {
  double sum = 0;
  for (std::size_t i = 0; i < phases.size(); ++i)
    if (const double share = weight(i); share > 0)
      sum += share * figure(phases[i]);
  return sum;
}

LockPrediction lockOverPhases(const std::vector<Prediction> &phases,
                              const std::vector<double> &times, std::size_t lock) {
  const auto byTime = [&](double LockPrediction::*figure) {
    return sumOver(
        phases, [&](std::size_t i) { return times[i]; },
        [&](const Prediction &at) { return at.locks[lock].*figure; });
  };
  LockPrediction result;
  result.queueLength = byTime(&LockPrediction::queueLength);
  result.utilization = std::min(1.0, byTime(&LockPrediction::utilization));
  result.throughputPerS = byTime(&LockPrediction::throughputPerS);
  if (result.throughputPerS <= 0)
    return result;
  const auto byAcquisition = [&](double LockPrediction::*figure) {
    return sumOver(
        phases,
        [&](std::size_t i) {
          return times[i] * phases[i].locks[lock].throughputPerS / result.throughputPerS;
        },
        [&](const Prediction &at) { return at.locks[lock].*figure; });
  };
  result.waitNs = byAcquisition(&LockPrediction::waitNs);
  result.residenceNs = byAcquisition(&LockPrediction::residenceNs);
  result.contentionRate = byAcquisition(&LockPrediction::contentionRate);
  result.coherenceMissNs = byAcquisition(&LockPrediction::coherenceMissNs);
  return result;
}

ClassPrediction classOverPhases(const std::vector<Prediction> &phases,
                                const std::vector<double> &times, std::size_t threadClass) {
  ClassPrediction result;
  double cycles = 0, waiting = 0; // per ns
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const ClassPrediction &at = phases[i].classes[threadClass];
    result.threads += times[i] * at.threads;
    result.throughputPerS += times[i] * at.throughputPerS;
    if (at.cycleNs <= 0)
      continue;
    cycles += times[i] * at.threads / at.cycleNs;
    waiting += times[i] * at.threads / at.cycleNs * at.waitNs;
  }
  if (cycles > 0) {
    result.cycleNs = result.threads / cycles;
    result.waitNs = waiting / cycles;
  }
  return result;
}

} // namespace

double scalingThroughput(const Network &network, const Prediction &prediction) {
  double sum = 0;
  for (std::size_t i = 0; i < prediction.classes.size(); ++i)
    sum += network.classes[i].scales ? prediction.classes[i].throughputPerS : 0;
  return sum > 0 ? sum : prediction.throughputPerS;
}

std::vector<double> timeInPhases(const Network &network, const std::vector<Prediction> &phases) {
  std::vector<double> times;
  double all = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    times.push_back(network.phases[i] / scalingThroughput(network, phases[i]));
    all += times.back();
  }
  for (double &time : times)
    time /= all;
  return times;
}

Prediction overPhases(const Network &network, std::vector<Prediction> phases) {
  Prediction result;
  result.threads = phases.front().threads;
  result.locks.resize(network.locks.size());
  result.classes.resize(phases.front().classes.size());
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const Prediction &phase = phases[i];
    result.model = i == 0 || result.model == phase.model ? phase.model : "mixed";
    result.worstCase = result.worstCase || phase.worstCase;
    result.settled = result.settled && phase.settled;
    if (result.impossible.empty())
      result.impossible = phase.impossible;
    for (const std::string &note : phase.notes)
      if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end())
        result.notes.push_back(note);
  }
  if (result.impossible.empty()) {
    const std::vector<double> times = timeInPhases(network, phases);
    for (std::size_t i = 0; i < result.locks.size(); ++i) {
      result.locks[i] = lockOverPhases(phases, times, i);
      result.throughputPerS += result.locks[i].throughputPerS;
    }
    for (std::size_t i = 0; i < result.classes.size(); ++i)
      result.classes[i] = classOverPhases(phases, times, i);
    // With one thread each phase would take as many times as long.
    for (std::size_t i = 0; i < phases.size(); ++i) {
      result.speedup += times[i] * phases[i].speedup;
      result.blockedShare += times[i] * phases[i].blockedShare;
    }
  }
  result.phases = std::move(phases);
  return result;
}

double ratioOverPhases(const std::vector<double> &times, const std::vector<double> &ratios) {
  double time = 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    time += times[i] / ratios[i];
  return 1 / time;
}

} // namespace qdadvise
