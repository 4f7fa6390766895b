// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/WhatIf.h"

#include "advisor/decide/FixTable.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/support/ForEachIndex.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace qdadvise {
namespace {

/// How many of the usual fixes are told of at one lock.
constexpr std::size_t mostAtALock = 3;
/// The cost of a fix is that of sections that become operations: code has to be written (portCost).
constexpr int fixCost = 2;

class FixEvaluator {
public:
  FixEvaluator(const Network &network, const Machine &machine, const Decisions &decisions,
               const SectionMemories &memory, const WhatIfOptions &options)
      : network(network), machine(machine), decisions(decisions),
        context{network,
                machine,
                memory,
                lockFacts(network),
                visitsToLocks(network),
                populationOf(network, trafficOf(network), options.threads),
                options},
        options(context.options), advised(decisions.kindsToday) {
    context.options.predict.coresAlways = true;
    for (const LockDecision &decision : decisions.locks)
      if (!decision.keep)
        advised[decision.lock] = decision.advised.kind;
  }

  Expected<WhatIfs> evaluate() {
    WhatIfs result;
    if (decisions.today.worstCase)
      return options.requests.empty()
                 ? Expected<WhatIfs>(result)
                 : makeError("--what-if: the program is out of the models' range: a lock class is "
                             "taken inside itself");
    for (std::size_t lock = 0; lock != network.locks.size(); ++lock) {
      const LockFacts &facts = context.facts[lock];
      if (!facts.modelled ||
          (options.requests.empty() && (facts.isLittleKnown() || facts.delayed || !matters(lock))))
        continue;
      result.wantsTrace = result.wantsTrace || wantsTrace(lock);
      if (options.progress)
        options.progress(static_cast<double>(lock) / static_cast<double>(network.locks.size()),
                         "what if, at " + network.locks[lock].name);
      std::vector<FixCandidate> candidates = candidatesAt(lock);
      if (options.requests.empty())
        candidates = mostPromising(std::move(candidates));
      for (FixCandidate &candidate : candidates)
        addIfWorthIt(std::move(candidate), result.found);
      if (!error.empty())
        return makeError(error);
    }
    std::sort(result.found.begin(), result.found.end(), [](const WhatIf &a, const WhatIf &b) {
      return a.lock != b.lock ? a.lock < b.lock : isBetter(a, b);
    });
    return result;
  }

private:
  static double best(const WhatIf &one) { return std::max(one.today.ratio, one.advised.ratio); }
  static bool isBetter(const WhatIf &a, const WhatIf &b) {
    return best(a) != best(b) ? best(a) > best(b) : a.condition < b.condition;
  }

  /// Whether the lock is to be changed, or costs enough time that a change could be worth it.
  bool matters(std::size_t lock) const {
    double share = lostShare(decisions.today, lock, context.population);
    for (const Section &section : network.sections)
      if (section.lock == lock && section.inside)
        share +=
            lostShare(decisions.today, network.sections[*section.inside].lock, context.population);
    const double least = options.minimumGains[1];
    return !decisions.locks[lock].keep || share >= least / (1 + least);
  }

  std::vector<FixRequest> requests() const {
    std::vector<FixRequest> result = options.requests;
    if (result.empty())
      for (const Fix &fix : fixes())
        for (const double amount : fix.usual)
          result.push_back({fix.id, amount});
    return result;
  }

  bool wantsTrace(std::size_t lock) const {
    const std::vector<FixRequest> asked = requests();
    const std::vector<std::size_t> sections = context.sectionsOf(lock);
    return std::any_of(asked.begin(), asked.end(),
                       [](const auto &one) { return findFix(one.fix)->needsTrace; }) &&
           std::any_of(sections.begin(), sections.end(),
                       [this](std::size_t i) { return !context.memoryOf(i); });
  }

  std::vector<FixCandidate> candidatesAt(std::size_t lock) const {
    std::vector<FixCandidate> result;
    if (context.facts[lock].perThread) // nobody waits for it
      return result;
    for (const FixRequest &request : requests())
      for (FixCandidate &candidate : findFix(request.fix)->at(context, lock, request.amount)) {
        candidate.whatIf.request = request;
        result.push_back(std::move(candidate));
      }
    return result;
  }

