// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/Confidence.h"

#include "advisor/model/OverPhases.h"
#include "advisor/model/uncertainty/ModelError.h"
#include "advisor/model/uncertainty/SamplingError.h"
#include "advisor/network/Phases.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

using Vector = std::vector<double>;

/// A figure that has an interval, with its place.
struct ProgramFigure {
  double Prediction::*figure;
  Interval FigureIntervals::*interval;
  double Prediction::*most; ///< what it is no more than, if anything
};
constexpr ProgramFigure programFigures[] = {
    {&Prediction::throughputPerS, &FigureIntervals::throughputPerS, nullptr},
    {&Prediction::speedup, &FigureIntervals::speedup, &Prediction::threads},
};
/// What no figure of a lock is more than: all threads are at it, and acquire it at the lowest rate
/// (UNC13).
struct Most {
  double wait = 0, queue = 0, share = 1;
};
struct LockFigure {
  double LockPrediction::*figure;
  Interval LockIntervals::*interval;
  double FigureErrors::*error;
  double Most::*most;
  bool byAcquisition; ///< a mean over acquisitions; else over time
};
constexpr LockFigure lockFigures[] = {
    {&LockPrediction::waitNs, &LockIntervals::waitNs, &FigureErrors::wait, &Most::wait, true},
    {&LockPrediction::queueLength, &LockIntervals::queueLength, &FigureErrors::queue, &Most::queue,
     false},
    {&LockPrediction::utilization, &LockIntervals::utilization, &FigureErrors::throughput,
     &Most::share, false},
    {&LockPrediction::contentionRate, &LockIntervals::contentionRate, &FigureErrors::contention,
     &Most::share, true},
};

/// `slowest`: the lower end of the program's throughput, as a share of the throughput.
Most mostOf(const Prediction &prediction, const LockPrediction &lock, double slowest) {
  Most most;
  for (const ClassPrediction &each : prediction.classes)
    most.queue += each.threads;
  const double slowestPerNs = 1e-9 * lock.throughputPerS * slowest;
  most.wait = slowestPerNs > 0 ? most.queue / slowestPerNs : INFINITY;
  return most;
}

Vector figuresOf(const Prediction &prediction) {
  Vector figures;
  for (const ProgramFigure &row : programFigures)
    figures.push_back(prediction.*row.figure);
  for (const LockPrediction &lock : prediction.locks)
    for (const LockFigure &row : lockFigures)
      figures.push_back(lock.*row.figure);
  return figures;
}

/// The numbers of threads whose sampling errors are computed. A short sweep has all of them. A
/// longer one has some in about geometric steps, with the first and the last.
std::vector<int> supports(const std::vector<Prediction> &sweep) {
  constexpr std::size_t most = 8;
  std::vector<int> result;
  const double first = sweep.front().threads, last = sweep.back().threads;
  for (const Prediction &at : sweep) {
    const double next =
        first * std::pow(last / first, static_cast<double>(result.size()) / (most - 1));
    if (sweep.size() <= most || at.threads >= next * (1 - 1e-9))
      result.push_back(static_cast<int>(at.threads));
  }
  if (result.back() != static_cast<int>(last))
    result.push_back(static_cast<int>(last));
  return result;
}

/// Interpolates between two rows, on the logarithm of the number of threads (UNC11).
Vector interpolated(const std::vector<int> &threads, const std::vector<Vector> &rows, double at) {
  std::size_t above = 0;
  while (threads[above] < at)
    ++above;
  if (threads[above] == at)
    return rows[above];
  const double from = threads[above - 1], to = threads[above];
  const double share = std::log(at / from) / std::log(to / from);
  Vector result;
  for (std::size_t i = 0; i < rows[above].size(); ++i)
    result.push_back((1 - share) * rows[above - 1][i] + share * rows[above][i]);
  return result;
}

/// Gradients come from mean value analysis, whatever method the figures are from, and with a core
/// for every thread: a gradient needs hundreds of solutions.
PredictOptions gradients() {
  PredictOptions options{coreForEveryThread, "recursion"};
  options.startingPoints = makeStartingPoints();
  return options;
}

