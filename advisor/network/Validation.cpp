// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/Validation.h"

#include "advisor/network/Phases.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace qdadvise {

namespace {

using Part = NetworkViolation::Part;
using Found = std::optional<NetworkViolation>;

Found violation(Part part, std::size_t index, std::string message) {
  return NetworkViolation{part, index, std::move(message)};
}

bool isTime(double value) { return std::isfinite(value) && value >= 0; }

/// What is wrong with a duration; "" where nothing is.
std::string durationFault(const Duration &duration, const char *what) {
  constexpr double longestNs = 1e100, mostCv = 1e50; // the square of what they make is a number
  if (!isTime(duration.mean) || duration.mean > longestNs)
    return fmt::format("the mean of '{}' must not be negative, nor more than {:g} ns", what,
                       longestNs);
  if (!isTime(duration.cv) || duration.cv > mostCv)
    return fmt::format("the cv of '{}' must not be negative, nor more than {:g}", what, mostCv);
  if (duration.skewness && !std::isfinite(*duration.skewness))
    return fmt::format("the skewness of '{}' must be finite", what);
  if (duration.skewness && *duration.skewness < leastSkewness(duration.cv) - 1e-9)
    return fmt::format(
        "with a cv of {:g} '{}' has a skewness of at least {:g}: a smaller one needs "
        "negative times",
        duration.cv, what, leastSkewness(duration.cv));
  if (duration.dist == Distribution::uniform && duration.cv > 1 / std::sqrt(3.0) + 1e-12)
    return fmt::format(
        "a uniform '{}' has a cv of at most 0.577: a larger one needs negative times", what);
  return "";
}

/// What is wrong with the lines of a footprint, "" if nothing.
std::string linesFault(const std::vector<Footprint::Lines> &rows, const char *what) {
  double last = -1;
  for (const Footprint::Lines &row : rows) {
    if (!isTime(row.readers) || !isTime(row.lines))
      return fmt::format("the numbers of '{}' must be finite and not negative", what);
    if (row.readers <= last)
      return fmt::format("the rows of '{}' must ascend in their first number", what);
    last = row.readers;
  }
  return "";
}

std::string chainedFault(double share) {
  return share >= 0 && share <= 1 ? "" : "'chained' must be a share, 0 to 1";
}

Found checkLocks(const Network &network) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < network.locks.size(); ++i) {
    const Lock &lock = network.locks[i];
    const auto bad = [&](const std::string &what) {
      return violation(Part::lock, i, fmt::format("lock '{}': {}", lock.name, what));
    };
    if (lock.name.empty())
      return violation(Part::lock, i, "a lock needs a name");
    if (!names.insert(lock.name).second)
      return bad("this name is used twice");
    if (lock.instances < 1)
      return bad("'instances' must be at least 1");
    if (!(lock.own >= 0 && lock.own <= 1))
      return bad(fmt::format("'own' is {:g}, which is no share", lock.own));
    if (lock.shares.size() > lock.instances)
      return bad(fmt::format("{} shares for {} instances", lock.shares.size(), lock.instances));
    double sum = 0;
    for (const double share : lock.shares) {
      if (!isTime(share) || share > 1)
        return bad("every share must lie between 0 and 1");
      sum += share;
    }
    if (sum > 1 + 1e-9)
      return bad(fmt::format("the shares sum to {:.12g}, which is more than 1", sum));
    if (lock.shares.size() == lock.instances && std::abs(sum - 1) > 1e-9)
      return bad(fmt::format("the shares of all instances sum to {:.12g} instead of 1", sum));
  }
  return std::nullopt;
}

