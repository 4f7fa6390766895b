// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/PredictionText.h"

#include "advisor/support/Format.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>
#include <utility>

namespace qdadvise {
namespace {

/// A column of a table whose lines are made of a point each; `of` is a lock or a thread class.
struct Column {
  const char *title;
  int width;
  std::string (*cell)(const PredictedPoint &at, std::size_t of);
};
using Columns = std::vector<Column>;

double halfWidth(const Interval &interval) { return (interval.high - interval.low) / 2; }

std::string rangeOf(const Interval &interval, Quantity quantity) {
  return formatRange(interval.low, interval.high, quantity);
}

/// ` +-0.52 % of sections/s`
std::string margin(const PredictedPoint &at, std::size_t) {
  const double value = at.figures.throughputPerS;
  return fmt::format(" +-{:.2f} % of sections/s",
                     value > 0 ? 100 * halfWidth(at.intervals.throughputPerS) / value : 0);
}

std::string throughput(const PredictedPoint &at, std::size_t) {
  return prefixedRate(at.figures.throughputPerS);
}
std::string speedup(const PredictedPoint &at, std::size_t) {
  return fmt::format("{:.2f}", at.figures.speedup);
}

// A simulation's intervals are narrow and symmetric, those of a prediction need not be.
const Columns simulatedProgram = {
    {"sections/s", 16, throughput}, {"speed-up", 9, speedup}, {" 95 % interval", 0, margin}};
const Columns predictedProgram = {
    {"sections/s", 10, throughput},
    {"95 % interval", 15,
     [](const PredictedPoint &at, std::size_t) {
       return rangeOf(at.intervals.throughputPerS, Quantity::rate);
     }},
    {"speed-up", 9, speedup},
    {" model", 0, [](const PredictedPoint &at, std::size_t) { return " " + at.figures.model; }}};

const Columns wholeRun = {{"speed-up", 10,
                           [](const PredictedPoint &at, std::size_t) {
                             return fmt::format("{:.2f}", at.run->figures.speedup);
                           }},
                          {"95 % interval", 15,
                           [](const PredictedPoint &at, std::size_t) {
                             return rangeOf(at.run->speedup, Quantity::ratio);
                           }},
                          {"serial", 9, [](const PredictedPoint &at, std::size_t) {
                             return precisePercent(at.run->figures.serialShare);
                           }}};

std::string wait(const PredictedPoint &at, std::size_t lock) {
  return formatDuration(at.figures.locks[lock].waitNs);
}
std::string held(const PredictedPoint &at, std::size_t lock) {
  return precisePercent(at.figures.locks[lock].utilization);
}
std::string taken(const PredictedPoint &at, std::size_t lock) {
  return precisePercent(at.figures.locks[lock].contentionRate);
}
std::string acquired(const PredictedPoint &at, std::size_t lock) {
  return prefixedRate(at.figures.locks[lock].throughputPerS);
}

const Columns simulatedLock = {{"wait", 11, wait},
                               {"+-", 9,
                                [](const PredictedPoint &at, std::size_t lock) {
                                  return formatDuration(halfWidth(at.intervals.locks[lock].waitNs));
                                }},
                               {"held", 8, held},
                               {"taken", 8, taken},
                               {"acquisitions/s", 16, acquired}};
const Columns predictedLock = {{"wait", 8, wait},
                               {"95 % interval", 14,
                                [](const PredictedPoint &at, std::size_t lock) {
                                  return rangeOf(at.intervals.locks[lock].waitNs,
                                                 Quantity::duration);
                                }},
                               {"queue", 6,
                                [](const PredictedPoint &at, std::size_t lock) {
                                  return shortMean(at.figures.locks[lock].queueLength);
                                }},
                               {"held", 7, held},
                               {"taken", 7, taken},
                               {"acquired/s", 10, acquired}};

const Columns tracedLock = {{"data", 8,
                             [](const PredictedPoint &at, std::size_t lock) {
                               return formatDuration(at.figures.locks[lock].coherenceMissNs);
                             }},
                            {"conflicts", 9,
                             [](const PredictedPoint &at, std::size_t lock) {
                               const auto optimism = at.optimismAt(lock);
                               return optimism ? precisePercent(optimism->conflict) : "-";
                             }},
                            {"optimistic", 10, [](const PredictedPoint &at, std::size_t lock) {
                               const auto optimism = at.optimismAt(lock);
                               return optimism ? fmt::format("{:.2f}x", optimism->speedup) : "-";
                             }}};

const Columns threadClass = {{"of them", 11,
                              [](const PredictedPoint &at, std::size_t one) {
                                return shortMean(at.figures.classes[one].threads);
                              }},
                             {"sections/s", 16,
                              [](const PredictedPoint &at, std::size_t one) {
                                return prefixedRate(at.figures.classes[one].throughputPerS);
                              }},
                             {"cycle", 13,
                              [](const PredictedPoint &at, std::size_t one) {
                                return formatDuration(at.figures.classes[one].cycleNs);
                              }},
                             {"waits", 8, [](const PredictedPoint &at, std::size_t one) {
                                const ClassPrediction &figures = at.figures.classes[one];
                                return precisePercent(
                                    figures.cycleNs > 0 ? figures.waitNs / figures.cycleNs : 0);
                              }}};

/// Whether it is known how the lock's data move between cores, or how its sections conflict.
bool hasTracedData(const PredictedPoint &at, std::size_t lock) {
  return at.figures.locks[lock].coherenceMissNs > 0 || at.optimismAt(lock);
}
bool always(const PredictedPoint &, std::size_t) { return true; }

/// A table with a line for every algorithm and number of threads that `shown` accepts; "" if it
/// accepts none.
std::string table(const PredictionReport &report, const TextStyle &style, const char *title,
                  const Columns &columns, std::size_t of = 0,
                  bool (*shown)(const PredictedPoint &, std::size_t) = always) {
  std::string heading = fmt::format("{:<14} {:>7}", title, "threads"), lines;
  for (const Column &column : columns)
    heading += fmt::format(" {:>{}}", column.title, column.width);
  for (const KindPredictions &kind : report.kinds)
    for (const PredictedPoint &at : kind.points) {
      if (!shown(at, of))
        continue;
      lines += fmt::format("{:<14} {:>7}", kind.kind.label(), at.figures.threads);
      for (const Column &column : columns)
        lines += fmt::format(" {:>{}}", at.figures.impossible.empty() ? column.cell(at, of) : "-",
                             column.width);
      lines += "\n";
    }
  return lines.empty() && shown != always ? "" : style.bold(heading) + "\n" + lines;
}

/// What several threads wait for at barriers, where one of them was recorded.
std::string barriersText(const Run &run, const TextStyle &style) {
  return run.barriers < 1 || run.threads > 1
             ? ""
             : style.wrapped(
                   fmt::format("each thread comes to {}, where several wait for one to "
                               "wake up",
                               plural(static_cast<std::uint64_t>(run.barriers), "barrier")),
                   2);
}

/// A program's option for its threads may make several of each: twice that is twice as many.
std::string recordedThreadsText(const Run &run, const TextStyle &style) {
  return run.threads == 1
             ? ""
             : style.wrapped(fmt::format("the recorded run had {} of the threads that scale at a "
                                         "time: an option that doubles them makes {}",
                                         run.threads, 2 * run.threads),
                             2);
}

std::string runText(const PredictionReport &report, const TextStyle &style) {
  if (!report.run)
    return "";
  const auto told = [&](double share, const char *text) {
    constexpr double worthTelling = 0.05;
    return share < worthTelling
               ? ""
               : style.wrapped(fmt::format(fmt::runtime(text), precisePercent(share)), 2);
  };
  return "\n" + table(report, style, "the whole run", wholeRun) +
         style.wrapped(fmt::format("serial: {}; {} of the recorded run", report.run->serial,
                                   precisePercent(report.run->serialShare())),
                       2) +
         recordedThreadsText(*report.run, style) +
         told(report.run->longestStretch,
              "one stretch between two sections is {} of the rest, which threads cannot share") +
         told(report.run->barrierStretch,
              report.lockNames.empty()
                  ? "{} of the rest is what created threads do; that others would divide it is an "
                    "assumption: one thread does not tell"
                  : "one stretch between barriers is {} of the rest, which threads are taken to "
                    "divide; if one alone does it, they gain less") +
         told(report.run->ends,
              "{} of the rest is what each thread does only once; threads are taken to divide half "
              "of that, as nobody knows: a run with several threads tells") +
         told(report.run->openSerial,
              "threads are taken to divide half of {} of what is serial, as nobody knows: the more "
              "of the run it is, the less it is likely to be what main has to do alone") +
         told(report.run->guessedStages,
              "{} of the rest is what all thread classes but the busiest compute; the program is "
              "taken to make more threads for half of that, as nobody knows: --scale CLASS names "
              "the classes of which it does") +
         barriersText(*report.run, style) +
         told(report.run->fixedWork,
              "a thread that does not scale computes for {} of the rest, and the others need what "
              "it does");
}

std::string lockText(const PredictionReport &report, const TextStyle &style, std::size_t lock) {
  return "\n" + style.bold("lock " + lockNameWithin(report.lockNames[lock], style.width - 6)) +
         "\n" + table(report, style, "", report.simulated ? simulatedLock : predictedLock, lock) +
         table(report, style, "", tracedLock, lock, hasTracedData);
}

std::string classText(const PredictionReport &report, const TextStyle &style, std::size_t one) {
  return "\n" + style.bold("class " + bothEndsOf(report.classNames[one], style.width - 7)) + "\n" +
         table(report, style, "", threadClass, one);
}

const char *legend(const PredictionReport &report) {
  if (report.lockNames.empty())
    return "All figures are predicted, none is measured.";
  return report.simulated
             ? "wait: mean time at the lock per acquisition, less the holding time; +-: half "
               "its 95 % interval. taken: acquisitions that find it taken. All figures are "
               "simulated, none is measured."
             : "wait: mean time at the lock per acquisition, less the holding time. queue: "
               "threads at the lock, the holder included. taken: acquisitions that find it "
               "taken. Intervals are of the sampling error in the profile and of the models' "
               "own. All figures are predicted, none is measured.";
}

/// "4", "2 and 8", "5 to 9": the numbers of threads at some points of a kind.
std::string threadsText(const std::vector<std::size_t> &indices, const KindPredictions &of) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t last = i;
    while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1)
      ++last;
    const double from = of.points[indices[i]].figures.threads,
                 to = of.points[indices[last]].figures.threads;
    runs.push_back(i == last       ? fmt::format("{}", from)
                   : i + 1 == last ? fmt::format("{} and {}", from, to)
                                   : fmt::format("{} to {}", from, to));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(runs, ", "));
}