/// Relative variances from sampling, for each prediction of the sweep.
Expected<std::vector<Vector>> sampling(const Network &network, const std::vector<LockKind> &kinds,
                                       const Machine &machine,
                                       const std::vector<Prediction> &sweep) {
  std::vector<Vector> result(sweep.size(), Vector(figuresOf(sweep.front()).size(), 0));
  if (!isSampled(network))
    return result;
  const std::vector<int> threads = supports(sweep);
  const PredictOptions alike = gradients();
  const Figures figures = [&](const Network &changed,
                              const std::vector<Traffic> &traffic) -> Expected<NetworkFigures> {
    const auto predictions = TRY(predictTraffic(changed, traffic, kinds, machine, threads, alike));
    NetworkFigures all;
    for (const Prediction &at : predictions) {
      const Vector some = figuresOf(at);
      all.values.insert(all.values.end(), some.begin(), some.end());
      all.settled = all.settled && at.settled;
    }
    return all;
  };
  const auto width = static_cast<std::ptrdiff_t>(result.front().size());
  SamplingOptions options;
  for (const int each : threads) {
    const auto at = std::find_if(sweep.begin(), sweep.end(),
                                 [&](const Prediction &one) { return one.threads == each; });
    std::vector<double> speedups(result.front().size(), 0);
    std::fill_n(speedups.begin(), std::size(programFigures), at->speedup);
    options.speedups.insert(options.speedups.end(), speedups.begin(), speedups.end());
  }
  const auto variances = TRY(samplingVariances(network, figures, options));
  std::vector<Vector> rows(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const auto begin = variances.begin() + static_cast<std::ptrdiff_t>(i) * width;
    rows[i].assign(begin, begin + width);
  }
  for (std::size_t i = 0; i < sweep.size(); ++i)
    result[i] = interpolated(threads, rows, sweep[i].threads);
  return result;
}

/// The interval of a figure (UNC1). `room` bounds the model error upwards, on the logarithm.
Interval intervalOf(double value, double samplingVariance, double modelError, double most,
                    double room = INFINITY) {
  const double sampling = deviations95 * std::sqrt(samplingVariance),
               model = deviations95 * modelError;
  return {value * std::exp(-std::hypot(sampling, model)),
          std::min(most, value * std::exp(std::hypot(sampling, std::min(model, room))))};
}

/// How far the throughput can be too low, on the logarithm: no lock is held more than all the time.
double roomOf(const Prediction &prediction) {
  double busiest = 0;
  for (const LockPrediction &lock : prediction.locks)
    busiest = std::max(busiest, lock.utilization);
  return -std::log(busiest);
}

/// The network with the line of each lock where the thread left it; none where a run tells. Of many
/// locks a run with one thread does not tell which ones another thread would take (UNC12).
std::optional<Network> withLinesAtHome(const Network &network) {
  if (!network.run || network.run->threads > 1)
    return std::nullopt;
  std::optional<Network> result;
  for (std::size_t i = 0; i < network.locks.size(); ++i) {
    const Lock &lock = network.locks[i];
    if (lock.instances < 2 || lock.perThread || lock.own > 0)
      continue;
    if (!result)
      result = network;
    result->locks[i].own = 1;
  }
  return result;
}

/// The network in which all threads share the locks that they are taken to have for themselves,
/// though no run with several threads tells; none where one does (UNC16).
std::optional<Network> withGuessedShared(const Network &network) {
  std::optional<Network> result;
  for (std::size_t i = 0; i < network.locks.size(); ++i)
    if (network.locks[i].perThread && network.locks[i].guessed) {
      if (!result)
        result = network;
      result->locks[i].perThread = false;
    }
  return result;
}

/// Figures with the network that may be the true one as well, divided by the predicted ones. They
/// are 1 where there is no such network, or nothing was found.
Expected<std::vector<Vector>> ratiosIn(const std::optional<Network> &changed,
                                       const Network &network, const std::vector<LockKind> &kinds,
                                       const Machine &machine,
                                       const std::vector<Prediction> &sweep) {
  std::vector<Vector> ratios(sweep.size(), Vector(figuresOf(sweep.front()).size(), 1));
  if (!changed)
    return ratios;
  std::vector<int> threads;
  for (const Prediction &at : sweep)
    threads.push_back(static_cast<int>(at.threads));
  const PredictOptions alike{coreForEveryThread, "recursion"};
  const auto before =
      TRY(predictTraffic(network, trafficOf(network), kinds, machine, threads, alike));
  const auto after =
      TRY(predictTraffic(*changed, trafficOf(*changed), kinds, machine, threads, alike));
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    const Vector from = figuresOf(before[i]), to = figuresOf(after[i]);
    for (std::size_t j = 0; j < from.size(); ++j)
      if (from[j] > 0 && to[j] > 0)
        ratios[i][j] = to[j] / from[j];
  }
  return ratios;
}

/// How many times the throughput can be of a bound (NST7): as if no thread waited for another
/// (UNC15).
double aboveBound(const Prediction &prediction, int cores) {
  if (!prediction.worstCase || prediction.speedup <= 0)
    return 1;
  return std::max(1.0, std::min<double>(prediction.threads, cores) / prediction.speedup);
}

