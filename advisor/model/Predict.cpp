// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/Predict.h"

#include "advisor/model/ModelChoice.h"
#include "advisor/model/OverPhases.h"
#include "advisor/model/decomposition/Norton.h"
#include "advisor/model/decomposition/StayingThreads.h"
#include "advisor/model/markov/Markov.h"
#include "advisor/model/mva/Mascots2015.h"
#include "advisor/model/mva/Mcc2012.h"
#include "advisor/model/mva/Mva.h"
#include "advisor/model/mva/Reiser.h"
#include "advisor/model/solver/HardwareThreads.h"
#include "advisor/model/solver/Impossible.h"
#include "advisor/model/solver/StartingPoints.h"
#include "advisor/model/workload/NestingCycles.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/network/Phases.h"
#include "advisor/network/Validation.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace qdadvise {

namespace {

/// Throughput over every number of threads a prediction is made for, and what all
/// of them share.
class Predictor {
public:
  Predictor(const Network &network, const std::vector<LockKind> &kinds, const Machine &machine,
            const PredictOptions &options)
      : network(network), kinds(kinds),
        part(options.cores > 0 && options.cores < machine.cores
                 ? std::optional(machine.withProcessors(options.cores))
                 : std::nullopt),
        machine(part ? *part : machine), options(options) {
    solver.cores = options.cores > 0 ? options.cores : machine.cores;
    solver.exponential = options.model == "exact";
    solver.coresAlways = options.coresAlways;
    solver.startingPoints = options.startingPoints;
  }

  Expected<std::vector<Prediction>> predict(const std::vector<int> &threads) {
    TRY(check(threads));
    if (!network.phases.empty())
      return predictPhases(threads);
    gated = true;
    return predict(threads, trafficOf(network));
  }

  /// Without checking anything.
  Expected<std::vector<Prediction>> predict(const std::vector<int> &threads,
                                            std::vector<Traffic> circulating) {
    traffic = std::move(circulating);
    std::vector<int> wanted = threads;
    if (options.withSpeedup)
      wanted.push_back(1); // what it is over
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());

    std::map<int, Prediction> predictions;
    // Several classes are solved for one number of threads at a time.
    const std::size_t together = traffic.size() > 1 ? 1 : wanted.size();
    for (auto next = wanted.begin(); next != wanted.end(); next += std::ptrdiff_t(together))
      TRY(solve({next, next + std::ptrdiff_t(together)}, predictions));
    std::vector<Prediction> result;
    const double one = options.withSpeedup ? scalingThroughput(network, predictions.at(1)) : 0;
    for (const int count : threads) {
      result.push_back(predictions.at(count));
      // Several classes divide what a method says of their mean, which is not exact.
      const double times = one > 0 ? scalingThroughput(network, result.back()) / one : 0;
      result.back().speedup = std::min<double>(times, count);
    }
    return result;
  }

private:
  /// Each phase by itself.
  Expected<std::vector<Prediction>> predictPhases(const std::vector<int> &threads) const {
    PredictOptions ofOne = options;
    ofOne.timeBudgetNs /= static_cast<double>(network.phases.size());
    std::vector<std::vector<Prediction>> byThreads(threads.size());
    for (std::size_t phase = 0; phase < network.phases.size(); ++phase) {
      const Network one = networkOfPhase(network, phase);
      Predictor predictor(one, kinds, machine, ofOne);
      predictor.isPhase = true;
      auto predictions = TRY(predictor.predict(threads));
      for (std::size_t i = 0; i < threads.size(); ++i)
        byThreads[i].push_back(std::move(predictions[i]));
    }
    std::vector<Prediction> result;
    for (std::vector<Prediction> &phases : byThreads) {
      result.push_back(overPhases(network, std::move(phases)));
      noteUnvisited(result.back(), trafficOf(network));
    }
    return result;
  }