/// A note that some predictions have.
struct SharedNote {
  std::string text;
  std::vector<std::vector<std::size_t>> points; ///< by kind: indices of its points
  std::size_t predictions = 0;
};

/// The notes of single predictions, each once, in the order in which they occur.
std::vector<SharedNote> notesOf(const std::vector<KindPredictions> &kinds) {
  std::vector<SharedNote> found;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    for (std::size_t i = 0; i < kinds[kind].points.size(); ++i)
      for (const std::string &text : kinds[kind].points[i].figures.notes) {
        auto note = std::find_if(found.begin(), found.end(),
                                 [&](const SharedNote &known) { return known.text == text; });
        if (note == found.end())
          note = found.insert(note, {text, {}, 0});
        note->points.resize(kinds.size());
        note->points[kind].push_back(i);
        ++note->predictions;
      }
  return found;
}

/// A note, with the predictions that it is about unless it is about all.
std::string noteText(const SharedNote &note, const std::vector<KindPredictions> &kinds) {
  std::size_t all = 0;
  std::map<std::string, std::vector<std::string>> kindsOf; // by threads
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    all += kinds[kind].points.size();
    if (!note.points[kind].empty())
      kindsOf[threadsText(note.points[kind], kinds[kind])].push_back(kinds[kind].kind.label());
  }
  if (note.predictions == all)
    return note.text;
  std::vector<std::string> where;
  for (const auto &[threads, labels] : kindsOf)
    where.push_back(labels.size() == kinds.size()
                        ? fmt::format("{} threads", threads)
                        : fmt::format("{} with {}", fmt::join(labels, ", "), threads));
  return fmt::format("{} ({})", note.text, fmt::join(where, "; "));
}

