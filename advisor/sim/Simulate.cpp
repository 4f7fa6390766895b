// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Simulate.h"

#include "advisor/model/workload/Workload.h"
#include "advisor/network/Validation.h"
#include "advisor/sim/Replications.h"
#include "advisor/sim/Workload.h"
#include "advisor/support/ForEachIndex.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <tuple>

namespace qdadvise::sim {
namespace {

constexpr double perSecond = 1e9;

/// One simulation with its machine, locks and threads.
class Simulator {
public:
  Simulator(const Network &network, const std::vector<const SimulatedKind *> &kinds,
            const Machine &machine, int threads, const SimulateOptions &options)
      : network(network), kinds(kinds), machine(machine), threads(threads), options(options) {}

  Expected<Simulation> run() {
    TRY(prepare());
    Simulation result;
    Replications runs(network, plan);
    const auto steps = [&] { return runs.completions() + runs.accesses(); };
    do {
      TRY(replicate(runs));
      result.precise = allPrecise && isPrecise(runs, 1) && !runs.throughputByRouting();
    } while (runs.size() < atLeast() ||
             (!result.precise && atLeast() > 1 && runs.size() < mostReplications &&
              steps() < options.mostSteps));
    describe(runs, result);
    return result;
  }

private:
  static constexpr std::size_t mostReplications = 64;

  std::size_t atLeast() const {
    return static_cast<std::size_t>(std::max(1, options.replications));
  }

  /// Adds one run. Together they are as precise as one would be.
  std::optional<Error> replicate(Replications &runs) {
    const auto number = static_cast<std::uint64_t>(runs.size());
    constexpr std::uint64_t nextSeed = 0x9e3779b97f4a7c15;
    Workload workload(network, setups, plan, costs,
                      {.seed = options.seed + number * nextSeed,
                       .dataLines = options.dataLines,
                       .run = static_cast<int>(number),
                       .runs = options.replications});
    bool precise = false;
    const double wider = std::sqrt(static_cast<double>(atLeast()));
    const bool finished = workload.run([&](bool full) {
      const BatchMeans &means = workload.counted();
      precise = full && workload.length() >= shortest() && isPrecise(means, wider);
      return precise || means.completions() + workload.accesses() >= options.mostSteps / atLeast();
    });
    allPrecise = allPrecise && precise;
    runs.add(workload);
    if (finished)
      return std::nullopt;
    return Error{
        fmt::format("with {} threads the simulated program stops: threads wait for each other for "
                    "ever, because they take the same locks inside each other in different "
                    "orders; give the nested sections one order",
                    threads)};
  }

  std::optional<Error> prepare() {
    if (const auto fault = validate(network))
      return fault;
    if (threads < 1 || threads > mostSimulatedThreads)
      return Error{fmt::format("cannot simulate {} threads: give a number from 1 to {}", threads,
                               mostSimulatedThreads)};
    if (kinds.size() != network.locks.size())
      return Error{
          fmt::format("{} lock algorithms for {} locks", kinds.size(), network.locks.size())};
    bool ideal = true, sleeps = false;
    for (const SimulatedKind *kind : kinds) {
      setups.push_back({kind, 0});
      ideal = ideal && kind->kind == LockKind::ideal;
      sleeps = sleeps || algorithmOf(kind->kind).sleeps();
    }
    plan = planThreads(network, threads, options.onlyPart);
    if (plan.size() > static_cast<std::size_t>(mostSimulatedThreads))
      return Error{fmt::format("the classes with a fixed number of threads and {} more are {} "
                               "threads; at most {} can be simulated",
                               threads, plan.size(), mostSimulatedThreads)};
    if (ideal) {
      costs = MulticoreCosts::ideal(static_cast<int>(plan.size()));
      return std::nullopt;
    }
    const int cores = options.cores > 0 ? options.cores : machine.cores;
    simulated = plan.size() + threadsOfLocks(network, setups);
    const auto found = costsOf(machine, {.cores = options.cores,
                                         .sleeps = sleeps,
                                         .sharesCores = simulated > static_cast<std::size_t>(cores),
                                         .firstProcessor = options.firstProcessor});
    if (!found)
      return found.error();
    costs = *found;
    for (std::size_t i = 0; i < setups.size(); ++i)
      setups[i].extra = extraOf(*setups[i].kind);
    return std::nullopt;
  }