  std::optional<Error> check(const std::vector<int> &threads) const {
    if (const auto fault = validate(network))
      return fault;
    for (const int count : threads)
      if (count < 1 || count > 1'000'000)
        return Error{
            fmt::format("cannot predict for {} threads: give a number from 1 to 1000000", count)};
    if (kinds.size() != network.locks.size())
      return Error{
          fmt::format("{} lock algorithms for {} locks", kinds.size(), network.locks.size())};
    for (const LockKind kind : kinds)
      if (kind == LockKind::unknown) {
        std::string known;
        for (const LockAlgorithm &row : lockAlgorithms)
          known += (known.empty() ? "" : ", ") + std::string(row.name);
        return Error{fmt::format("unknown lock algorithm '{}'; known are {}", nameOf(kind), known)};
      }
    if (options.model == "auto")
      return std::nullopt;
    const PredictionModel *model = findModel(options.model);
    if (!model) {
      std::string known = "auto";
      for (const PredictionModel &row : predictionModels())
        known += std::string(", ") + row.name;
      return Error{fmt::format("unknown model '{}'; known are {}", options.model, known)};
    }
    std::vector<const char *> suited;
    for (const LockKind kind : model->kinds)
      suited.push_back(nameOf(kind));
    for (const LockKind kind : kinds)
      if (!isFor(*model, kind))
        return Error{fmt::format("model '{}' is for lock algorithm '{}', not for '{}'; use "
                                 "--model auto or --kind {}",
                                 model->name, fmt::join(suited, "' or '"), nameOf(kind),
                                 suited.front())};
    return std::nullopt;
  }

  std::optional<Error> solve(const std::vector<int> &threads,
                             std::map<int, Prediction> &predictions) {
    const ModelChoice choice(network, kinds, traffic, solver.cores);
    const PredictionModel *const named = findModel(options.model);
    const NetworkMethod method =
        named ? named->method : choice.method(threads, options.timeBudgetNs);
    solver.classMethod = named ? named->classMethod : choice.classMethod();
    const bool exact = choice.isExponential() && (traffic.size() == 1 || isExact(threads.back()));
    const auto solveWith = [&](NetworkMethod with,
                               const std::vector<int> &some) -> std::optional<Error> {
      solver.method = with;
      const auto solutions = solveOnSharedCores({network, kinds, machine, traffic}, some, solver);
      if (!solutions)
        return solutions.error();
      for (std::size_t i = 0; i < some.size(); ++i)
        predictions[some[i]] = describe((*solutions)[i], some[i], exact);
      return std::nullopt;
    };

    // The chain refuses a network with too many states, which nobody knows before.
    auto many = named ? threads.begin() : choice.endOfChain(threads, options.timeBudgetNs);
    if (many != threads.begin() && solveWith(solveMarkov, {threads.begin(), many}))
      many = threads.begin();
    std::optional<Error> fault;
    if (many != threads.end())
      fault = solveWith(method, {many, threads.end()});
    const auto isPossible = [&](int count) {
      const auto found = predictions.find(count);
      return found != predictions.end() && found->second.impossible.empty();
    };
    for (const int count : threads) {
      if (named || isPossible(count))
        continue;
      // Another method may have a solution where this one has none.
      const auto first = predictions.find(count) == predictions.end()
                             ? std::nullopt
                             : std::optional(predictions.at(count));
      for (const NetworkMethod other : {solveMva, solveNorton})
        if (!isPossible(count) && other != method)
          (void)solveWith(other, {count});
      if (first && !isPossible(count))
        predictions[count] = *first;
      if (predictions.find(count) == predictions.end())
        return fault;
      fault.reset();
    }
    return named ? fault : std::nullopt;
  }

  /// Whether exponential holding times make the solution of several classes exact.
  bool isExact(int scalingThreads) const {
    std::vector<double> threads;
    for (const Traffic &one : traffic)
      threads.push_back(one.threads(scalingThreads));
    return solver.classMethod == solveReiser && reiserPopulations(threads) > 0;
  }

