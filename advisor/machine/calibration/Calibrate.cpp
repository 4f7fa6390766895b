// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the measurements one after the other, and fills in the description.
#include "advisor/machine/calibration/Calibrate.h"

#include "advisor/machine/calibration/LockCosts.h"
#include "advisor/machine/calibration/Rounds.h"
#include "advisor/machine/calibration/SchedulerCosts.h"
#include "advisor/machine/calibration/Team.h"
#include "advisor/machine/calibration/TimerCosts.h"
#include "advisor/machine/calibration/Topology.h"
#include "advisor/machine/calibration/WakeupCosts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

namespace qdadvise {
namespace {

/// The rows of the wake-up table by time slept: barely asleep, two lengths of short sections, and
/// two times after which a core has gone into deeper states of idleness.
constexpr std::array<double, 5> sleptNs = {250, 1000, 5000, 20000, 200000};

/// The rows of the tables of moved lines: up to as many as a section can touch and still have in
/// its core's first cache.
constexpr std::array<int, 5> movedLines = {1, 4, 16, 64, 256};

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm date{};
  localtime_r(&now, &date);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &date);
  return text.data();
}

/// No measurement resolves a tenth of a nanosecond.
double rounded(double ns) { return std::round(ns * 10) / 10; }

Figure rounded(Figure figure) {
  figure.value = rounded(figure.value);
  if (figure.spread)
    figure.spread = rounded(*figure.spread);
  return figure;
}

/// The rounds of a calibration that is not a quick one. They take a few seconds in all, so that the
/// spreads show how much figures change from second to second.
constexpr int mostRounds = 5;

/// One round of all measurements. It also measures the clock before each of them.
class Calibrator {
public:
  Calibrator(const CalibrateOptions &given, std::vector<double> &clocksGhz)
      : options(given), clocksGhz(clocksGhz), topology(readTopology()) {
    if (options.cores > 0 && static_cast<std::size_t>(options.cores) < topology.processors.size())
      topology.processors.resize(static_cast<std::size_t>(options.cores));
    for (const Processor &processor : topology.processors)
      ids.push_back(processor.id);
    std::vector<int> sockets;
    for (const Processor &processor : topology.processors)
      if (std::find(sockets.begin(), sockets.end(), processor.socket) == sockets.end())
        sockets.push_back(processor.socket);
    topology.sockets = static_cast<int>(sockets.size());
    for (std::size_t waiting = 1; waiting < std::min<std::size_t>(ids.size(), 64); waiting *= 2)
      waitingThreads.push_back(waiting);
    // Doubling may miss the machine's last core.
    if (const std::size_t most = std::min<std::size_t>(ids.size(), 64) - 1;
        most > 0 && waitingThreads.back() != most)
      waitingThreads.push_back(most);
    steps = ids.size() > 1 ? 8 + sleptNs.size() + 2 * waitingThreads.size() : 5;
  }

  Calibration run() {
    Machine &machine = result.machine;
    machine.name = "this host";
    machine.cpu = topology.cpu;
    machine.cores = static_cast<int>(ids.size());
    machine.sockets = topology.sockets;
    machine.threadsPerCore = threadsPerCore();
    machine.source = measured;
    machine.date = today();
    alone();
    if (ids.size() > 1)
      together();
    else
      result.missing.push_back(
          "line transfer, hand-over, delegation overhead and wake-ups need a second core");
    return std::move(result);
  }

private:
  /// Of the processors in use. Cores that differ are taken not to be shared.
  int threadsPerCore() const {
    int most = 0;
    for (const Processor &processor : topology.processors)
      most = std::max(most, processor.sibling + 1);
    return topology.processors.size() % static_cast<std::size_t>(most) == 0 ? most : 1;
  }