  /// A description has overheads of our locks. This is by how much its overhead of a kind exceeds
  /// our lock's accesses. A kind with a thread of its own is in no description.
  Time extraOf(const SimulatedKind &kind) const {
    if (kind.hasThread)
      return 0;
    const auto given = machine.require(kind.kind, "lock_overhead_ns");
    if (!given)
      return 0;
    return picoseconds(std::max(0.0, *given - uncontendedNs(*findSimulatedKind(kind.kind), costs)));
  }

  /// What holds within a time slice says little where threads share cores.
  Time shortest() const {
    constexpr Time slices = 20;
    return simulated > static_cast<std::size_t>(costs.cores) ? slices * costs.timeslice : 0;
  }

  /// Whether intervals are at most `wider` times as wide as they are to be.
  template <typename Means> bool isPrecise(const Means &means, double wider) const {
    const double precision = options.precision * wider;
    const Estimate throughput = means.ratio(Workload::completed, Workload::elapsed);
    if (throughput.halfWidth > precision * throughput.value)
      return false;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      using W = Workload;
      const std::size_t count = W::quantityOf(i, W::acquisitions);
      if (means.ratio(count, W::completed).value < 0.01)
        continue;
      const Estimate wait =
          means.ratio(W::quantityOf(i, W::residence), W::quantityOf(i, W::hold), count);
      const double floor = options.waitFloor * means.ratio(W::quantityOf(i, W::hold), count).value;
      // Where no thread has waited so far, the interval has no width.
      if (wait.halfWidth > precision * std::max(wait.value, floor))
        return false;
    }
    return true;
  }

  void describe(const Replications &means, Simulation &result) const {
    using W = Workload;
    const auto scaled = [](Estimate estimate, double factor) {
      return Estimate{estimate.value * factor, estimate.halfWidth * factor};
    };
    const auto set = [](const Estimate &estimate, double &figure, Interval &interval) {
      figure = estimate.value;
      interval = estimate.interval();
    };
    result.figures.threads = threads;
    result.figures.model = "simulated";
    set(scaled(means.ratio(W::completed, W::elapsed), perSecond), result.figures.throughputPerS,
        result.throughputPerS);
    if (const auto byRouting = means.throughputByRouting()) {
      const double value = *byRouting * perSecond;
      result.throughputPerS.low = std::min(result.throughputPerS.low, value);
      result.throughputPerS.high = std::max(result.throughputPerS.high, value);
      result.figures.throughputPerS = value;
      result.figures.notes.push_back(
          "threads stay in parts of their routing for longer than the simulation: the throughput "
          "is that of the visits that the routing has, and the figures of locks are of those that "
          "were simulated; raise --steps");
    }
    result.figures.locks.resize(kinds.size());
    result.locks.resize(kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      LockPrediction &lock = result.figures.locks[i];
      LockIntervals &intervals = result.locks[i];
      const auto of = [&](W::LockQuantity quantity) { return W::quantityOf(i, quantity); };
      const std::size_t count = of(W::acquisitions);
      set(means.ratio(of(W::residence), of(W::hold), count), lock.waitNs, intervals.waitNs);
      set(means.ratio(of(W::residence), count), lock.residenceNs, intervals.residenceNs);
      set(means.ratio(of(W::residence), W::elapsed), lock.queueLength, intervals.queueLength);
      set(means.ratio(of(W::busy), W::elapsed), lock.utilization, intervals.utilization);
      set(means.ratio(of(W::found), count), lock.contentionRate, intervals.contentionRate);
      set(scaled(means.ratio(count, W::elapsed), perSecond), lock.throughputPerS,
          intervals.throughputPerS);
    }
    for (std::size_t i = 0; i < network.classes.size(); ++i) {
      const auto of = [&](W::ClassQuantity quantity) {
        return W::quantityOf(network, i, quantity);
      };
      const auto count = std::count_if(plan.begin(), plan.end(), [&](const ThreadPlan &thread) {
        return thread.threadClass == i;
      });
      result.figures.classes.push_back(
          {static_cast<double>(count),
           perSecond * means.ratio(of(W::classSections), W::elapsed).value,
           means.ratio(of(W::cycleTime), of(W::cycles)).value,
           means.ratio(of(W::waiting), of(W::cycles)).value});
    }
    result.sections = means.completions();
    result.accesses = means.accesses();
    addNotes(result.figures.notes);
    if (const std::size_t starving = means.starving(); starving > 0)
      result.figures.notes.push_back(
          fmt::format("{} of {} threads waited for a lock for more than half of the time and did "
                      "not get it: such waits are in no figure",
                      starving, plan.size()));
  }