  Prediction describe(const Solution &solution, int threads, bool exact) const {
    constexpr double perSecond = 1e9;
    Prediction prediction;
    prediction.threads = threads;
    prediction.locks.resize(network.locks.size());
    prediction.classes.resize(network.classes.size());
    if (gated)
      prediction.impossible =
          impossibility({network, kinds, machine, traffic}, solution, solver.cores);
    if (!prediction.impossible.empty()) {
      prediction.notes.push_back(
          fmt::format("no prediction: by the model {}, which cannot be", prediction.impossible));
      return prediction;
    }
    for (std::size_t i = 0; i < network.locks.size(); ++i) {
      const LockSolution &lock = solution.locks[i];
      if (lock.visits <= 0)
        continue;
      LockPrediction &out = prediction.locks[i];
      const double rate = solution.cyclesPerNs * lock.visits;
      out.residenceNs = lock.residenceNs;
      out.waitNs = std::max(0.0, lock.residenceNs - lock.holdNs);
      out.queueLength = rate * lock.residenceNs;
      out.utilization = std::min(1.0, lock.busiestHeld(solution.cyclesPerNs));
      out.contentionRate = lock.foundTaken;
      out.coherenceMissNs = lock.coherenceMissNs;
      out.throughputPerS = rate * perSecond;
      prediction.throughputPerS += out.throughputPerS;
    }
    for (std::size_t i = 0; i < traffic.size(); ++i)
      add(prediction.classes[traffic[i].threadClass], traffic[i], solution.classes[i]);
    prediction.model = modelName(solution, exact);
    prediction.worstCase = solution.summary.bound == SolverBound::loose;
    prediction.settled = solution.summary.converged();
    prediction.blockedShare = solution.blocked / solution.population;
    addNotes(prediction, solution);
    return prediction;
  }

  /// The threads of a class that have one of its routings.
  static void add(ClassPrediction &out, const Traffic &of, const ClassSolution &part) {
    double sections = 0;
    for (const double visits : of.visits)
      sections += visits;
    const double cycles = out.cycleNs > 0 ? out.threads / out.cycleNs : 0;
    const double all = cycles + part.cyclesPerNs;
    out.threads += part.threads;
    out.throughputPerS += 1e9 * part.cyclesPerNs * sections;
    if (all <= 0)
      return;
    out.cycleNs = out.threads / all;
    out.waitNs = (cycles * out.waitNs + part.cyclesPerNs * part.waitNs) / all;
  }

  /// Several classes are not decomposed where threads stay, and locks of sleepers call that the
  /// same.
  bool isBy(NetworkMethod method) const {
    return method == solver.method || (method == solveStaying && solver.method == solveMva);
  }

