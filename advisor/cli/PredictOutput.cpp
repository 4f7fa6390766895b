// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/PredictOutput.h"

#include "advisor/advice/Advice.h"
#include "advisor/algorithms/LockAlgorithm.h"
#include "advisor/report/Wrapped.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace qdadvise {
namespace {

using Units = std::vector<std::pair<double, const char *>>;
const Units rateUnits{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}};
const Units timeUnits{{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}};

/// The largest unit that a value has at least one of.
const std::pair<double, const char *> &unitOf(double value, const Units &units) {
  for (const auto &unit : units)
    if (value >= 0.9995 * unit.first)
      return unit;
  return units.back();
}

/// `1.23 M`: throughputs differ by orders of magnitude within a column.
std::string perSecond(double rate) {
  const auto &[size, unit] = unitOf(rate, rateUnits);
  return fmt::format("{:.3g}{}", rate / size, unit);
}

/// `1.1-1.31 M`
std::string range(const Interval &interval, const Units &units) {
  const auto &[size, unit] = unitOf(interval.high, units);
  const auto digits = [scale = size](double value) {
    return fmt::format("{:.{}g}", value / scale, value >= 99.5 * scale ? 3 : 2);
  };
  return fmt::format("{}-{}{}", digits(interval.low), digits(interval.high), unit);
}

std::string count(double value) {
  return value >= 99.95 ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

double halfWidth(const Interval &interval) { return (interval.high - interval.low) / 2; }

/// `+-0.52 %`
std::string margin(const Interval &interval, double value) {
  return fmt::format("+-{:.2f} %", value > 0 ? 100 * halfWidth(interval) / value : 0);
}

std::string shortened(const std::string &name, std::size_t width) {
  return name.size() <= width ? name : "..." + name.substr(name.size() - (width - 3));
}

const char *labelOf(const std::string &kind) {
  const LockAlgorithm *row = findKnownLockAlgorithm(kind);
  return row ? row->label : "";
}

/// The run at one number of threads.
struct WholeRunFigures {
  WholeRun at;
  Interval speedup;
};

std::vector<WholeRunFigures> wholeRuns(const PredictOutput &output, std::size_t kind) {
  std::vector<WholeRunFigures> result;
  const double recorded = output.recordedSpeedups[kind];
  for (std::size_t i = 0; i < output.predictions[kind].size(); ++i) {
    const Interval &sections = output.intervals[kind][i].speedup;
    // It rises with the speed-up of the sections, and nothing else in it is uncertain.
    result.push_back({wholeRun(*output.run, output.predictions[kind][i].speedup, recorded),
                      {wholeRun(*output.run, sections.low, recorded).speedup,
                       wholeRun(*output.run, sections.high, recorded).speedup}});
  }
  return result;
}

/// "4", "2 and 8", "5 to 9": numbers of threads, of those there are predictions for.
std::string threadsText(const std::vector<std::size_t> &indices,
                        const std::vector<Prediction> &all) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t last = i;
    while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1)
      ++last;
    const double from = all[indices[i]].threads, to = all[indices[last]].threads;
    runs.push_back(i == last       ? fmt::format("{}", from)
                   : i + 1 == last ? fmt::format("{} and {}", from, to)
                                   : fmt::format("{} to {}", from, to));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(runs, ", "));
}

/// Notes of single predictions, each once, with what they are about where that is not all.
std::vector<std::string> predictionNotes(const PredictOutput &output) {
  struct About {
    std::vector<std::vector<std::size_t>> indices; ///< by kind
    std::size_t predictions = 0;
  };
  std::vector<std::pair<std::string, About>> found; // in the order in which they come
  std::size_t all = 0;
  for (std::size_t kind = 0; kind < output.predictions.size(); ++kind)
    for (std::size_t i = 0; i < output.predictions[kind].size(); ++i, ++all)
      for (const std::string &note : output.predictions[kind][i].notes) {
        auto about = std::find_if(found.begin(), found.end(),
                                  [&](const auto &known) { return known.first == note; });
        if (about == found.end())
          about = found.insert(about, {note, {}});
        about->second.indices.resize(output.kinds.size());
        about->second.indices[kind].push_back(i);
        ++about->second.predictions;
      }
  std::vector<std::string> result;
  for (const auto &[note, about] : found) {
    std::map<std::string, std::vector<std::string>> kindsOf; // by threads
    for (std::size_t kind = 0; kind < output.kinds.size(); ++kind)
      if (!about.indices[kind].empty())
        kindsOf[threadsText(about.indices[kind], output.predictions[kind])].push_back(
            labelOf(output.kinds[kind]));
    std::vector<std::string> where;
    for (const auto &[threads, kinds] : kindsOf)
      where.push_back(kinds.size() == output.kinds.size()
                          ? fmt::format("{} threads", threads)
                          : fmt::format("{} with {}", fmt::join(kinds, ", "), threads));
    result.push_back(
        about.predictions == all ? note : fmt::format("{} ({})", note, fmt::join(where, "; ")));
  }
  return result;
}

