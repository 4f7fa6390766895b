// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Decision.h"
#include "advisor/decide/LockFacts.h"
#include "advisor/decide/Reasons.h"
#include "advisor/decide/Search.h"
#include "advisor/model/locks/Station.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/network/Validation.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace qdadvise {
namespace {

/// A share of the time of all threads.
constexpr double nextToNothing = 1e-3;
constexpr std::size_t aFew = 8; ///< locks

/// What a lock without a model is taken for, where the others need a figure.
constexpr LockKind standIn = LockKind::pthreadMutex;

std::optional<Error> checkOptions(const DecisionOptions &options) {
  if (options.threads < 1)
    return Error{"the number of threads to advise for must be at least 1"};
  for (const double gain : options.minimumGains)
    if (!std::isfinite(gain) || gain < 0)
      return Error{"the least gain that is worth a change must not be negative"};
  for (const LockKind kind : options.menu) {
    if (kind == LockKind::unknown)
      return Error{fmt::format("no lock algorithm '{}'", nameOf(kind))};
    if (kind == LockKind::ideal)
      return Error{"'ideal' is a yardstick for predictions and cannot be advised; name real "
                   "lock algorithms"};
  }
  return std::nullopt;
}

/// What there is to choose from, unless the user says so; notes say what is missing.
std::vector<LockKind> menuOf(const Machine &machine, bool sharesCores, bool anyReaders,
                             std::vector<std::string> &notes) {
  std::vector<LockKind> menu;
  for (const LockAlgorithm &algorithm : lockAlgorithms) {
    if (!algorithm.onMenu || (algorithm.fifo && sharesCores) ||
        (algorithm.sharesReads && !anyReaders))
      continue;
    if (const auto missing = missingFigure(algorithm.kind, machine))
      notes.push_back(fmt::format("{}: not considered: {}", algorithm.label, missing->message));
    else
      menu.push_back(algorithm.kind);
  }
  return menu;
}

/// What a lock may become, or could if the code were another. Nobody who only writes wants a
/// lock that looks for readers first.
std::vector<LockKind> menuFor(const LockFacts &facts, LockKind today,
                              const std::vector<LockKind> &menu) {
  std::vector<LockKind> kinds;
  for (const LockKind kind : menu)
    if (kind != today && (facts.isRead || !algorithmOf(kind).sharesReads))
      kinds.push_back(kind);
  return kinds;
}

SearchProblem problemOf(const Network &network, const std::vector<LockFacts> &facts,
                        const std::vector<LockKind> &menu, const DecisionOptions &options) {
  SearchProblem problem;
  problem.minimumGains = options.minimumGains;
  problem.population = populationOf(network, trafficOf(network), options.threads);
  problem.outer.resize(network.locks.size());
  for (const Section &section : network.sections)
    if (section.inside)
      problem.outer[section.lock].push_back(network.sections[*section.inside].lock);
  for (std::size_t i = 0; i != network.locks.size(); ++i) {
    std::vector<std::size_t> &outer = problem.outer[i];
    std::sort(outer.begin(), outer.end());
    outer.erase(std::unique(outer.begin(), outer.end()), outer.end());
    problem.today.push_back(facts[i].modelled ? network.locks[i].kind.kind : standIn);
    std::vector<LockKind> &choices = problem.choices.emplace_back();
    if (!facts[i].modelled || facts[i].isLittleKnown() || facts[i].delayed || facts[i].perThread)
      continue;
    for (const LockKind kind : menuFor(facts[i], problem.today[i], menu))
      if (refusal(facts[i], algorithmOf(kind)).empty())
        choices.push_back(kind);
  }
  return problem;
}

void addNew(std::vector<std::string> &notes, const std::vector<std::string> &more) {
  for (const std::string &note : more)
    if (std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(note);
}

/// Makes the decision of each lock after the search, with its reasons.
class Explainer {
public:
  Explainer(const Network &network, const Machine &machine, const DecisionOptions &options,
            const std::vector<LockKind> &menu, const std::vector<LockFacts> &facts,
            const SearchProblem &problem, const SearchResult &found, Evaluator &evaluator)
      : network(network), machine(machine), options(options), menu(menu), facts(facts),
        problem(problem), found(found), evaluator(evaluator) {}

  /// Predicts at once what all decisions compare.
  void predictAlternatives() {
    std::vector<Assignment> all;
    for (std::size_t lock = 0; lock != network.locks.size(); ++lock)
      for (const LockKind kind : alternativesTo(lock))
        all.push_back(with(found.kinds, lock, kind));
    evaluator.predictAll(all);
  }

  LockDecision decisionFor(std::size_t lock, const Agreement &agreement) {
    LockDecision decision;
    decision.lock = lock;
    decision.agreement = agreement;
    decision.threads = options.threads;
    decision.today = network.locks[lock].kind;
    decision.keep = found.kinds[lock] == problem.today[lock];
    decision.advised = decision.keep ? decision.today : GivenKind(found.kinds[lock]);
    const Assignment without = with(found.kinds, lock, problem.today[lock]);
    addAlternatives(decision, without);
    if (!decision.keep) {
      const GainInterval gain = evaluator.gain(without, found.kinds);
      decision.speedup = gain.ratio;
      decision.low = gain.low;
      decision.high = gain.high;
      decision.obstacles = obstaclesTo(facts[lock], algorithmOf(decision.advised.kind));
    }
    decision.reasons = reasonsFor(inputsFor(decision, without));
    return decision;
  }

private:
  /// Whether there is only a bound for today's locks. No gain follows from that.
  bool isBound() const { return evaluator.predictionOf(problem.today).worstCase; }

  /// Whether threads lose any time worth speaking of at the lock, today or after all changes.
  /// Elsewhere no other lock helps, and to predict that takes as long as where one does. Of a few
  /// locks all are predicted.
  bool matters(std::size_t lock) const {
    const auto lost = [&](const Assignment &kinds) {
      return lostWithOuter(problem, evaluator.predictionOf(kinds), lock);
    };
    return network.locks.size() <= aFew || found.kinds[lock] != problem.today[lock] ||
           lost(problem.today) >= nextToNothing || lost(found.kinds) >= nextToNothing;
  }

  /// The algorithms that a lock is compared with, today's first.
  std::vector<LockKind> alternativesTo(std::size_t lock) const {
    std::vector<LockKind> kinds{problem.today[lock]};
    if (facts[lock].modelled && !isBound() && matters(lock))
      for (const LockKind kind : menuFor(facts[lock], problem.today[lock], menu))
        kinds.push_back(kind);
    return kinds;
  }

  void addAlternatives(LockDecision &decision, const Assignment &without) {
    const double today = evaluator.throughputOf(without);
    for (const LockKind kind : alternativesTo(decision.lock)) {
      const Prediction &prediction = evaluator.predictionOf(with(without, decision.lock, kind));
      if (!prediction.impossible.empty() && !decision.alternatives.empty())
        continue;
      decision.alternatives.push_back({kind, prediction.locks[decision.lock],
                                       today > 0 ? prediction.throughputPerS / today : 1});
    }
  }

  ReasonInputs inputsFor(const LockDecision &decision, const Assignment &without) {
    const std::size_t lock = decision.lock;
    const int cores = options.predict.cores ? options.predict.cores : machine.cores;
    ReasonInputs inputs(decision, facts[lock], machine, cores, options.minimumGains);
    inputs.population = problem.population;
    inputs.outOfRange = isBound();
    inputs.lostShare = lostShare(evaluator.predictionOf(without), lock, problem.population);
    for (const LockKind kind : menuFor(facts[lock], problem.today[lock], menu)) {
      const LockAlgorithm &algorithm = algorithmOf(kind);
      std::string why = refusal(facts[lock], algorithm);
      if (!why.empty())
        inputs.refused.emplace_back(&algorithm, std::move(why));
    }
    if (decision.keep)
      addRival(inputs, without);
    else
      addOtherGains(inputs, without);
    return inputs;
  }

  /// A gain of half a percent is not worth a sentence.
  static constexpr double worthSaying = 1.005;

  /// The best other choice for a lock to keep.
  void addRival(ReasonInputs &inputs, const Assignment &without) {
    double best = worthSaying;
    for (const LockKind kind : problem.choices[inputs.decision.lock])
      for (const LockDecision::Alternative &other : inputs.decision.alternatives)
        if (other.kind == kind && other.speedup > best) {
          best = other.speedup;
          inputs.rival = kind;
        }
    if (inputs.rival != LockKind::unknown)
      inputs.rivalGain = evaluator.gain(without, with(without, inputs.decision.lock, inputs.rival));
    else
      addCompany(inputs);
  }

  /// Of locks that hold threads up alike none gains anything alone.
  void addCompany(ReasonInputs &inputs) {
    const std::size_t mine = inputs.decision.lock;
    if (found.summit[mine] == found.kinds[mine] ||
        evaluator.throughputOf(found.summit) <= worthSaying * evaluator.throughputOf(found.kinds))
      return;
    for (std::size_t lock = 0; lock != network.locks.size(); ++lock)
      if (lock != mine && found.summit[lock] != found.kinds[lock])
        inputs.company.push_back(fmt::format("'{}'", network.locks[lock].name));
    inputs.inCompany = found.summit[mine];
    inputs.companyGain = evaluator.gain(found.kinds, found.summit);
  }

  void addOtherGains(ReasonInputs &inputs, const Assignment &without) {
    const std::size_t lock = inputs.decision.lock;
    const double today = evaluator.throughputOf(problem.today);
    const Assignment alone = with(problem.today, lock, inputs.decision.advised.kind);
    inputs.aloneSpeedup = today > 0 ? evaluator.throughputOf(alone) / today : 1;
    inputs.givenUp = found.givenUp[lock];
    if (inputs.givenUp != LockKind::unknown)
      inputs.givenUpGain = evaluator.gain(found.kinds, with(without, lock, inputs.givenUp));
  }

  const Network &network;
  const Machine &machine;
  const DecisionOptions &options;
  const std::vector<LockKind> &menu;
  const std::vector<LockFacts> &facts;
  const SearchProblem &problem;
  const SearchResult &found;
  Evaluator &evaluator;
};

} // namespace

Expected<Decisions> decide(const Network &network, const Machine &machine,
                           const DecisionOptions &options) {
  TRY(checkOptions(options));
  TRY(validate(network));
  Decisions decisions;
  const int cores = options.predict.cores > 0 ? options.predict.cores : machine.cores;
  const bool sharesCores = populationOf(network, trafficOf(network), options.threads) > cores;
  const std::vector<LockFacts> facts = lockFacts(network);
  const bool anyReaders =
      std::any_of(facts.begin(), facts.end(), [](const LockFacts &lock) { return lock.isRead; });
  const std::vector<LockKind> menu = options.menu.empty()
                                         ? menuOf(machine, sharesCores, anyReaders, decisions.notes)
                                         : options.menu;
  SearchProblem problem = problemOf(network, facts, menu, options);
  const auto tell = [&](std::size_t done, std::size_t all, const std::string &what) {
    if (options.progress)
      options.progress(static_cast<double>(done) / static_cast<double>(all), what);
  };
  std::size_t decided = 0; // the search does not know beforehand how many steps it takes
  Evaluator evaluator(network, machine, options.threads, options.predict, [&](std::size_t before) {
    tell(decided, network.locks.size(), fmt::format("{} assignments predicted", before));
  });
  if (const std::string &why = evaluator.predictionOf(problem.today).impossible; !why.empty())
    return makeError(fmt::format("no advice for {}: by the model of today's locks {}, which cannot "
                                 "be; another number of threads may have a prediction",
                                 formatThreads(options.threads), why));
  if (evaluator.predictionOf(problem.today).worstCase)
    for (std::vector<LockKind> &choices : problem.choices)
      choices.clear();
  SearchResult found = search(problem, evaluator);
  const std::vector<Agreement> agreements = agreementsOn(network, problem, found, machine, options);
  for (std::size_t lock = 0; lock != agreements.size(); ++lock)
    if (agreements[lock].isContradicted())
      found.kinds[lock] = problem.today[lock];

  Explainer explainer(network, machine, options, menu, facts, problem, found, evaluator);
  explainer.predictAlternatives();
  for (; decided != network.locks.size() && evaluator.error().empty(); ++decided)
    decisions.locks.push_back(explainer.decisionFor(decided, agreements[decided]));
  decisions.kindsToday = problem.today;
  decisions.today = evaluator.predictionOf(problem.today);
  decisions.advised = evaluator.predictionOf(found.kinds);
  decisions.together = evaluator.gain(problem.today, found.kinds);
  if (!evaluator.error().empty())
    return makeError(evaluator.error());
  addNew(decisions.notes, decisions.today.notes);
  addNew(decisions.notes, decisions.advised.notes);
  return decisions;
}

} // namespace qdadvise
