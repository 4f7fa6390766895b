// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Reasons.h"

#include "advisor/support/Format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace qdadvise {
namespace {

const LockDecision::Alternative *alternative(const LockDecision &decision, LockKind kind) {
  for (const LockDecision::Alternative &candidate : decision.alternatives)
    if (candidate.kind == kind)
      return &candidate;
  return nullptr;
}

double holdNs(const LockPrediction &lock) { return std::max(0.0, lock.residenceNs - lock.waitNs); }

std::string contention(const LockDecision &decision) {
  const LockPrediction &today = decision.alternatives.front().prediction;
  return fmt::format("waited for in {} of acquisitions at {}; mean wait {} against a holding time "
                     "of {}",
                     formatPercent(today.contentionRate), formatThreads(decision.threads),
                     formatDuration(today.waitNs), formatHold(holdNs(today)));
}

/// What sleeping would cost, where the machine says it and the section is shorter.
std::string sleepingCost(const ReasonInputs &inputs) {
  const double hold = holdNs(inputs.decision.alternatives.front().prediction);
  const WakeupCost wakeup = inputs.machine.wakeupAfter(hold);
  if (wakeup.latencyNs <= hold)
    return "";
  return fmt::format("its sections are short, {}, against the {} that waking a sleeper takes",
                     formatHold(hold), formatDuration(wakeup.latencyNs));
}

std::string coresFor(const ReasonInputs &inputs) {
  const int threads = static_cast<int>(inputs.population);
  if (threads > inputs.cores)
    return fmt::format(
        "with {} on {} cores a spinning waiter takes time, until it yields, that an owner needs",
        formatThreads(threads), inputs.cores);
  return fmt::format("{} fit on {} cores, so that nobody spins on the core the owner needs",
                     formatThreads(threads), inputs.cores);
}

void explainSpinning(const ReasonInputs &inputs, const LockAlgorithm &algorithm,
                     std::vector<std::string> &reasons) {
  if (std::string cost = sleepingCost(inputs); !cost.empty())
    reasons.push_back(std::move(cost));
  if (algorithm.fifo)
    reasons.push_back("its waiters stand in line, so that a release disturbs only the next one, "
                      "however many wait");
  reasons.push_back(coresFor(inputs));
}

void explainDelegation(const ReasonInputs &inputs, std::vector<std::string> &reasons) {
  const LockDecision &decision = inputs.decision;
  std::vector<std::string> waits;
  for (const LockDecision::Alternative &other : decision.alternatives)
    if (other.kind != decision.advised.kind)
      waits.push_back(fmt::format("{} with {}", formatDuration(other.prediction.waitNs),
                                  withArticle(algorithmOf(other.kind).label)));
  reasons.push_back(fmt::format(
      "the thread that has the lock runs the waiting sections one after the other, so that the "
      "lock does not change hands between them: mean wait {}, against {}",
      formatDuration(alternative(decision, decision.advised.kind)->prediction.waitNs),
      enumerated(waits)));
  if (inputs.population > inputs.cores)
    reasons.push_back(coresFor(inputs));
}

void explainGivenUp(const ReasonInputs &inputs, std::vector<std::string> &reasons) {
  if (inputs.givenUp == LockKind::unknown)
    return;
  const LockAlgorithm &algorithm = algorithmOf(inputs.givenUp);
  reasons.push_back(fmt::format(
      "{} would be another {} faster, which is not likely enough to be worth its port{}; the "
      "cheaper change is "
      "advised",
      withArticle(algorithm.label), gainText(inputs.givenUpGain),
      algorithm.delegates ? " (its sections have to become operations)" : ""));
}

/// Says that a loss is within the interval of the gain.
void explainOdds(const LockDecision &decision, std::vector<std::string> &reasons) {
  if (decision.low < 1)
    reasons.push_back("likely rather than sure to gain: in three cases of four it does");
}

/// Says that a change is worth it only together with others.
void explainSmall(const ReasonInputs &inputs, std::vector<std::string> &reasons) {
  const LockDecision &decision = inputs.decision;
  const auto cost = static_cast<std::size_t>(portCost(decision.today.kind, decision.advised.kind));
  if (decision.speedup < 1 + inputs.minimumGains[cost])
    reasons.push_back(fmt::format("by itself less than the {} that a change has to promise; "
                                  "together the small changes promise that",
                                  formatFactor(1 + inputs.minimumGains[cost])));
}

void explainAlone(const ReasonInputs &inputs, std::vector<std::string> &reasons) {
  const double ratio = inputs.aloneSpeedup / inputs.decision.speedup;
  if (std::abs(std::log(ratio)) > 0.1)
    reasons.push_back(fmt::format("counts on the advice for the other locks: alone, this change "
                                  "gives {}",
                                  formatFactor(inputs.aloneSpeedup)));
}

/// Which of the lock's places nothing is known of.
void explainCoverage(const LockFacts &facts, std::vector<std::string> &reasons) {
  constexpr std::size_t mostPlaces = 3;
  if (!facts.neverRan.empty())
    reasons.push_back(fmt::format(
        "{} that {} it never ran, and nothing is known of {}: {}",
        plural(facts.neverRan.size(), "place"), facts.neverRan.size() == 1 ? "takes" : "take",
        facts.neverRan.size() == 1 ? "it" : "them", someOf(facts.neverRan, mostPlaces)));
  if (!facts.neverTimed.empty())
    reasons.push_back(fmt::format(
        "{} ran and {} never timed: how long {} is guessed from others: {}",
        plural(facts.neverTimed.size(), "section"), facts.neverTimed.size() == 1 ? "was" : "were",
        facts.neverTimed.size() == 1 ? "it takes" : "they take",
        someOf(facts.neverTimed, mostPlaces)));
}

/// What a change to that algorithm would have had to promise.
std::string need(const ReasonInputs &inputs, LockKind kind) {
  constexpr const char *changes[] = {"", "another type of lock", "work on its sections"};
  const auto cost = static_cast<std::size_t>(portCost(inputs.decision.today.kind, kind));
  return fmt::format("{} has to promise more than {}, and in three cases of four to gain at all",
                     changes[cost], formatFactor(1 + inputs.minimumGains[cost]));
}

/// An algorithm that would lose anyway needs no other reason. Returns whether any would not.
bool explainRefusals(const ReasonInputs &inputs, std::vector<std::string> &reasons) {
  bool isBetterRefused = false;
  for (const auto &[algorithm, why] : inputs.refused)
    if (const auto *other = alternative(inputs.decision, algorithm->kind);
        other && other->speedup > 1) {
      isBetterRefused = true;
      reasons.push_back(fmt::format("{} ({} by the model) is ruled out: {}",
                                    withArticle(algorithm->label), formatFactor(other->speedup),
                                    why));
    }
  return isBetterRefused;
}

void explainKeep(const ReasonInputs &inputs, std::vector<std::string> &reasons) {
  const LockDecision &decision = inputs.decision;
  if (!inputs.facts.modelled) {
    reasons.push_back(fmt::format(
        "'{}' is not modelled yet; the other locks' figures take it for "
        "{}",
        decision.today.name(), withArticle(algorithmOf(decision.alternatives.front().kind).label)));
    return;
  }
  if (inputs.facts.perThread) {
    reasons.push_back("each of its locks is taken by one thread only, so that nobody waits for it");
    return;
  }
  if (inputs.facts.isLittleKnown()) {
    if (inputs.facts.samples == 0)
      reasons.push_back(
          "it was never timed in the recorded run, so that nothing tells what another "
          "lock would gain");
    else
      reasons.push_back(fmt::format(
          "it was held {} in the recorded run, as far as it was timed: too seldom to tell what "
          "another lock would gain",
          inputs.facts.samples == 1 ? "once" : fmt::format("{} times", inputs.facts.samples)));
    explainRefusals(inputs, reasons);
    return;
  }
  if (inputs.facts.delayed) {
    reasons.push_back("the recorded run's threads often waited for a processor, so that nobody can "
                      "tell how long it is held: record again with less beside the program");
    explainRefusals(inputs, reasons);
    return;
  }
  if (inputs.outOfRange) {
    reasons.push_back(fmt::format(
        "no model tells what another lock would gain at {}: threads that "
        "hold one lock wait for another of its class, or for one that others take first",
        formatThreads(decision.threads)));
    return;
  }
  const double bound = 1 / (1 - std::min(inputs.lostShare, 0.999)) - 1;
  if (bound <= inputs.minimumGains[1] && !inputs.facts.nested) {
    reasons.push_back(fmt::format("threads spend {} of their time waiting for it at {}; no other "
                                  "lock could raise throughput by more than {}",
                                  formatPercent(inputs.lostShare), formatThreads(decision.threads),
                                  formatPercent(std::max(bound, 0.001))));
    return;
  }
  reasons.push_back(contention(decision));
  const bool isBetterRefused = explainRefusals(inputs, reasons);
  if (inputs.rival != LockKind::unknown)
    reasons.push_back(fmt::format("the best other lock, {}, gives {}; {}",
                                  withArticle(algorithmOf(inputs.rival).label),
                                  gainText(inputs.rivalGain), need(inputs, inputs.rival)));
  else if (!inputs.company.empty())
    reasons.push_back(fmt::format("by itself no other lock does better here; {}, with another "
                                  "algorithm at {} too, gives {}; {}",
                                  withArticle(algorithmOf(inputs.inCompany).label),
                                  enumerated(inputs.company), gainText(inputs.companyGain),
                                  need(inputs, inputs.inCompany)));
  else if (!isBetterRefused)
    reasons.push_back("no lock on the menu is predicted to do better");
  if (inputs.population > inputs.cores)
    reasons.push_back(coresFor(inputs));
}

} // namespace