  /// "exact", where it is, else the method as the locks in use call it, or "mixed".
  std::string modelName(const Solution &solution, bool exact) const {
    std::string name;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (solution.locks[i].visits <= 0)
        continue;
      const PredictionModel *model = options.model == "auto" ? nullptr : findModel(options.model);
      if (!model || model->kinds.empty())
        for (const PredictionModel &row : predictionModels())
          if (isBy(row.method) && isFor(row, kinds[i]) &&
              (exact || row.name != std::string("exact"))) {
            model = &row;
            break;
          }
      if (model)
        name = name.empty() || name == model->name ? model->name : "mixed";
    }
    return name;
  }

  /// What is assumed of the data in sections; "" where the locks know no cores.
  std::string movementNote() const {
    if (std::all_of(kinds.begin(), kinds.end(),
                    [](const auto &kind) { return kind == LockKind::ideal; }))
      return "";
    std::vector<std::string> unknown;
    std::size_t visited = 0;
    for (const Section &section : network.sections) {
      if (!isVisited(traffic, static_cast<std::size_t>(&section - network.sections.data())))
        continue;
      ++visited;
      if (!section.footprint)
        unknown.push_back(section.name);
    }
    const bool published = solver.method == solveMascots2015 || solver.method == solveMcc2012;
    if (unknown.size() == visited || published)
      return "the data of sections are taken not to move between cores";
    return "sections take longer where their data come from other cores, as footprints tell: it is "
           "part of the wait" +
           (unknown.empty() ? "" : "; those of " + someOf(unknown) + " are taken not to move");
  }

  void noteUnvisited(Prediction &prediction, const std::vector<Traffic> &circulating) const {
    std::vector<std::string> unvisited;
    for (const std::size_t section : unvisitedSections(network, circulating))
      unvisited.push_back(network.sections[section].name);
    if (!unvisited.empty())
      prediction.notes.push_back("no thread class enters " + someOf(unvisited));
  }

  void addNotes(Prediction &prediction, const Solution &solution) const {
    auto &notes = prediction.notes;
    if (!isPhase) // a section may be of another phase
      noteUnvisited(prediction, traffic);
    if (const std::string note = movementNote(); !note.empty() && solution.population > 1)
      notes.push_back(note);
    if (std::none_of(traffic.begin(), traffic.end(), [](const Traffic &t) { return t.scales; }))
      notes.push_back("no thread class scales: the number of threads has no effect");
    if (prediction.blockedShare > Prediction::mostBlocked)
      notes.push_back(fmt::format("threads are blocked for {:.0f} % of their time, in waits that "
                                  "locks do not explain: out of the model's range",
                                  100 * prediction.blockedShare));
    const std::vector<NestingCycle> cycles = nestingCycles(network, traffic);
    for (const NestingCycle &cycle : cycles)
      if (solution.summary.bound != SolverBound::none)
        notes.push_back(fmt::format(
            "threads take {} inside each other, in different orders: unless something keeps them "
            "apart, they wait for each other for ever. Predicted as if these were one lock, the "
            "worst case without that; give them one order, or take them together "
            "(std::scoped_lock)",
            namesOf(cycle, network)));
    if (cycles.empty() && solution.summary.bound != SolverBound::none)
      notes.push_back(
          "a lock class is taken inside itself, and threads that hold one of its locks "
          "wait for another: taken to do no more than with as many threads as hold its "
          "busiest lock half of the time, and no less than as one lock, the worst case");
    if (!prediction.settled)
      notes.push_back(
          "the iteration over what waits for what did not settle; figures are uncertain");
    if (solution.population > solver.cores &&
        std::any_of(kinds.begin(), kinds.end(),
                    [](const auto &kind) { return kind != LockKind::ideal; }))
      notes.push_back(fmt::format("threads share {} cores", solver.cores));
    std::vector<std::string> tooShort;
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (solution.population > 1 && solution.locks[i].visits > 0 &&
          solution.locks[i].holdNs < shortestDelegatedNs && algorithmOf(kinds[i]).delegates)
        tooShort.push_back(network.locks[i].name);
    if (!tooShort.empty())
      notes.push_back(
          fmt::format("sections of less than {:g} ns, of which hardly any are delegated "
                      "in simulation: the model is out of its range at {}",
                      shortestDelegatedNs, someOf(tooShort)));
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (const LockAlgorithm &row = algorithmOf(kinds[i]);
          row.fifo && solution.locks[i].visits > 0 && solution.population > solver.cores) {
        notes.push_back(
            fmt::format("{}: threads wait in line for one that has no core", row.label));
        break;
      }
  }

  const Network &network;
  const std::vector<LockKind> &kinds;
  std::optional<Machine> part; ///< where not all of its cores are used
  const Machine &machine;
  PredictOptions options;
  SolverOptions solver;
  std::vector<Traffic> traffic;
  bool isPhase = false;
  bool gated = false; ///< what is impossible is not told; a gradient needs all figures
};

} // namespace

std::shared_ptr<StartingPoints> makeStartingPoints() { return std::make_shared<StartingPoints>(); }

Expected<Prediction> predict(const Network &network, const std::vector<LockKind> &kinds,
                             const Machine &machine, int threads, const PredictOptions &options) {
  auto result = TRY(Predictor(network, kinds, machine, options).predict({threads}));
  return std::move(result.front());
}

Expected<std::vector<Prediction>> predictSweep(const Network &network, const KindChoice &kind,
                                               const Machine &machine,
                                               const std::vector<int> &threads,
                                               const PredictOptions &options) {
  const std::vector<LockKind> kinds = kind.at(network);
  return Predictor(network, kinds, machine, options).predict(threads);
}

Expected<std::vector<Prediction>>
predictTraffic(const Network &network, const std::vector<Traffic> &traffic,
               const std::vector<LockKind> &kinds, const Machine &machine,
               const std::vector<int> &threads, const PredictOptions &options) {
  auto result = Predictor(network, kinds, machine, options).predict(threads, traffic);
  if (options.startingPoints)
    options.startingPoints->close();
  return result;
}

} // namespace qdadvise