Found checkSections(const Network &network) {
  std::set<std::string> names;
  const auto count = network.sections.size();
  if (count == 0)
    return violation(Part::network, 0, "the network has no section: nothing to predict");
  for (std::size_t i = 0; i < count; ++i) {
    const Section &section = network.sections[i];
    const auto bad = [&](const std::string &what) {
      return violation(Part::section, i, fmt::format("section '{}': {}", section.name, what));
    };
    if (section.name.empty())
      return violation(Part::section, i, "a section needs a name");
    if (!names.insert(section.name).second)
      return bad("this name is used twice");
    if (section.lock >= network.locks.size())
      return bad("its lock does not exist");
    if (const auto fault = durationFault(section.hold, "hold"); !fault.empty())
      return bad(fault);
    if (section.footprint)
      for (const auto &fault : {linesFault(section.footprint->read, "read"),
                                linesFault(section.footprint->written, "written"),
                                chainedFault(section.footprint->chained)})
        if (!fault.empty())
          return bad(fault);
    if (section.inside && *section.inside >= count)
      return bad("the section it is inside of does not exist");
    if (section.inside && !(std::isfinite(section.visits) && section.visits > 0))
      return bad("a nested section needs 'visits' per execution of the outer one, more than 0");
    if (!section.inside && section.visits != 0)
      return bad("'visits' belongs to a nested section: it needs 'inside'");
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t steps = 0;
    for (auto outer = network.sections[i].inside; outer; outer = network.sections[*outer].inside)
      if (*outer == i || ++steps > count)
        return violation(Part::section, i,
                         fmt::format("section '{}' is nested inside itself, through 'inside'",
                                     network.sections[i].name));
  }
  return std::nullopt;
}

Found checkClasses(const Network &network) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < network.classes.size(); ++i) {
    const ThreadClass &threads = network.classes[i];
    const auto bad = [&](const std::string &what) {
      return violation(Part::threadClass, i, fmt::format("class '{}': {}", threads.name, what));
    };
    if (threads.name.empty())
      return violation(Part::threadClass, i, "a class needs a name");
    if (!names.insert(threads.name).second)
      return bad("this name is used twice");
    if (threads.scales && !(std::isfinite(threads.weight) && threads.weight > 0))
      return bad("'weight' must be finite and more than 0");
    if (!threads.scales && !(threads.threads >= 1 && threads.threads <= 1e6 &&
                             threads.threads == std::floor(threads.threads)))
      return bad("'threads' must be a whole number of at least 1");
  }
  return std::nullopt;
}

Found checkTransitions(const Network &network) {
  struct Row {
    double sum = 0;
    std::size_t first = 0;
  };
  std::map<std::pair<std::size_t, std::size_t>, Row> rows; // by class and section
  std::set<std::pair<std::pair<std::size_t, std::size_t>, std::size_t>> seen;
  if (network.transitions.empty())
    return violation(Part::network, 0,
                     "the network has no transition: no thread ever takes a lock");
  for (std::size_t i = 0; i < network.transitions.size(); ++i) {
    const Transition &transition = network.transitions[i];
    const auto bad = [&](const std::string &what) { return violation(Part::transition, i, what); };
    if (transition.threadClass >= network.classes.size())
      return bad("the class of this transition does not exist");
    for (const auto end : {transition.from, transition.to}) {
      if (end >= network.sections.size())
        return bad("a section of this transition does not exist");
      if (network.sections[end].inside)
        return bad(fmt::format("section '{}' is nested: it has no transitions of its own",
                               network.sections[end].name));
    }
    if (!isTime(transition.probability) || transition.probability > 1 + 1e-9)
      return bad("'probability' must lie between 0 and 1");
    if (const auto fault = durationFault(transition.local, "local"); !fault.empty())
      return bad(fault);
    if (!isTime(transition.blockedNs))
      return bad("'blocked' must be finite and not negative");
    const std::pair key(transition.threadClass, transition.from);
    if (!seen.insert({key, transition.to}).second)
      return bad(fmt::format("the transition from '{}' to '{}' appears twice in class '{}'",
                             network.sections[transition.from].name,
                             network.sections[transition.to].name,
                             network.classes[transition.threadClass].name));
    rows.try_emplace(key, Row{0, i}).first->second.sum += transition.probability;
  }
  for (const auto &[key, row] : rows)
    if (std::abs(row.sum - 1) > 1e-9)
      return violation(Part::transition, row.first,
                       fmt::format("the probabilities from '{}' in class '{}' sum to {:.12g} "
                                   "instead of 1",
                                   network.sections[key.second].name,
                                   network.classes[key.first].name, row.sum));
  for (std::size_t i = 0; i < network.transitions.size(); ++i) {
    const Transition &transition = network.transitions[i];
    if (transition.probability > 0 && !rows.count({transition.threadClass, transition.to}))
      return violation(Part::transition, i,
                       fmt::format("section '{}' has no transition of class '{}' that leaves it",
                                   network.sections[transition.to].name,
                                   network.classes[transition.threadClass].name));
  }
  return std::nullopt;
}

