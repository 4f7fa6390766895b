// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/WhatIf.h"

#include "advisor/decide/Fixes.h"
#include "advisor/decide/LockFacts.h"
#include "advisor/model/Workload.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace qdadvise {
namespace {

/// A fix at a lock that it applies to.
struct Candidate {
  WhatIf whatIf;
  /// With these algorithms at all locks; none: it does not end, or what it needs is not known.
  std::function<NetworkChange(const Assignment &)> change;
};

struct Context {
  const Network &network;
  const std::vector<LockFacts> &facts;
  std::vector<double> heldShares; ///< by section: of the time that its lock is held
};

struct Fix {
  const char *id, *argument;
  std::vector<double> usual; ///< amounts
  double least, most;        ///< amounts, as the user gives them
  double unit;               ///< times these are the amount
  std::vector<Candidate> (*at)(const Context &context, std::size_t lock, double amount);
};

Candidate candidate(std::size_t lock, std::string condition, NetworkChange change) {
  Candidate result;
  result.whatIf.lock = lock;
  result.whatIf.condition = std::move(condition);
  result.change = [change = std::move(change)](const Assignment &) { return change; };
  return result;
}

/// `the section at a.c:4`.
std::string named(const Section &section) {
  return section.site ? fmt::format("the section at {}:{}", section.site->file, section.site->line)
                      : fmt::format("section '{}'", section.name);
}

std::vector<Candidate> shrinkAt(const Context &context, std::size_t lock, double share) {
  // Others would hardly be noticed.
  constexpr double leastHeldShare = 0.1;
  std::vector<Candidate> result;
  for (std::size_t i = 0; i != context.network.sections.size(); ++i) {
    const Section &section = context.network.sections[i];
    if (section.lock != lock || context.heldShares[i] < leastHeldShare)
      continue;
    result.push_back(candidate(
        lock, fmt::format("if {:g} % of {} ran after its release", 100 * share, named(section)),
        [=](const Network &network) { return shrunk(network, i, share); }));
    result.back().whatIf.section = i;
  }
  return result;
}

std::vector<Candidate> splitAt(const Context &context, std::size_t lock, double ways) {
  const std::uint32_t instances = context.network.locks[lock].instances;
  return {candidate(
      lock,
      instances == 1 ? fmt::format("if it were {:g} locks, with the traffic divided evenly", ways)
                     : fmt::format("if each of its {} instances were {:g} locks", instances, ways),
      [=](const Network &network) {
        return split(network, lock, static_cast<std::uint32_t>(ways));
      })};
}

const std::vector<Fix> &fixes() {
  static const std::vector<Fix> table{
      {"shrink", "=PERCENT", {0.5}, 1, 100, 0.01, shrinkAt},
      {"split", "=NUMBER", {4, 16}, 2, 1000, 1, splitAt},
  };
  return table;
}

const Fix *findFix(const std::string &id) {
  for (const Fix &fix : fixes())
    if (id == fix.id)
      return &fix;
  return nullptr;
}

/// The usual ones of a list that is meant to be short.
constexpr std::size_t mostAtALock = 3;
/// Where code has to be written, as for sections that become operations (Search.h).
constexpr int fixCost = 2;

std::vector<double> heldSharesOf(const Network &network) {
  std::vector<double> held(network.sections.size(), 0), ofLock(network.locks.size(), 0);
  for (const Traffic &traffic : trafficOf(network))
    for (std::size_t i = 0; i != held.size(); ++i)
      held[i] += traffic.share * traffic.visits[i] * network.sections[i].hold.mean;
  for (std::size_t i = 0; i != held.size(); ++i)
    ofLock[network.sections[i].lock] += held[i];
  for (std::size_t i = 0; i != held.size(); ++i)
    held[i] = ofLock[network.sections[i].lock] > 0 ? held[i] / ofLock[network.sections[i].lock] : 0;
  return held;
}

class Asker {
public:
  Asker(const Network &network, const Machine &machine, const Decisions &decisions,
        const WhatIfOptions &options)
      : network(network), machine(machine), decisions(decisions), options(options),
        facts(lockFacts(network)), context{network, facts, heldSharesOf(network)},
        advised(decisions.kindsToday),
        population(populationOf(network, trafficOf(network), options.threads)) {
    this->options.predict.coresAlways = true;
    for (const LockDecision &decision : decisions.locks)
      if (!decision.keep)
        advised[decision.lock] = decision.advised;
  }