/// With room for a figure that is so many times as large.
Interval reaching(const Interval &interval, double ratio, double most) {
  return {interval.low * std::min(1.0, ratio),
          std::min(most, interval.high * std::max(1.0, ratio))};
}

/// The intervals of each phase's figures, `[phase][point]`.
Expected<std::vector<std::vector<FigureIntervals>>>
intervalsInPhases(const Network &network, const std::vector<LockKind> &kinds,
                  const Machine &machine, const std::vector<Prediction> &sweep,
                  const PredictOptions &options) {
  std::vector<std::vector<FigureIntervals>> result;
  for (std::size_t phase = 0; phase < network.phases.size(); ++phase) {
    std::vector<Prediction> points;
    for (const Prediction &at : sweep)
      points.push_back(at.phases[phase]);
    result.push_back(
        TRY(confidenceIntervals(networkOfPhase(network, phase), kinds, machine, points, options)));
  }
  return result;
}

} // namespace

FigureIntervals overPhases(const Network &network, const Prediction &prediction,
                           const std::vector<FigureIntervals> &phases) {
  const std::vector<double> times = timeInPhases(network, prediction.phases);
  FigureIntervals result;
  for (const ProgramFigure &row : programFigures) {
    const auto end = [&](double Interval::*which) {
      std::vector<double> ratios;
      for (std::size_t i = 0; i < phases.size(); ++i)
        ratios.push_back(phases[i].*row.interval.*which / prediction.phases[i].*row.figure);
      return prediction.*row.figure * ratioOverPhases(times, ratios);
    };
    result.*row.interval = {end(&Interval::low), end(&Interval::high)};
  }
  for (std::size_t lock = 0; lock < prediction.locks.size(); ++lock) {
    LockIntervals &out = result.locks.emplace_back();
    const double all = prediction.locks[lock].throughputPerS;
    for (const LockFigure &row : lockFigures)
      for (std::size_t i = 0; i < phases.size(); ++i) {
        const double share = !row.byAcquisition ? times[i]
                             : all > 0
                                 ? times[i] * prediction.phases[i].locks[lock].throughputPerS / all
                                 : 0;
        const Interval &one = phases[i].locks[lock].*row.interval;
        (out.*row.interval).low += share > 0 ? share * one.low : 0;
        (out.*row.interval).high += share > 0 ? share * one.high : 0;
      }
  }
  return result;
}

Expected<std::vector<FigureIntervals>> confidenceIntervals(const Network &network,
                                                           const std::vector<LockKind> &kinds,
                                                           const Machine &machine,
                                                           const std::vector<Prediction> &sweep,
                                                           const PredictOptions &options) {
  std::vector<FigureIntervals> result;
  if (!network.phases.empty()) {
    const auto phases = TRY(intervalsInPhases(network, kinds, machine, sweep, options));
    for (std::size_t i = 0; i < sweep.size(); ++i) {
      std::vector<FigureIntervals> each;
      for (const std::vector<FigureIntervals> &points : phases)
        each.push_back(points[i]);
      result.push_back(overPhases(network, sweep[i], each));
    }
    return result;
  }
  const int cores = options.cores > 0 ? options.cores : machine.cores;
  const auto variances = TRY(sampling(network, kinds, machine, sweep));
  const auto atHome = TRY(ratiosIn(withLinesAtHome(network), network, kinds, machine, sweep));
  const auto shared = TRY(ratiosIn(withGuessedShared(network), network, kinds, machine, sweep));
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    const Prediction &at = sweep[i];
    auto variance = variances[i].begin(), home = atHome[i].begin(), share = shared[i].begin();
    FigureIntervals intervals;
    const ModelErrors errors(network, kinds, cores, at);
    for (const ProgramFigure &row : programFigures) {
      const double most = row.most ? at.*row.most : INFINITY;
      const Interval alone =
          intervalOf(at.*row.figure, *variance++, errors.ofThroughput(), most, roomOf(at));
      intervals.*row.interval =
          reaching(reaching(alone, std::max(*home++, aboveBound(at, cores)), most), *share++, most);
    }
    const double slowest = intervals.throughputPerS.low / at.throughputPerS;
    for (std::size_t lock = 0; lock < kinds.size(); ++lock) {
      const FigureErrors here = errors.at(lock);
      const Most limits = mostOf(at, at.locks[lock], slowest);
      LockIntervals &out = intervals.locks.emplace_back();
      for (const LockFigure &row : lockFigures) {
        const double most = limits.*row.most;
        out.*row.interval = reaching(
            reaching(intervalOf(at.locks[lock].*row.figure, *variance++, here.*row.error, most),
                     *home++, most),
            *share++, most);
      }
    }
    result.push_back(std::move(intervals));
  }
  return result;
}

} // namespace qdadvise