std::string gainText(const GainInterval &gain) {
  return fmt::format("{} ({} to {})", formatFactor(gain.ratio), formatFactor(gain.low, gain.ratio),
                     formatFactor(gain.high, gain.ratio));
}

std::vector<std::string> reasonsFor(const ReasonInputs &inputs) {
  std::vector<std::string> reasons;
  const LockDecision &decision = inputs.decision;
  if (inputs.facts.assumed)
    reasons.push_back(fmt::format("today's algorithm is not known, for no known lock was seen in "
                                  "its operations: {} is assumed{}",
                                  withArticle(decision.today.label()),
                                  decision.keep ? "" : ", which the gain is over"));
  if (decision.keep) {
    explainKeep(inputs, reasons);
  } else {
    reasons.push_back(contention(decision));
    const LockAlgorithm &algorithm = algorithmOf(decision.advised.kind);
    if (algorithm.sharesReads)
      reasons.push_back("its shared sections still run at the same time");
    if (algorithm.delegates)
      explainDelegation(inputs, reasons);
    else if (algorithm.spins)
      explainSpinning(inputs, algorithm, reasons);
    else
      reasons.push_back(fmt::format(
          "mean wait {} with {}",
          formatDuration(alternative(decision, decision.advised.kind)->prediction.waitNs),
          withArticle(algorithm.label)));
    explainSmall(inputs, reasons);
    explainOdds(decision, reasons);
    explainGivenUp(inputs, reasons);
    explainAlone(inputs, reasons);
  }
  explainCoverage(inputs.facts, reasons);
  if (decision.agreement.runs > 1 || decision.agreement.restsOnShortTimes)
    reasons.push_back(agreementText(decision.agreement));
  if (inputs.facts.nested)
    reasons.push_back("nested: it is taken inside another lock's section, which is held while "
                      "waiting for it");
  if (inputs.facts.isOneInteger)
    reasons.push_back("every section of it that ran is one integer update: an atomic would do");
  return reasons;
}

} // namespace qdadvise