  Expected<std::vector<WhatIf>> ask() {
    std::vector<WhatIf> result;
    for (std::size_t lock = 0; lock != network.locks.size(); ++lock) {
      if (!facts[lock].modelled || (options.requests.empty() && !matters(lock)))
        continue;
      std::vector<Candidate> candidates = candidatesAt(lock);
      if (options.requests.empty())
        candidates = mostPromising(std::move(candidates));
      for (Candidate &candidate : candidates)
        addIfWorthIt(std::move(candidate), result);
      if (!error.empty())
        return makeError(error);
    }
    std::sort(result.begin(), result.end(), [](const WhatIf &a, const WhatIf &b) {
      return a.lock != b.lock ? a.lock < b.lock : isBetter(a, b);
    });
    return result;
  }

private:
  static double best(const WhatIf &one) { return std::max(one.today.ratio, one.advised.ratio); }
  static bool isBetter(const WhatIf &a, const WhatIf &b) {
    return best(a) != best(b) ? best(a) > best(b) : a.condition < b.condition;
  }

  /// Whether it is worth a change of lock, or could be if that were free.
  bool matters(std::size_t lock) const {
    double share = lostShare(decisions.today, lock, population);
    for (const Section &section : network.sections)
      if (section.lock == lock && section.inside)
        share += lostShare(decisions.today, network.sections[*section.inside].lock, population);
    const double least = options.minimumGains[1];
    return !decisions.locks[lock].keep || share >= least / (1 + least);
  }

  std::vector<Candidate> candidatesAt(std::size_t lock) const {
    std::vector<FixRequest> requests = options.requests;
    if (requests.empty())
      for (const Fix &fix : fixes())
        for (const double amount : fix.usual)
          requests.push_back({fix.id, amount});
    std::vector<Candidate> result;
    for (const FixRequest &request : requests)
      for (Candidate &candidate : findFix(request.fix)->at(context, lock, request.amount)) {
        candidate.whatIf.request = request;
        result.push_back(std::move(candidate));
      }
    return result;
  }

  /// Without intervals, which take a hundred times as long.
  std::vector<Candidate> mostPromising(std::vector<Candidate> candidates) {
    for (Candidate &candidate : candidates) {
      candidate.whatIf.today.ratio = ratio(candidate, decisions.kindsToday, decisions.today);
      candidate.whatIf.advised.ratio = ratio(candidate, advised, decisions.advised);
    }
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate &a, const Candidate &b) { return isBetter(a.whatIf, b.whatIf); });
    if (candidates.size() > mostAtALock)
      candidates.erase(candidates.begin() + mostAtALock, candidates.end());
    std::erase_if(candidates, [this](const Candidate &candidate) {
      return best(candidate.whatIf) <= 1 + options.minimumGains[fixCost];
    });
    return candidates;
  }

  Assignment kindsWith(const Candidate &candidate, const Assignment &kinds) const {
    return candidate.whatIf.kind.empty()
               ? kinds
               : with(kinds, candidate.whatIf.lock, candidate.whatIf.kind);
  }

  double ratio(const Candidate &candidate, const Assignment &kinds, const Prediction &before) {
    const NetworkChange change = candidate.change(kinds);
    if (!change)
      return 0;
    const auto after = predict(change(network), kindsWith(candidate, kinds), machine,
                               options.threads, options.predict);
    if (!after)
      error = after.error().message;
    return after && before.throughputPerS > 0 ? after->throughputPerS / before.throughputPerS : 0;
  }

  GainInterval gain(const Candidate &candidate, const Assignment &kinds) {
    const NetworkChange change = candidate.change(kinds);
    if (!change)
      return {0, 0, 0, 0, 0};
    const auto result = throughputGain(network, kinds, kindsWith(candidate, kinds), machine,
                                       options.threads, options.predict, change);
    if (!result)
      error = result.error().message;
    return result ? *result : GainInterval();
  }

  void addIfWorthIt(Candidate candidate, std::vector<WhatIf> &found) {
    WhatIf &one = candidate.whatIf;
    one.today = gain(candidate, decisions.kindsToday);
    one.advised = advised == decisions.kindsToday ? one.today : gain(candidate, advised);
    const auto isWorthIt = [this](const GainInterval &interval) {
      return overBar(interval, fixCost, options.minimumGains) > 1;
    };
    if (!options.requests.empty() || isWorthIt(one.today) || isWorthIt(one.advised))
      found.push_back(std::move(one));
  }

  const Network &network;
  const Machine &machine;
  const Decisions &decisions;
  WhatIfOptions options;
  std::vector<LockFacts> facts;
  Context context;
  Assignment advised;
  double population;
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
  for (std::string item; std::getline(items, item, ',');) {
    const Expected<FixRequest> request = parseFix(item);
    if (!request)
      return Unexpected(request.error());
    result.push_back(*request);
  }
  if (result.empty() || text.back() == ',')
    return makeError("--what-if needs fixes, separated by commas");
  return result;
}

Expected<std::vector<WhatIf>> whatIfs(const Network &network, const Machine &machine,
                                      const Decisions &decisions, const WhatIfOptions &options) {
  return Asker(network, machine, decisions, options).ask();
}

} // namespace qdadvise