  void addNotes(std::vector<std::string> &notes) const {
    const std::vector<Traffic> traffic = trafficOf(network);
    for (const std::size_t section : unvisitedSections(network, traffic))
      notes.push_back(
          fmt::format("no thread class enters section '{}'", network.sections[section].name));
    std::vector<std::string> fixed;
    for (const Traffic &one : traffic)
      if (const std::string &name = network.classes[one.threadClass].name;
          !one.scales && std::find(fixed.begin(), fixed.end(), name) == fixed.end())
        fixed.push_back(name);
    if (std::none_of(traffic.begin(), traffic.end(), [](const Traffic &t) { return t.scales; }))
      notes.push_back("no thread class scales: the number of threads has no effect");
    else if (!fixed.empty())
      notes.push_back("speed-ups are of the sections of all threads, those of fixed classes among "
                      "them (" +
                      someOf(fixed) + "); `predict` has those of the classes that scale");
    for (std::size_t i = 0; i < network.classes.size(); ++i)
      if (network.classes[i].scales && !options.onlyPart &&
          std::none_of(plan.begin(), plan.end(),
                       [&](const ThreadPlan &thread) { return thread.threadClass == i; }))
        notes.push_back(fmt::format("{} thread{}: class '{}' has none of them", threads,
                                    threads == 1 ? "" : "s", network.classes[i].name));
    for (const Lock &lock : network.locks)
      if (lock.instances > mostInstances && !lock.perThread)
        notes.push_back(fmt::format("lock '{}' has {} instances and is simulated with {}",
                                    lock.name, lock.instances, mostInstances));
    if (plan.size() > static_cast<std::size_t>(costs.cores))
      notes.push_back("where there are more threads than cores, they take turns on them");
  }

  const Network &network;
  const std::vector<const SimulatedKind *> &kinds;
  const Machine &machine;
  int threads;
  SimulateOptions options;
  MulticoreCosts costs;
  std::vector<LockSetup> setups;
  std::vector<ThreadPlan> plan;
  std::size_t simulated = 0; ///< threads, those of locks included
  bool allPrecise = true;    ///< every run ended because it was precise enough
};

/// How many of the threads go through each part of the routing that scales; one through any where
/// none does.
std::map<std::size_t, int> scalingParts(const Network &network, int threads) {
  std::map<std::size_t, int> result;
  for (const ThreadPlan &thread : planThreads(network, std::min(threads, mostSimulatedThreads)))
    if (network.classes[thread.threadClass].scales)
      ++result[thread.part];
  return result.empty() ? std::map<std::size_t, int>{{0, 1}} : result;
}

/// The throughput of one of these threads alone: the mean over them.
Estimate meanAlone(const std::map<std::size_t, int> &parts,
                   const std::function<const Simulation &(std::size_t part)> &alone) {
  double threads = 0, sum = 0, squares = 0;
  for (const auto &[part, count] : parts) {
    const Interval &interval = alone(part).throughputPerS;
    threads += count;
    sum += count * alone(part).figures.throughputPerS;
    squares += std::pow(count * (interval.high - interval.low) / 2, 2);
  }
  return {sum / threads, std::sqrt(squares) / threads};
}

/// A ratio of two independent estimates.
Estimate ratioOf(double value, const Interval &interval, const Estimate &over) {
  const double ratio = value / over.value;
  const double relative = (interval.high - interval.low) / 2 / value;
  const double others = over.halfWidth / over.value;
  return {ratio, ratio * std::sqrt(relative * relative + others * others)};
}

} // namespace

Expected<Simulation> simulateLocks(const Network &network,
                                   const std::vector<const SimulatedKind *> &locks,
                                   const Machine &machine, int threads,
                                   const SimulateOptions &options) {
  return Simulator(network, locks, machine, threads, options).run();
}