std::string heading(const PredictionReport &report, const TextStyle &style) {
  return style.wrapped(
             fmt::format("{} for {}", report.simulated ? "Simulated" : "Predicted", report.source),
             2) +
         style.wrapped(fmt::format("machine: {}; {} cores", report.machine, report.cores), 2) +
         (report.lockNames.empty() ? "" : "\n");
}

std::string programText(const PredictionReport &report, const TextStyle &style) {
  return table(report, style, "all locks", report.simulated ? simulatedProgram : predictedProgram);
}

std::string classTexts(const PredictionReport &report, const TextStyle &style) {
  std::string text;
  if (report.classNames.size() > 1) // a single class is the whole program
    for (std::size_t one = 0; one < report.classNames.size(); ++one)
      text += classText(report, style, one);
  return text;
}

std::string allTables(const PredictionReport &report, const TextStyle &style) {
  if (report.lockNames.empty())
    return runText(report, style);
  std::string text = programText(report, style) + runText(report, style);
  for (std::size_t lock = 0; lock < report.lockNames.size(); ++lock)
    text += lockText(report, style, lock);
  return text + classTexts(report, style);
}

// --- a screen of them

/// So many lines of tables, and rows of one, are looked at without scrolling.
constexpr std::size_t screenLines = 45, screenRows = 20;

std::size_t rowsOf(const PredictionReport &report) {
  std::size_t rows = 0;
  for (const KindPredictions &kind : report.kinds)
    rows += kind.points.size();
  return rows;
}