  /// Measures what takes one core.
  void alone() {
    Machine &machine = result.machine;
    const Pinned here(ids.front());
    next("time-stamp counter");
    machine.timer["read_ns"] = rounded(measureTimerRead(effort(400)));
    next("hook");
    machine.timer["hook_ns"] = rounded(measureHook(effort(400)));
    next("uncontended locks");
    for (const auto &[kind, overhead] : measureLockOverheads(effort(2000)))
      machine.kinds[kind].figures["lock_overhead_ns"] = rounded(overhead);
    next("wake call");
    machine.scheduler["wake_ns"] = rounded(measureEmptyWake(effort(400)));
    next("scheduler");
    machine.scheduler["pause_ns"] = rounded(measurePause(effort(400)));
    const Figure yield = measureYield(effort(400));
    machine.scheduler["yield_ns"] = rounded(yield);
    machine.scheduler["switch_ns"] = rounded(measureSwitch(ids.front(), yield, effort(200)));
    machine.scheduler["others"].value =
        std::round(100 * measureOthers(options.quick ? 0.05 : 0.1)) / 100;
    if (const auto timeslice = measureTimeslice(ids.front(), effort(40))) {
      machine.scheduler["timeslice_ns"] = rounded(*timeslice);
    } else {
      machine.scheduler["timeslice_ns"].value = 3e6;
      machine.scheduler["timeslice_ns"].source = assumed;
    }
  }

  void together() {
    transfers();
    for (const std::size_t waiting : waitingThreads) {
      const std::vector<int> some(ids.begin(),
                                  ids.begin() + static_cast<std::ptrdiff_t>(waiting) + 1);
      next("hand-over");
      const auto afterLong = measureHandoffs(some, effort(400));
      for (const auto &[kind, figure] : afterLong)
        addRow(result.machine.kinds[kind].curves["handover_ns"], some.size(), figure);
      if (some.size() > 2)
        for (const auto &[kind, figure] : measureShortHandoffs(some, afterLong, effort(400)))
          addRow(result.machine.kinds[kind].curves["handover_short_ns"], some.size() - 1, figure);
      next("delegation overhead");
      for (const auto &[kind, figure] : measureDelegations(some, effort(5000)))
        addRow(result.machine.kinds[kind].curves["delegation_overhead_ns"], waiting, figure);
    }
    // One row would say that every waiter costs as much, which is not true where each waits on a
    // line of its own.
    if (waitingThreads.size() == 1)
      for (const LockAlgorithm &algorithm : lockAlgorithms) {
        if (!algorithm.waitsApart)
          continue;
        KindCosts &costs = result.machine.kinds[algorithm.kind];
        const Curve &curve = costs.curves.at("handover_ns");
        costs.figures["handover_ns"] = {curve.rows[0].second, curve.spread[0], ""};
        costs.curves.erase("handover_ns");
      }
    for (const double slept : sleptNs)
      wakeup(slept);
  }

  void transfers() {
    Machine &machine = result.machine;
    const int socket = topology.processors.front().socket;
    const auto &processors = topology.processors;
    const auto other = [&](bool sameSocket) {
      return std::find_if(processors.begin() + 1, processors.end(), [&](const Processor &each) {
        return (each.socket == socket) == sameSocket;
      });
    };
    const auto near = other(true), far = other(false);
    next("cache line transfer");
    if (near != processors.end()) {
      const std::array<int, 2> pair{ids.front(), near->id};
      machine.line["transfer_same_socket_ns"] = rounded(measureTransfer(pair, effort(400)));
      machine.line["upgrade_ns"] = rounded(measureUpgrade(pair, effort(200)));
      machine.line["kept_ns"] = rounded(measureKept(pair, effort(200)));
    }
    next("lines of data");
    if (near != processors.end())
      for (const int lines : movedLines)
        for (const bool chained : {false, true})
          addRow(chained ? machine.chainedLines : machine.movedLines,
                 static_cast<std::size_t>(lines),
                 measureMovedLines({ids.front(), near->id}, lines, chained, effort(60)));
    next("cache line transfer");
    if (far != processors.end())
      machine.line["transfer_cross_socket_ns"] =
          rounded(measureTransfer({ids.front(), far->id}, effort(400)));
  }