/// Finds a cycle of transitions that takes no time: its throughput would be infinite.
Found checkZeroCycles(const Network &network) {
  const auto count = network.sections.size();
  std::vector<bool> takesTime(count);
  for (std::size_t i = 0; i < count; ++i)
    if (network.sections[i].hold.mean > 0) {
      takesTime[i] = true;
      for (auto outer = network.sections[i].inside; outer; outer = network.sections[*outer].inside)
        takesTime[*outer] = true;
    }
  for (std::size_t threads = 0; threads < network.classes.size(); ++threads) {
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> edges(count);
    for (std::size_t i = 0; i < network.transitions.size(); ++i) {
      const Transition &transition = network.transitions[i];
      if (transition.threadClass == threads && transition.probability > 0 &&
          transition.local.mean == 0 && transition.blockedNs == 0 && !takesTime[transition.to])
        edges[transition.from].push_back({transition.to, i});
    }
    // Depth first with an explicit stack, since profiles may have thousands of sections.
    std::vector<int> state(count, 0); // 0 new, 1 on the path, 2 done
    for (std::size_t root = 0; root < count; ++root) {
      if (state[root] != 0)
        continue;
      std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};
      state[root] = 1;
      while (!path.empty()) {
        auto &[section, next] = path.back();
        if (next == edges[section].size()) {
          state[section] = 2;
          path.pop_back();
          continue;
        }
        const auto [to, transition] = edges[section][next++];
        if (state[to] == 1)
          return violation(Part::transition, transition,
                           fmt::format("class '{}' can go round through section '{}' in no time: "
                                       "give a section or a transition of that cycle a time",
                                       network.classes[threads].name, network.sections[to].name));
        if (state[to] == 0) {
          state[to] = 1;
          path.push_back({to, 0});
        }
      }
    }
  }
  return std::nullopt;
}

/// What is wrong with what copies of the program took; "" where nothing is.
const char *copiesFault(const RunCopies &copies) {
  constexpr double mostSlowdown = 1e6, mostDeviation = 10;
  int last = 1;
  if (copies.rows.empty())
    return "the 'copies' of a run need 'slowdowns', one row at least";
  for (const RunCopies::Row &row : copies.rows) {
    if (row.copies <= last || row.copies > copies.processors)
      return "the 'slowdowns' of a run are of 2 copies or more, ascending, up to its 'processors'";
    if (!(row.slowdown > 0 && row.slowdown <= mostSlowdown))
      return "in a row of 'slowdowns', how many times the processor time a copy takes is above 0";
    if (!(row.deviation >= 0 && row.deviation <= mostDeviation))
      return "the deviation in a row of 'slowdowns' is from 0 to 10";
    last = row.copies;
  }
  return "";
}