Expected<Simulation> simulate(const Network &network, const std::vector<LockKind> &kinds,
                              const Machine &machine, int threads, const SimulateOptions &options) {
  std::vector<const SimulatedKind *> locks;
  for (const LockKind kind : kinds) {
    locks.push_back(findSimulatedKind(kind));
    if (locks.back())
      continue;
    std::string known;
    for (const SimulatedKind &other : simulatedKinds())
      known += (known.empty() ? "" : ", ") + std::string(nameOf(other.kind));
    return makeError(
        fmt::format("lock algorithm '{}' cannot be simulated; known are {}", nameOf(kind), known));
  }
  return simulateLocks(network, locks, machine, threads, options);
}

Expected<std::vector<std::vector<SimulatedPoint>>>
simulateSweep(const Network &network, const std::vector<KindChoice> &kinds, const Machine &machine,
              const std::vector<int> &threads, const SweepOptions &options) {
  struct Task {
    int threads;
    std::optional<std::size_t> onlyPart;
    bool operator==(const Task &) const = default;
  };
  std::vector<Task> tasks;
  const auto add = [&](const Task &task) {
    if (std::find(tasks.begin(), tasks.end(), task) == tasks.end())
      tasks.push_back(task);
  };
  const std::vector<Traffic> traffic = trafficOf(network);
  const bool several = std::count_if(traffic.begin(), traffic.end(),
                                     [](const Traffic &one) { return one.scales; }) > 1;
  const auto alone = [several](std::size_t part) {
    return Task{1, several ? std::optional(part) : std::nullopt};
  };
  std::vector<std::map<std::size_t, int>> parts; // by number of threads
  for (const int count : threads) {
    add({count, {}});
    parts.push_back(scalingParts(network, count));
    for (const auto &[part, members] : parts.back())
      add(alone(part));
  }
  std::sort(tasks.begin(), tasks.end(), [](const Task &a, const Task &b) {
    return std::tuple(-a.threads, a.onlyPart) < std::tuple(-b.threads, b.onlyPart);
  }); // the longest first

  const std::size_t all = kinds.size() * tasks.size();
  std::vector<Expected<Simulation>> simulations(all);
  std::atomic<std::size_t> done{0};
  std::atomic<bool> failed{false};
  const auto simulateOne = [&](std::size_t i) {
    if (failed)
      return;
    const KindChoice &kind = kinds[i % kinds.size()];
    const Task &task = tasks[i / kinds.size()];
    SimulateOptions one = options;
    one.onlyPart = task.onlyPart;
    simulations[i] = simulate(network, kind.at(network), machine, task.threads, one);
    if (!simulations[i])
      failed = true;
    if (options.progress)
      options.progress(++done, all);
  };
  forEachIndex(all, simulateOne, static_cast<std::size_t>(std::max(0, options.hostThreads)));
  for (const auto &simulation : simulations)
    if (!simulation)
      return Unexpected(simulation.error());

  const auto at = [&](std::size_t kind, const Task &task) -> const Simulation & {
    const auto place = std::find(tasks.begin(), tasks.end(), task) - tasks.begin();
    return *simulations[static_cast<std::size_t>(place) * kinds.size() + kind];
  };
  std::vector<std::vector<SimulatedPoint>> result(kinds.size());
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const auto aloneIn = [&](std::size_t part) -> const Simulation & {
      return at(kind, alone(part));
    };
    for (std::size_t i = 0; i < threads.size(); ++i) {
      SimulatedPoint point{at(kind, {threads[i], {}}), {}};
      const Estimate speedup =
          threads[i] == 1 ? Estimate{1, 0}
                          : ratioOf(point.simulation.figures.throughputPerS,
                                    point.simulation.throughputPerS, meanAlone(parts[i], aloneIn));
      point.simulation.figures.speedup = speedup.value;
      point.speedup = speedup.interval();
      // The notes about one thread apply to every speed-up.
      auto &notes = point.simulation.figures.notes;
      for (const auto &[part, members] : parts[i])
        for (const std::string &note : aloneIn(part).figures.notes)
          if (std::find(notes.begin(), notes.end(), note) == notes.end())
            notes.push_back(note);
      result[kind].push_back(std::move(point));
    }
  }
  return result;
}

} // namespace qdadvise::sim