  void wakeup(double slept) {
    next("wake-up");
    const auto figures = measureWakeup(ids[0], ids[1], slept, effort(1000));
    if (!figures) {
      result.missing.push_back("no thread could be woken within " +
                               std::to_string(static_cast<int>(slept)) + " ns of falling asleep");
      return;
    }
    const Figure latency = rounded(figures->latency), waker = rounded(figures->waker);
    result.machine.wakeup.push_back({slept, latency.value, waker.value});
    result.machine.wakeupSpread.emplace_back(latency.spread.value_or(0), waker.spread.value_or(0));
  }

  Effort effort(int samples) const { return {samples / (options.quick ? 10 : 2)}; }

  void next(const std::string &what) {
    if (options.progress)
      options.progress(static_cast<double>(step) / static_cast<double>(steps), what);
    ++step;
    const Pinned here(ids.front());
    clocksGhz.push_back(measureClockGhz());
  }

  static void addRow(Curve &curve, std::size_t number, const Figure &measurement) {
    const Figure figure = rounded(measurement);
    curve.rows.emplace_back(static_cast<double>(number), figure.value);
    curve.spread.push_back(figure.spread.value_or(0));
  }

  const CalibrateOptions &options;
  std::vector<double> &clocksGhz;
  Topology topology;
  std::vector<int> ids;
  std::vector<std::size_t> waitingThreads;
  std::size_t step = 0, steps = 0;
  Calibration result;
};

/// The names of the figures whose spread is more than half their value.
std::vector<std::string> noisyFigures(const Machine &machine) {
  std::vector<std::string> noisy;
  const auto look = [&](const std::string &name, double value, double spread) {
    if (spread > value / 2 && (noisy.empty() || noisy.back() != name))
      noisy.push_back(name);
  };
  // A part of a transfer may be nothing, so it is noisy if it varies by half a transfer.
  const auto comparedWith = [&](const std::string &key, double value) {
    return key == "upgrade_ns" || key == "kept_ns" ? machine.lineTransfer().sameSocketNs : value;
  };
  const auto lookAt = [&](const std::string &table, const std::map<std::string, Figure> &figures) {
    for (const auto &[key, figure] : figures)
      look(table + "." + key, comparedWith(key, figure.value), figure.spread.value_or(0));
  };
  lookAt("timer", machine.timer);
  lookAt("line", machine.line);
  lookAt("scheduler", machine.scheduler);
  for (std::size_t i = 0; i < machine.wakeup.size(); ++i)
    look("scheduler.wakeup_ns", machine.wakeup[i].latencyNs, machine.wakeupSpread[i].first);
  const auto lookAtRows = [&](const std::string &name, const Curve &curve) {
    for (std::size_t i = 0; i < curve.rows.size(); ++i)
      look(name, curve.rows[i].second, curve.spread[i]);
  };
  lookAtRows("line.moved_ns", machine.movedLines);
  lookAtRows("line.chained_ns", machine.chainedLines);
  for (const auto &[kind, costs] : machine.kindsByName()) {
    lookAt("kind." + kind, costs->figures);
    for (const auto &[key, curve] : costs->curves)
      lookAtRows("kind." + kind + "." + key, curve);
  }
  return noisy;
}

} // namespace

Calibration calibrate(const CalibrateOptions &options) {
  const int rounds = options.quick ? 1 : mostRounds;
  Calibration result;
  std::vector<Machine> machines;
  std::vector<double> clocksGhz;
  for (int round = 0; round < rounds; ++round) {
    CalibrateOptions one = options;
    if (options.progress)
      one.progress = [&](double done, const std::string &what) {
        options.progress((round + done) / rounds, what);
      };
    Calibration calibration = Calibrator(one, clocksGhz).run();
    machines.push_back(std::move(calibration.machine));
    result.missing = std::move(calibration.missing);
  }
  result.machine = medianOf(machines);
  result.noisy = noisyFigures(result.machine);
  stateClock(result.machine, clocksGhz, nominalClockGhz());
  if (options.progress)
    options.progress(1, "done");
  return result;
}

} // namespace qdadvise