std::optional<PredictedOptimism> optimismAt(const PredictOutput &output, std::size_t kind,
                                            std::size_t at, std::size_t lock) {
  return kind < output.optimism.size() ? output.optimism[kind][at][lock] : std::nullopt;
}

} // namespace

std::string predictText(const PredictOutput &output, const TextStyle &style) {
  const bool simulated = output.simulated;
  std::string text =
      wrapped(fmt::format("{} for {}", simulated ? "Simulated" : "Predicted", output.source), 2);
  text += wrapped(fmt::format("machine: {}; {} cores", output.machine, output.cores), 2) + "\n";

  const auto heading = [&](const std::string &line) { text += style.bold(line) + "\n"; };
  const auto forEach = [&](auto row) {
    for (std::size_t kind = 0; kind < output.kinds.size(); ++kind)
      for (std::size_t i = 0; i < output.predictions[kind].size(); ++i) {
        const Prediction &at = output.predictions[kind][i];
        text += fmt::format("{:<14} {:>7} ", labelOf(output.kinds[kind]), at.threads) +
                row(at, output.intervals[kind][i]) + "\n";
      }
  };
  // A simulation's intervals are narrow and symmetric, those of a prediction need not be.
  if (simulated) {
    heading(fmt::format("{:<14} {:>7} {:>16} {:>9}  {}", "all locks", "threads", "sections/s",
                        "speed-up", "95 % interval"));
    forEach([](const Prediction &at, const FigureIntervals &intervals) {
      return fmt::format("{:>16} {:>9.2f}  {} of sections/s", perSecond(at.throughputPerS),
                         at.speedup, margin(intervals.throughputPerS, at.throughputPerS));
    });
  } else {
    heading(fmt::format("{:<14} {:>7} {:>10} {:>15} {:>9}  {}", "all locks", "threads",
                        "sections/s", "95 % interval", "speed-up", "model"));
    forEach([](const Prediction &at, const FigureIntervals &intervals) {
      return fmt::format("{:>10} {:>15} {:>9.2f}  {}", perSecond(at.throughputPerS),
                         range(intervals.throughputPerS, rateUnits), at.speedup, at.model);
    });
  }

  if (output.run) {
    text += "\n";
    heading(fmt::format("{:<14} {:>7} {:>10} {:>15} {:>9}", "the whole run", "threads", "speed-up",
                        "95 % interval", "serial"));
    for (std::size_t kind = 0; kind < output.kinds.size(); ++kind) {
      const std::vector<WholeRunFigures> runs = wholeRuns(output, kind);
      for (std::size_t i = 0; i < runs.size(); ++i)
        text +=
            fmt::format("{:<14} {:>7} {:>10.2f} {:>15} {:>8.1f}%\n", labelOf(output.kinds[kind]),
                        output.predictions[kind][i].threads, runs[i].at.speedup,
                        range(runs[i].speedup, {{1, ""}}), 100 * runs[i].at.serialShare);
    }
    text += wrapped(fmt::format("serial: {}; {:.1f}% of the recorded run", output.run->serial,
                                100 * output.run->serialShare()),
                    2);
  }

  // Of locks whose data move at all, or would be in the way without the lock.
  const auto addDiagnosis = [&](std::size_t lock) {
    bool first = true;
    for (std::size_t kind = 0; kind < output.kinds.size(); ++kind)
      for (std::size_t i = 0; i < output.predictions[kind].size(); ++i) {
        const Prediction &at = output.predictions[kind][i];
        const std::optional<PredictedOptimism> optimism = optimismAt(output, kind, i, lock);
        if (at.locks[lock].coherenceMissNs <= 0 && !optimism)
          continue;
        if (std::exchange(first, false))
          heading(fmt::format("{:<14} {:>7} {:>8} {:>9} {:>10}", "", "threads", "data", "conflicts",
                              "optimistic"));
        text += fmt::format("{:<14} {:>7} {:>8} ", labelOf(output.kinds[kind]), at.threads,
                            formatDuration(at.locks[lock].coherenceMissNs));
        text += optimism ? fmt::format("{:>8.1f}% {:>9.2f}x\n", 100 * optimism->conflict,
                                       optimism->speedup)
                         : fmt::format("{:>9} {:>10}\n", "-", "-");
      }
  };
  for (std::size_t lock = 0; lock < output.lockNames.size(); ++lock) {
    text += "\n" + style.bold(fmt::format("lock {}", shortened(output.lockNames[lock], 74))) + "\n";
    if (simulated) {
      heading(fmt::format("{:<14} {:>7} {:>11} {:>9} {:>8} {:>8} {:>16}", "", "threads", "wait",
                          "+-", "held", "taken", "acquisitions/s"));
      forEach([lock](const Prediction &at, const FigureIntervals &intervals) {
        const LockPrediction &figures = at.locks[lock];
        return fmt::format(
            "{:>11} {:>9} {:>7.1f}% {:>7.1f}% {:>16}", formatDuration(figures.waitNs),
            formatDuration(halfWidth(intervals.locks[lock].waitNs)), 100 * figures.utilization,
            100 * figures.contentionRate, perSecond(figures.throughputPerS));
      });
    } else {
      heading(fmt::format("{:<14} {:>7} {:>8} {:>14} {:>6} {:>7} {:>7} {:>10}", "", "threads",
                          "wait", "95 % interval", "queue", "held", "taken", "acquired/s"));
      forEach([lock](const Prediction &at, const FigureIntervals &intervals) {
        const LockPrediction &figures = at.locks[lock];
        return fmt::format("{:>8} {:>14} {:>6} {:>6.1f}% {:>6.1f}% {:>10}",
                           formatDuration(figures.waitNs),
                           range(intervals.locks[lock].waitNs, timeUnits),
                           count(figures.queueLength), 100 * figures.utilization,
                           100 * figures.contentionRate, perSecond(figures.throughputPerS));
      });
    }
    addDiagnosis(lock);
  }
  // One class is all that there is.
  for (std::size_t one = 0; output.classNames.size() > 1 && one < output.classNames.size(); ++one) {
    text +=
        "\n" + style.bold(fmt::format("class {}", shortened(output.classNames[one], 73))) + "\n";
    text += style.bold(fmt::format("{:<14} {:>7} {:>11} {:>16} {:>13} {:>8}", "", "threads",
                                   "of them", "sections/s", "cycle", "waits")) +
            "\n";
    for (std::size_t kind = 0; kind < output.kinds.size(); ++kind)
      for (const Prediction &at : output.predictions[kind]) {
        const ClassPrediction &figures = at.classes[one];
        text += fmt::format("{:<14} {:>7} {:>11} {:>16} {:>13} {:>7.1f}%\n",
                            labelOf(output.kinds[kind]), at.threads, count(figures.threads),
                            perSecond(figures.throughputPerS), formatDuration(figures.cycleNs),
                            figures.cycleNs > 0 ? 100 * figures.waitNs / figures.cycleNs : 0);
      }
  }
  const std::string legend =
      simulated
          ? "wait: mean time at the lock per acquisition, less the holding time; +-: half its "
            "95 % interval. taken: acquisitions that find it taken. All figures are "
            "simulated, none is measured."
          : "wait: mean time at the lock per acquisition, less the holding time. queue: "
            "threads at the lock, the holder included. taken: acquisitions that find it "
            "taken. Intervals are of the sampling error in the profile and of the models' "
            "own. All figures are predicted, none is measured.";
  text += "\n" + wrapped(legend, 0);
  for (const auto &notes : {output.notes, predictionNotes(output)})
    for (const std::string &note : notes)
      text += wrapped("note: " + note, 6);
  return text;
}