Found checkRun(const Network &network) {
  const auto bad = [](const char *what) { return violation(Part::run, 0, what); };
  if (!network.run)
    return std::nullopt;
  if (!isTime(network.run->serialNs))
    return bad("the 'serial' time of a run must be finite and not negative");
  if (!isTime(network.run->parallelNs) || network.run->parallelNs == 0)
    return bad("a run needs a 'parallel' time, more than 0");
  if (network.run->threads < 1)
    return bad("a run has at least 1 of 'threads'");
  if (!(network.run->longestStretch >= 0 && network.run->longestStretch <= 1))
    return bad("the 'longest_stretch' of a run is a share of its parallel part, from 0 to 1");
  if (!(network.run->barrierStretch >= 0 && network.run->barrierStretch <= 1))
    return bad("the 'barrier_stretch' of a run is a share of its parallel part, from 0 to 1");
  if (!(network.run->ends >= 0 && network.run->ends <= 1))
    return bad("the 'ends' of a run are a share of its parallel part, from 0 to 1");
  if (!(network.run->openSerial >= 0 && network.run->openSerial <= 1))
    return bad("the 'open_serial' of a run is a share of its serial part, from 0 to 1");
  if (!(network.run->guessedStages >= 0 && network.run->guessedStages <= 1))
    return bad("the 'guessed_stages' of a run are a share of its parallel part, from 0 to 1");
  if (!isTime(network.run->barriers))
    return bad("the 'barriers' of a run are a finite number, not negative");
  if (!(network.run->fixedWork >= 0 && network.run->fixedWork <= 1))
    return bad("the 'fixed_work' of a run is a share of its parallel part, from 0 to 1");
  if (!(network.run->work >= network.run->fixedWork && std::isfinite(network.run->work)))
    return bad("the 'work' of a run has its 'fixed_work' in it");
  if (!isTime(network.run->computing))
    return bad("the 'computing' threads of a run are a finite number, not negative");
  if (!(network.run->processors >= 0 && network.run->processors <= network.run->computing))
    return bad("the 'processors' of a run are no more than its 'computing' threads");
  if (const std::string fault = network.run->copies ? copiesFault(*network.run->copies) : "";
      !fault.empty())
    return bad(fault.c_str());
  return std::nullopt;
}

/// What is wrong with the rows of a section or a transition for the network's phases, each of two
/// numbers; "" where nothing is.
template <typename Row>
std::string rowsFault(const std::vector<Row> &rows, double Row::*first, double Row::*second,
                      std::size_t phases) {
  if (!rows.empty() && rows.size() != phases)
    return fmt::format("{} rows of 'phases' for the network's {} phases", rows.size(), phases);
  for (const Row &row : rows)
    if (!isTime(row.*first) || !isTime(row.*second))
      return "the numbers of 'phases' must be finite and not negative";
  return "";
}

Found checkPhases(const Network &network) {
  double sum = 0;
  for (const double share : network.phases) {
    if (!(share > 0 && share <= 1))
      return violation(Part::network, 0, "every share of 'phases' must lie between 0 and 1");
    sum += share;
  }
  if (!network.phases.empty() && std::abs(sum - 1) > 1e-9)
    return violation(Part::network, 0,
                     fmt::format("the shares of 'phases' sum to {:.12g} instead of 1", sum));
  for (std::size_t i = 0; i < network.sections.size(); ++i) {
    const Section &section = network.sections[i];
    if (const std::string fault = rowsFault(section.phases, &SectionInPhase::hold,
                                            &SectionInPhase::visits, network.phases.size());
        !fault.empty())
      return violation(Part::section, i, fmt::format("section '{}': {}", section.name, fault));
  }
  for (std::size_t i = 0; i < network.transitions.size(); ++i) {
    if (std::string fault =
            rowsFault(network.transitions[i].phases, &TransitionInPhase::probability,
                      &TransitionInPhase::local, network.phases.size());
        !fault.empty())
      return violation(Part::transition, i, std::move(fault));
  }
  for (std::size_t phase = 0; phase < network.phases.size(); ++phase)
    if (auto found = findViolation(networkOfPhase(network, phase)))
      return violation(
          Part::network, 0,
          fmt::format("in phase {} of {}: {}", phase + 1, network.phases.size(), found->message));
  return std::nullopt;
}

} // namespace

std::optional<NetworkViolation> findViolation(const Network &network) {
  for (const auto check : {checkRun, checkLocks, checkSections, checkClasses, checkTransitions,
                           checkZeroCycles, checkPhases})
    if (auto found = check(network))
      return found;
  return std::nullopt;
}

std::optional<Error> validate(const Network &network) {
  if (const auto found = findViolation(network))
    return Error{found->message};
  return std::nullopt;
}

} // namespace qdadvise