  /// Compares the ratios alone: their intervals take a hundred times as long.
  std::vector<FixCandidate> mostPromising(std::vector<FixCandidate> candidates) {
    std::vector<std::string> messages(candidates.size());
    forEachIndex(candidates.size(), [&](std::size_t i) {
      WhatIf &one = candidates[i].whatIf;
      std::string &message = messages[i];
      one.today.ratio = ratio(candidates[i], decisions.kindsToday, decisions.today, message);
      one.advised.ratio = advised == decisions.kindsToday
                              ? one.today.ratio
                              : ratio(candidates[i], advised, decisions.advised, message);
    });
    for (const std::string &message : messages)
      if (!message.empty())
        error = message;
    std::sort(
        candidates.begin(), candidates.end(),
        [](const FixCandidate &a, const FixCandidate &b) { return isBetter(a.whatIf, b.whatIf); });
    if (candidates.size() > mostAtALock)
      candidates.erase(candidates.begin() + mostAtALock, candidates.end());
    std::erase_if(candidates, [this](const FixCandidate &candidate) {
      return best(candidate.whatIf) <= 1 + options.minimumGains[fixCost];
    });
    return candidates;
  }

  Assignment kindsWith(const FixCandidate &candidate, const Assignment &kinds) const {
    return candidate.whatIf.kind == LockKind::unknown
               ? kinds
               : with(kinds, candidate.whatIf.lock, candidate.whatIf.kind);
  }

  double ratio(const FixCandidate &candidate, const Assignment &kinds, const Prediction &before,
               std::string &message) const {
    const NetworkChange change = candidate.change(kinds);
    if (!change)
      return 0;
    PredictOptions throughputs = options.predict;
    throughputs.withSpeedup = false;
    const auto after = predict(change(network), kindsWith(candidate, kinds), machine,
                               options.threads, throughputs);
    if (!after)
      message = after.error().message;
    const bool known =
        after && !after->worstCase && after->impossible.empty() && before.throughputPerS > 0;
    return known ? after->throughputPerS / before.throughputPerS : 0;
  }

  GainInterval gain(const FixCandidate &candidate, const Assignment &kinds) {
    const NetworkChange change = candidate.change(kinds);
    if (!change)
      return {.ratio = 0, .low = 0, .high = 0, .lowerQuartile = 0};
    const auto result = throughputGain(network, kinds, kindsWith(candidate, kinds), machine,
                                       options.threads, options.predict, change);
    if (!result)
      error = result.error().message;
    return result ? *result : GainInterval();
  }

  void addIfWorthIt(FixCandidate candidate, std::vector<WhatIf> &found) {
    WhatIf &one = candidate.whatIf;
    one.today = gain(candidate, decisions.kindsToday);
    one.advised = advised == decisions.kindsToday ? one.today : gain(candidate, advised);
    const auto isWorthIt = [this](const GainInterval &interval) {
      return overBar(interval, fixCost, options.minimumGains) > 1;
    };
    if (one.today.ratio <= 0 || one.advised.ratio <= 0)
      return;
    if (!options.requests.empty() || isWorthIt(one.today) || isWorthIt(one.advised))
      found.push_back(std::move(one));
  }

  const Network &network;
  const Machine &machine;
  const Decisions &decisions;
  FixContext context;
  const WhatIfOptions &options;
  Assignment advised;
  std::string error;
};

Expected<FixRequest> parseFix(const std::string &text) {
  const std::size_t equals = text.find('=');
  const std::string id = text.substr(0, equals);
  const Fix *fix = findFix(id);
  if (!fix)
    return makeError(fmt::format("--what-if {}: no such fix; there are {}", text, knownFixes()));
  const bool hasAmount = *fix->argument != '\0';
  if (!hasAmount && equals == std::string::npos)
    return FixRequest{id, 0};
  double given = 0;
  bool valid = hasAmount && equals != std::string::npos;
  if (valid) {
    const char *const end = text.data() + text.size();
    const auto [at, fault] = std::from_chars(text.data() + equals + 1, end, given);
    valid = fault == std::errc() && at == end && given >= fix->least && given <= fix->most &&
            (fix->unit != 1 || given == std::floor(given));
  }
  if (!valid)
    return makeError(hasAmount ? fmt::format("--what-if {}: give {}{} with a number from {:g} to "
                                             "{:g}",
                                             text, fix->id, fix->argument, fix->least, fix->most)
                               : fmt::format("--what-if {}: {} takes no number", text, fix->id));
  return FixRequest{id, given * fix->unit};
}

} // namespace

std::string knownFixes() {
  std::string known;
  for (const Fix &fix : fixes())
    known += fmt::format("{}{}{}", known.empty() ? "" : ", ", fix.id, fix.argument);
  return known;
}

Expected<std::vector<FixRequest>> parseFixes(const std::string &text) {
  std::vector<FixRequest> result;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');)
    result.push_back(TRY(parseFix(item)));
  if (result.empty() || text.back() == ',')
    return makeError("--what-if needs fixes, separated by commas");
  return result;
}

Expected<WhatIfs> whatIfs(const Network &network, const Machine &machine,
                          const Decisions &decisions, const SectionMemories &memory,
                          const WhatIfOptions &options) {
  return FixEvaluator(network, machine, decisions, memory, options).evaluate();
}

} // namespace qdadvise
