// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/markov/ThreadChain.h"

#include "advisor/model/numeric/SparseElimination.h"

#include <tuple>
#include <unordered_map>

namespace qdadvise {

namespace {

using State = ThreadChain::State;
using Task = ThreadChain::Task;

struct StateHash {
  std::size_t operator()(const State &state) const {
    std::size_t hash = 0;
    for (const Task &task : state)
      hash = (hash ^ (static_cast<std::size_t>(task.kind) << 32 |
                      static_cast<std::size_t>(task.at) << 16 | task.phase)) *
             0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
  }
};

} // namespace

std::vector<StationState> ThreadChain::solve() {
  if (!enumerate())
    return {};
  constexpr double mostEliminationSteps = 2e8; // half a second
  const std::vector<double> probability = irreducible && isStiff(chain)
                                              ? eliminated(chain, mostEliminationSteps)
                                          : irreducible ? stationaryOf(chain, groups())
                                                        : stationaryOf(chain, {});
  return probability.empty() ? std::vector<StationState>() : measure(probability);
}

void ThreadChain::addStation(std::size_t station, const Beginning &computation,
                             const ChainLock &lock) {
  first.push_back(locks.size());
  computing.push_back(computation);
  for (int k = 0; k < static_cast<int>(network.stations[station].count); ++k)
    locks.push_back(lock);
}

void ThreadChain::arrive(const State &state, const Task &old, double rate) {
  const std::size_t station = old.at, begin = first[station];
  const auto count = static_cast<std::size_t>(network.stations[station].count);
  const double each = rate / static_cast<double>(count);
  for (std::size_t at = begin; at < begin + count; ++at) {
    const bool taken = present(state, at) > 0;
    arrivals.push_back({current, station, each, taken});
    Outcomes after{{state, each}};
    if (taken)
      replace(after.front().first, old, task(Task::waits, at));
    else
      after = begun(after, old, Task::served, at,
                    locks[at].own.empty() ? locks[at].serviceWith(1) : locks[at].own);
    follows(after);
  }
}

void ThreadChain::finish(const State &state, const Task &old, double rate) {
  const std::size_t at = old.at, queueLength = present(state, at);
  const ChainLock &lock = locks[at];
  const Outcomes before{{state, rate}};
  const Task waiter = task(Task::waits, at);
  if (!lock.delegates || queueLength == 1) {
    const Outcomes left = gone(before, old, lock.station);
    const Task::Kind next = lock.own.empty() ? Task::served : Task::helps;
    follows(queueLength == 1 ? left
                             : begun(left, waiter, next, at, lock.serviceWith(queueLength - 1)));
  } else if (old.kind == Task::served) { // its own operation: now it helps
    follows(begun(before, old, Task::helps, at, lock.serviceWith(queueLength)));
  } else {
    const Outcomes helped = gone(before, waiter, lock.station);
    follows(queueLength == 2
                ? gone(helped, old, lock.station)
                : begun(helped, old, Task::helps, at, lock.serviceWith(queueLength - 1)));
  }
}

/// In every state one thread that does `old` begins something else.
ThreadChain::Outcomes ThreadChain::begun(const Outcomes &before, const Task &old, Task::Kind kind,
                                         std::size_t at, const Beginning &beginning) {
  Outcomes after;
  for (const auto &[state, rate] : before)
    for (const auto &[phase, share] : beginning) {
      after.emplace_back(state, rate * share);
      replace(after.back().first, old, task(kind, at, phase));
    }
  return after;
}

/// One thread that does `old` leaves a lock and computes for the next one.
ThreadChain::Outcomes ThreadChain::gone(const Outcomes &before, const Task &old,
                                        std::size_t station) const {
  Outcomes after;
  for (std::size_t next = 0; next < computing.size(); ++next) {
    const double share = network.routing[station][next];
    if (share <= 0)
      continue;
    for (const auto &[state, rate] : begun(before, old, Task::computes, next, computing[next]))
      after.emplace_back(state, rate * share);
  }
  return after;
}

bool ThreadChain::enumerate() {
  State start;
  for (std::size_t i = 0; i < threads; ++i)
    start[i] = task(Task::computes, 0, computing.front().front().first);
  std::unordered_map<State, std::size_t, StateHash> index{{start, 0}};
  states = {start};
  for (std::size_t from = 0; from < states.size(); ++from) {
    current = from;
    outcomes.clear();
    proceed(State(states[from]));
    double leaving = 0;
    for (const auto &[to, rate] : outcomes) {
      const auto [place, isNew] = index.emplace(to, states.size());
      if (isNew)
        states.push_back(to);
      if (place->second == from)
        continue;
      leaving += rate;
      chain.flows.push_back({from, place->second, rate});
    }
    chain.outflow.push_back(leaving);
    if (static_cast<double>(states.size()) > mostStates)
      return false;
  }
  std::sort(chain.flows.begin(), chain.flows.end(),
            [](const SparseChain::Flow &a, const SparseChain::Flow &b) {
              return std::tie(a.to, a.from) < std::tie(b.to, b.from);
            });
  return true;
}

/// The group of each state. States that differ by phases alone are one group. Empty if there are
/// many.
std::vector<std::size_t> ThreadChain::groups() const {
  constexpr std::size_t most = 200;
  std::unordered_map<State, std::size_t, StateHash> index;
  std::vector<std::size_t> result;
  for (State state : states) {
    for (Task &task : state)
      task.phase = 0;
    std::sort(state.begin(), state.end());
    result.push_back(index.emplace(state, index.size()).first->second);
    if (index.size() > most)
      return {};
  }
  return result;
}

std::vector<StationState> ThreadChain::measure(const std::vector<double> &probability) const {
  std::vector<double> queueLength(computing.size(), 0), rate(queueLength), taken(queueLength);
  for (std::size_t s = 0; s < states.size(); ++s)
    for (const Task &task : states[s])
      if (task.kind != Task::computes && task.kind != Task::absent)
        queueLength[locks[task.at].station] += probability[s];
  for (const Arrival &arrival : arrivals) {
    rate[arrival.station] += probability[arrival.state] * arrival.rate;
    taken[arrival.station] += arrival.taken ? probability[arrival.state] * arrival.rate : 0;
  }
  std::vector<StationState> result;
  for (std::size_t i = 0; i < queueLength.size(); ++i)
    result.push_back({queueLength[i] / rate[i], taken[i] / rate[i]});
  return result;
}

} // namespace qdadvise