std::string predictJson(const PredictOutput &output) {
  using Json = nlohmann::ordered_json;
  Json document;
  document["threads"] = Json::array();
  if (!output.predictions.empty())
    for (const Prediction &at : output.predictions.front())
      document["threads"].push_back(static_cast<int>(at.threads));
  if (output.run)
    document["run"] = {{"serial_share", output.run->serialShare()}, {"serial", output.run->serial}};
  document["kinds"] = Json::object();
  for (std::size_t kind = 0; kind < output.kinds.size(); ++kind) {
    const auto &sweep = output.predictions[kind];
    const auto column = [&](auto figure) {
      Json values = Json::array();
      for (const Prediction &at : sweep)
        values.push_back(figure(at));
      return values;
    };
    // A figure's column, and beside it that of its intervals.
    const auto put = [&](Json &out, const char *key, auto figure, auto interval) {
      out[key] = column(figure);
      Json values = Json::array();
      for (const FigureIntervals &at : output.intervals[kind]) {
        const Interval both = interval(at);
        values.push_back(Json::array({both.low, both.high}));
      }
      out[std::string(key) + "_ci95"] = std::move(values);
    };
    Json &out = document["kinds"][output.kinds[kind]];
    out["model"] = column([](const Prediction &at) { return at.model; });
    out["notes"] = column([](const Prediction &at) { return at.notes; });
    put(
        out, "throughput_per_s", [](const Prediction &at) { return at.throughputPerS; },
        [](const FigureIntervals &at) { return at.throughputPerS; });
    put(
        out, "speedup", [](const Prediction &at) { return at.speedup; },
        [](const FigureIntervals &at) { return at.speedup; });
    if (output.run) {
      out["run_speedup"] = out["run_speedup_ci95"] = Json::array();
      for (const WholeRunFigures &run : wholeRuns(output, kind)) {
        out["run_speedup"].push_back(run.at.speedup);
        out["run_speedup_ci95"].push_back(Json::array({run.speedup.low, run.speedup.high}));
      }
    }
    out["locks"] = Json::array();
    for (std::size_t i = 0; i < output.lockNames.size(); ++i) {
      Json lock;
      lock["name"] = output.lockNames[i];
      const auto putLock = [&](const char *key, double LockPrediction::*figure,
                               Interval LockIntervals::*interval) {
        put(
            lock, key, [=](const Prediction &at) { return at.locks[i].*figure; },
            [=](const FigureIntervals &at) { return at.locks[i].*interval; });
      };
      putLock("wait_ns", &LockPrediction::waitNs, &LockIntervals::waitNs);
      putLock("queue_length", &LockPrediction::queueLength, &LockIntervals::queueLength);
      putLock("utilization", &LockPrediction::utilization, &LockIntervals::utilization);
      putLock("contention_rate", &LockPrediction::contentionRate, &LockIntervals::contentionRate);
      if (!output.simulated)
        lock["moved_ns"] =
            column([=](const Prediction &at) { return at.locks[i].coherenceMissNs; });
      if (optimismAt(output, kind, 0, i))
        for (std::size_t at = 0; at < sweep.size(); ++at) {
          const PredictedOptimism optimism = *optimismAt(output, kind, at, i);
          lock["conflict_probability"].push_back(optimism.conflict);
          lock["optimistic_speedup"].push_back(optimism.speedup);
        }
      out["locks"].push_back(std::move(lock));
    }
    if (output.classNames.empty())
      continue;
    out["classes"] = Json::array();
    for (std::size_t i = 0; i < output.classNames.size(); ++i) {
      Json threads;
      threads["name"] = output.classNames[i];
      const auto putClass = [&](const char *key, double ClassPrediction::*figure) {
        threads[key] = column([=](const Prediction &at) { return at.classes[i].*figure; });
      };
      putClass("threads", &ClassPrediction::threads);
      putClass("throughput_per_s", &ClassPrediction::throughputPerS);
      putClass("cycle_ns", &ClassPrediction::cycleNs);
      putClass("wait_ns", &ClassPrediction::waitNs);
      out["classes"].push_back(std::move(threads));
    }
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace qdadvise
