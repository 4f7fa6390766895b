// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/PredictionJson.h"

#include <algorithm>
#include <string>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

/// What there is for each number of threads.
template <typename Figure> Json column(const KindPredictions &of, Figure figure) {
  Json values = Json::array();
  for (const PredictedPoint &at : of.points)
    values.push_back(figure(at));
  return values;
}

/// A figure for each number of threads; null where there is no prediction.
template <typename Figure> Json figures(const KindPredictions &of, Figure figure) {
  return column(of, [&](const PredictedPoint &at) {
    return at.figures.impossible.empty() ? Json(figure(at)) : Json();
  });
}

Json boundsOf(const Interval &interval) { return Json::array({interval.low, interval.high}); }

/// A figure's column, and beside it that of its intervals.
template <typename Figure, typename Bounds>
void put(Json &out, const std::string &key, const KindPredictions &of, Figure figure,
         Bounds bounds) {
  out[key] = figures(of, figure);
  out[key + "_ci95"] = figures(of, [&](const PredictedPoint &at) { return boundsOf(bounds(at)); });
}

Json lockJson(const PredictionReport &report, const KindPredictions &of, std::size_t lock) {
  Json out = {{"name", report.lockNames[lock]}};
  const auto putLock = [&](const char *key, double LockPrediction::*figure,
                           Interval LockIntervals::*interval) {
    put(
        out, key, of, [=](const PredictedPoint &at) { return at.figures.locks[lock].*figure; },
        [=](const PredictedPoint &at) { return at.intervals.locks[lock].*interval; });
  };
  putLock("wait_ns", &LockPrediction::waitNs, &LockIntervals::waitNs);
  putLock("queue_length", &LockPrediction::queueLength, &LockIntervals::queueLength);
  putLock("utilization", &LockPrediction::utilization, &LockIntervals::utilization);
  putLock("contention_rate", &LockPrediction::contentionRate, &LockIntervals::contentionRate);
  if (!report.simulated)
    out["moved_ns"] = figures(
        of, [=](const PredictedPoint &at) { return at.figures.locks[lock].coherenceMissNs; });
  const auto ifAny = [&](const char *key, double PredictedOptimism::*figure) {
    const auto known = [=](const PredictedPoint &at) { return at.optimismAt(lock).has_value(); };
    if (std::any_of(of.points.begin(), of.points.end(), known))
      out[key] = figures(of, [=](const PredictedPoint &at) {
        const auto optimism = at.optimismAt(lock);
        return optimism ? Json((*optimism).*figure) : Json();
      });
  };
  ifAny("conflict_probability", &PredictedOptimism::conflict);
  ifAny("optimistic_speedup", &PredictedOptimism::speedup);
  return out;
}

Json classJson(const PredictionReport &report, const KindPredictions &of, std::size_t one) {
  Json out = {{"name", report.classNames[one]}};
  const auto putClass = [&](const char *key, double ClassPrediction::*figure) {
    out[key] =
        figures(of, [=](const PredictedPoint &at) { return at.figures.classes[one].*figure; });
  };
  putClass("threads", &ClassPrediction::threads);
  putClass("throughput_per_s", &ClassPrediction::throughputPerS);
  putClass("cycle_ns", &ClassPrediction::cycleNs);
  putClass("wait_ns", &ClassPrediction::waitNs);
  return out;
}

} // namespace

Json kindJson(const PredictionReport &report, const KindPredictions &of) {
  Json out;
  out["model"] = column(of, [](const PredictedPoint &at) { return at.figures.model; });
  out["notes"] = column(of, [](const PredictedPoint &at) { return at.figures.notes; });
  if (!report.lockNames.empty())
    put(
        out, "throughput_per_s", of,
        [](const PredictedPoint &at) { return at.figures.throughputPerS; },
        [](const PredictedPoint &at) { return at.intervals.throughputPerS; });
  put(
      out, "speedup", of, [](const PredictedPoint &at) { return at.figures.speedup; },
      [](const PredictedPoint &at) { return at.intervals.speedup; });
  if (report.run) {
    out["run_speedup_ci95"] =
        figures(of, [](const PredictedPoint &at) { return boundsOf(at.run->speedup); });
    out["run_speedup"] =
        figures(of, [](const PredictedPoint &at) { return at.run->figures.speedup; });
  }
  out["locks"] = Json::array();
  for (std::size_t lock = 0; lock < report.lockNames.size(); ++lock)
    out["locks"].push_back(lockJson(report, of, lock));
  if (report.lockNames.empty())
    return out;
  out["classes"] = Json::array();
  for (std::size_t one = 0; one < report.classNames.size(); ++one)
    out["classes"].push_back(classJson(report, of, one));
  return out;
}

Json predictionJson(const PredictionReport &report) {
  Json document;
  document["threads"] = Json::array();
  if (!report.kinds.empty())
    document["threads"] = column(report.kinds.front(), [](const PredictedPoint &at) {
      return static_cast<int>(at.figures.threads);
    });
  if (report.run)
    document["run"] = {{"serial_share", report.run->serialShare()},
                       {"serial", report.run->serial},
                       {"threads", report.run->threads},
                       {"longest_stretch", report.run->longestStretch},
                       {"barrier_stretch", report.run->barrierStretch},
                       {"ends", report.run->ends},
                       {"open_serial", report.run->openSerial},
                       {"guessed_stages", report.run->guessedStages},
                       {"barriers", report.run->barriers},
                       {"fixed_work", report.run->fixedWork},
                       {"work", report.run->work}};
  if (report.run && report.run->copies) {
    Json &copies = document["run"]["copies"] = Json::array();
    for (const RunCopies::Row &row : report.run->copies->rows)
      copies.push_back(
          {{"copies", row.copies}, {"slowdown", row.slowdown}, {"deviation", row.deviation}});
  }
  document["kinds"] = Json::object();
  for (const KindPredictions &of : report.kinds)
    document["kinds"][of.kind.name()] = kindJson(report, of);
  return document;
}

} // namespace qdadvise