/// Up to so many of them, from the first to the last, each about as many times the one before.
std::vector<std::size_t> somePoints(const std::vector<PredictedPoint> &points, std::size_t most) {
  std::vector<std::size_t> chosen;
  const double first = points.front().figures.threads, last = points.back().figures.threads;
  for (std::size_t i = 0; i < most; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(most - 1);
    const double wanted = first * std::pow(std::max(1.0, last / first), share);
    const auto nearest = std::min_element(
        points.begin(), points.end(), [&](const PredictedPoint &a, const PredictedPoint &b) {
          return std::abs(a.figures.threads - wanted) < std::abs(b.figures.threads - wanted);
        });
    chosen.push_back(static_cast<std::size_t>(nearest - points.begin()));
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

/// A line for every algorithm, a column for each of some numbers of threads.
std::string programScreen(const PredictionReport &report, const TextStyle &style) {
  if (rowsOf(report) <= screenRows)
    return programText(report, style);
  constexpr std::size_t otherColumns = 24, column = 9;
  const std::size_t mostColumns = std::max(style.width, otherColumns + 2 * column) / column - 2;
  std::string heading = fmt::format("{:<14}", "sections/s at"), lines;
  const std::vector<PredictedPoint> &any = report.kinds.front().points;
  const std::vector<std::size_t> chosen = somePoints(any, mostColumns);
  for (const std::size_t at : chosen)
    heading += fmt::format(" {:>8}", any[at].figures.threads);
  for (const KindPredictions &kind : report.kinds) {
    const auto best =
        std::max_element(kind.points.begin(), kind.points.end(), [](const auto &a, const auto &b) {
          return a.figures.throughputPerS < b.figures.throughputPerS;
        });
    lines += fmt::format("{:<14}", kind.kind.label());
    for (const std::size_t at : chosen)
      lines += fmt::format(" {:>8}", throughput(kind.points[at], 0));
    lines += fmt::format(" {:>8}\n", best->figures.threads);
  }
  return style.bold(heading + "  best at") + "\n" + lines;
}

/// The report for the largest number of threads alone.
PredictionReport atMostThreads(PredictionReport report) {
  for (KindPredictions &kind : report.kinds)
    if (!kind.points.empty())
      kind.points.erase(kind.points.begin(), kind.points.end() - 1);
  return report;
}

/// The share of the threads' time that they wait for a lock, by the algorithm with which it is
/// most.
double lostShare(const PredictionReport &report, std::size_t lock) {
  constexpr double nsPerS = 1e9;
  double most = 0;
  for (const KindPredictions &kind : report.kinds)
    for (const PredictedPoint &at : kind.points) {
      const LockPrediction &figures = at.figures.locks[lock];
      most =
          std::max(most, figures.waitNs * figures.throughputPerS / (nsPerS * at.figures.threads));
    }
  return most;
}

/// The program; then, for the largest number of threads, as many of the locks that threads wait for
/// as there is room for.
std::string screenTables(const PredictionReport &report, const TextStyle &style) {
  constexpr double matters = 0.01;
  const PredictionReport last = atMostThreads(report);
  std::string text =
      programScreen(report, style) + runText(rowsOf(report) <= screenRows ? report : last, style);
  std::vector<std::size_t> locks(report.lockNames.size());
  std::iota(locks.begin(), locks.end(), std::size_t{0});
  std::vector<double> lost;
  for (const std::size_t lock : locks)
    lost.push_back(lostShare(last, lock));
  std::sort(locks.begin(), locks.end(), [&](std::size_t a, std::size_t b) {
    return lost[a] != lost[b] ? lost[a] > lost[b] : a < b;
  });
  std::size_t shown = 0;
  for (const std::size_t lock : locks) {
    const std::string more = lockText(last, style, lock);
    const auto lines = [](const std::string &of) {
      return static_cast<std::size_t>(std::count(of.begin(), of.end(), '\n'));
    };
    if (lost[lock] < matters || (shown > 0 && lines(text) + lines(more) > screenLines))
      break;
    text += more;
    ++shown;
  }
  if (shown < locks.size())
    text += "\n" + style.wrapped(
                       fmt::format("{} not shown, for which threads wait up to {} of their time; "
                                   "--all shows everything",
                                   plural(locks.size() - shown, shown == 0 ? "lock" : "more lock"),
                                   formatPercent(lost[locks[shown]])),
                       0);
  return text;
}

} // namespace

std::string predictionText(const PredictionReport &report, const TextStyle &style) {
  const std::string all = allTables(report, style);
  const bool fits =
      static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n')) <= screenLines;
  std::string text = heading(report, style);
  text += report.all || fits || report.kinds.empty() ? all : screenTables(report, style);
  text += "\n" + style.wrapped(legend(report), 0);
  for (const std::string &note : report.notes)
    text += style.wrapped("note: " + note, 6);
  for (const SharedNote &note : notesOf(report.kinds))
    text += style.wrapped("note: " + noteText(note, report.kinds), 6);
  return text;
}

} // namespace qdadvise
