// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/Markov.h"

#include "advisor/model/Decomposition.h"
#include "advisor/model/Prediction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <unordered_map>
#include <utility>

namespace qdadvise {

namespace {

constexpr double mostStates = 20'000;
/// Phases of a time, the finest that is affordable; less says too little.
constexpr int phaseCounts[] = {24, 12, 8, 5};

/// What a thread does; equal ones are alike.
struct Task {
  enum Kind : std::uint16_t { computes, waits, served, helps, absent };
  Kind kind = absent;
  std::uint16_t at = 0;    ///< station of the network computed for, or lock
  std::uint16_t phase = 0; ///< of the computation, or of the operation in service

  auto operator<=>(const Task &) const = default;
};

/// In order; those beyond the number of threads are absent. Whoever is first served by a QD
/// lock is `served` in its own operation and `helps` while it serves others.
using State = std::array<Task, mostMarkovThreads>;

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

/// States with their probabilities, or rates.
using Outcomes = std::vector<std::pair<State, double>>;

/// One instance of a station of the network.
struct ChainLock {
  std::size_t station;
  IsolatedStation service;
  bool delegates() const { return !service.own.rates.empty(); }
};

class Chain {
public:
  Chain(const ClosedNetwork &network, int threads, const PhaseFit &fit)
      : network(network), threads(static_cast<std::size_t>(threads)) {
    for (std::size_t i = 0; i < network.stations.size(); ++i) {
      const LockStation &station = network.stations[i];
      const Approach &approach = network.approaches[i];
      first.push_back(locks.size());
      for (int k = 0; k < static_cast<int>(station.count); ++k)
        locks.push_back({i, *isolatedStation(station, network.machine, threads, fit)});
      computing.push_back(fit(std::max(approach.meanNs, leastNs), approach.cv2, approach.skewness));
    }
  }

  /// How many states there are.
  double size() const {
    double places = 0;
    for (const PhaseType &phases : computing)
      places += static_cast<double>(phases.rates.size());
    // By the number of threads: the coefficients of a product of polynomials.
    std::vector<double> ways(threads + 1, 0);
    ways[0] = 1;
    for (std::size_t n = 1; n <= threads; ++n)
      ways[n] = ways[n - 1] * (places + static_cast<double>(n) - 1) / static_cast<double>(n);
    for (const ChainLock &lock : locks) {
      const auto served = static_cast<double>(lock.service.service.rates.size());
      const auto own = static_cast<double>(lock.service.own.rates.size());
      for (std::size_t n = threads; n > 0; --n)
        for (std::size_t there = 1; there <= n; ++there)
          ways[n] += ways[n - there] * (lock.delegates() ? own + (there > 1 ? served : 0) : served);
    }
    return ways[threads];
  }

  /// Residence times and contention by station of the network.
  std::vector<StationState> solve() {
    enumerate();
    iterate();
    return measure();
  }

private:
  struct Flow {
    std::size_t from;
    double rate;
  };

  static void replace(State &state, const Task &old, const Task &by) {
    *std::find(state.begin(), state.end(), old) = by;
    std::sort(state.begin(), state.end());
  }
  static bool isAt(const Task &task, std::size_t lock) {
    return task.kind != Task::computes && task.kind != Task::absent && task.at == lock;
  }
  static std::size_t present(const State &state, std::size_t lock) {
    return static_cast<std::size_t>(std::count_if(
        state.begin(), state.end(), [lock](const Task &task) { return isAt(task, lock); }));
  }
  static Task task(Task::Kind kind, std::size_t at, std::size_t phase = 0) {
    return {kind, static_cast<std::uint16_t>(at), static_cast<std::uint16_t>(phase)};
  }

  /// In every state `old` becomes `kind` in one of the phases that a time begins with.
  static Outcomes begin(const Outcomes &before, const Task &old, Task::Kind kind, std::size_t at,
                        const PhaseType &phases) {
    Outcomes after;
    for (const auto &[state, rate] : before)
      for (std::size_t j = 0; j < phases.begin.size(); ++j)
        if (phases.begin[j] > 0) {
          after.emplace_back(state, rate * phases.begin[j]);
          replace(after.back().first, old, task(kind, at, j));
        }
    return after;
  }

  /// `old` leaves a lock and computes for the next.
  Outcomes leave(const Outcomes &before, const Task &old, std::size_t station) const {
    Outcomes after;
    for (std::size_t next = 0; next < computing.size(); ++next) {
      const double share = network.routing[station][next];
      if (share <= 0)
        continue;
      for (auto &[state, rate] : begin(before, old, Task::computes, next, computing[next]))
        after.emplace_back(state, rate * share);
    }
    return after;
  }

  /// `waiter` becomes the one that is served, where there is one.
  static Outcomes serve(const Outcomes &before, std::size_t at, const ChainLock &lock) {
    return begin(before, task(Task::waits, at), Task::served, at, lock.service.service);
  }

  /// A thread that has computed for `station` comes to each of its locks alike.
  Outcomes arrive(const State &state, const Task &old, std::size_t station, double rate) const {
    Outcomes after;
    const double count = network.stations[station].count;
    for (std::size_t at = first[station]; at < first[station] + static_cast<std::size_t>(count);
         ++at) {
      const ChainLock &lock = locks[at];
      const Outcomes before{{state, rate / count}};
      if (present(state, at) == 0) {
        const PhaseType &phases = lock.delegates() ? lock.service.own : lock.service.service;
        for (auto &outcome : begin(before, old, Task::served, at, phases))
          after.push_back(outcome);
      } else {
        after.push_back(before.front());
        replace(after.back().first, old, task(Task::waits, at));
      }
    }
    return after;
  }

  /// The operation in service at a lock ends.
  Outcomes finish(const State &state, const Task &old, double rate) const {
    const std::size_t at = old.at, there = present(state, at);
    const ChainLock &lock = locks[at];
    const Outcomes before{{state, rate}};
    const Task waiter = task(Task::waits, at);
    if (!lock.delegates() || there == 1) {
      const Outcomes left = leave(before, old, lock.station);
      return there == 1 ? left : serve(left, at, lock);
    }
    if (old.kind == Task::served) // its own operation: now it helps
      return begin(before, old, Task::helps, at, lock.service.service);
    const Outcomes helped = leave(before, waiter, lock.station);
    return there == 2 ? leave(helped, old, lock.station)
                      : begin(helped, old, Task::helps, at, lock.service.service);
  }

  /// Where a state goes, at what rates.
  Outcomes outcomes(const State &state) const {
    Outcomes all;
    for (std::size_t i = 0; i < threads; ++i) {
      const Task &old = state[i];
      if (old.kind == Task::waits || (i > 0 && state[i - 1] == old))
        continue;
      const PhaseType *phases = &computing[old.kind == Task::computes ? old.at : 0];
      double speed = static_cast<double>(std::count(state.begin(), state.end(), old));
      if (old.kind != Task::computes) {
        const ChainLock &lock = locks[old.at];
        const bool own = lock.delegates() && old.kind == Task::served;
        phases = own ? &lock.service.own : &lock.service.service;
        const std::vector<double> &speeds = lock.service.speed;
        if (!own)
          speed = speeds[std::min(present(state, old.at), speeds.size()) - 1];
      }
      const double rate = speed * phases->rates[old.phase], onward = phases->onward[old.phase];
      if (onward > 0) {
        all.emplace_back(state, rate * onward);
        replace(all.back().first, old, task(old.kind, old.at, old.phase + 1u));
      }
      if (onward < 1)
        for (auto &outcome : old.kind == Task::computes
                                 ? arrive(state, old, old.at, rate * (1 - onward))
                                 : finish(state, old, rate * (1 - onward)))
          all.push_back(outcome);
    }
    return all;
  }

  void enumerate() {
    State start;
    for (std::size_t i = 0; i < threads; ++i)
      start[i] = task(Task::computes, 0, firstPhase(computing.front()));
    std::unordered_map<State, std::size_t, StateHash> index{{start, 0}};
    states = {start};
    for (std::size_t from = 0; from < states.size(); ++from) {
      double leaving = 0;
      for (const auto &[to, rate] : outcomes(State(states[from]))) {
        const auto [place, isNew] = index.emplace(to, states.size());
        if (isNew)
          states.push_back(to);
        if (inflows.size() < states.size())
          inflows.resize(states.size());
        if (place->second == from)
          continue;
        leaving += rate;
        inflows[place->second].push_back({from, rate});
      }
      outflow.push_back(leaving);
    }
    inflows.resize(states.size());
  }
  static std::size_t firstPhase(const PhaseType &phases) {
    return static_cast<std::size_t>(std::max_element(phases.begin.begin(), phases.begin.end()) -
                                    phases.begin.begin());
  }

  void iterate() {
    probability.assign(states.size(), 1.0 / static_cast<double>(states.size()));
    if (states.size() == 1)
      return;
    for (int sweep = 0; sweep < 5000; ++sweep) {
      double change = 0, sum = 0;
      for (std::size_t i = 0; i < states.size(); ++i) {
        double in = 0;
        for (const auto &[from, rate] : inflows[i])
          in += probability[from] * rate;
        in /= outflow[i];
        change += std::abs(in - probability[i]);
        sum += probability[i] = in;
      }
      for (double &p : probability)
        p /= sum;
      if (change <= 1e-12 * sum)
        break;
    }
  }

  std::vector<StationState> measure() const {
    std::vector<double> there(computing.size(), 0), arrivals(there), contended(there);
    for (std::size_t s = 0; s < states.size(); ++s) {
      const State &state = states[s];
      for (const Task &task : state) {
        if (task.kind == Task::absent)
          continue;
        if (task.kind != Task::computes) {
          there[locks[task.at].station] += probability[s];
          continue;
        }
        const PhaseType &phases = computing[task.at];
        const double rate =
            probability[s] * phases.rates[task.phase] * (1 - phases.onward[task.phase]);
        const auto count = static_cast<std::size_t>(network.stations[task.at].count);
        std::size_t taken = 0;
        for (std::size_t at = first[task.at]; at < first[task.at] + count; ++at)
          taken += present(state, at) > 0;
        arrivals[task.at] += rate;
        contended[task.at] += rate * static_cast<double>(taken) / static_cast<double>(count);
      }
    }
    std::vector<StationState> result;
    for (std::size_t i = 0; i < there.size(); ++i)
      result.push_back({there[i] / arrivals[i], contended[i] / arrivals[i]});
    return result;
  }

  const ClosedNetwork &network;
  std::size_t threads;
  std::vector<ChainLock> locks;
  std::vector<std::size_t> first; ///< lock, by station of the network
  std::vector<PhaseType> computing;
  std::vector<State> states;
  std::vector<std::vector<Flow>> inflows;
  std::vector<double> outflow, probability;
};

/// Where every time is always the same and each lock is followed by one: what happens until
/// it recurs.
class Clockwork {
public:
  Clockwork(const ClosedNetwork &network, int count) : network(network) {
    for (std::size_t i = 0; i < network.stations.size(); ++i) {
      locks.push_back(*isolatedStation(network.stations[i], network.machine, count, fitTwo));
      const std::vector<double> &row = network.routing[i];
      next.push_back(
          static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
    for (int i = 0; i < count; ++i)
      compute(threads.emplace_back(), 0);
    sums.resize(locks.size());
  }

  static bool describes(const ClosedNetwork &network) {
    for (std::size_t i = 0; i < network.stations.size(); ++i)
      if (network.stations[i].load.cv2 > 0 || network.approaches[i].cv2 > 0 ||
          network.stations[i].count != 1 ||
          *std::max_element(network.routing[i].begin(), network.routing[i].end()) < 1)
        return false;
    return true;
  }

  std::vector<StationState> solve() {
    constexpr int mostEvents = 20'000;
    std::map<std::vector<std::pair<int, long long>>, std::vector<Sums>> seen;
    std::vector<Sums> since = sums;
    for (int event = 0; event < mostEvents; ++event) {
      step();
      const auto [before, isNew] = seen.emplace(situation(), sums);
      if (!isNew && visitsSince(before->second)) {
        since = before->second;
        break;
      }
      // What does not recur is a mean over the second half.
      if (event == mostEvents / 2)
        since = sums;
    }
    std::vector<StationState> result;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double arrivals = sums[i].arrivals - since[i].arrivals;
      result.push_back({(sums[i].threadNs - since[i].threadNs) / arrivals,
                        (sums[i].contended - since[i].contended) / arrivals});
    }
    return result;
  }

private:
  struct Thread {
    Task::Kind kind = Task::absent;
    std::size_t at = 0;
    double leftNs = 0;
  };
  struct Sums {
    double threadNs = 0, arrivals = 0, contended = 0;
  };

  bool visitsSince(const std::vector<Sums> &before) const {
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (sums[i].arrivals <= before[i].arrivals)
        return false;
    return true;
  }
  /// All that the future depends on, in picoseconds.
  std::vector<std::pair<int, long long>> situation() const {
    std::vector<std::pair<int, long long>> result;
    for (const Thread &thread : threads)
      result.emplace_back(static_cast<int>(thread.kind + Task::absent * thread.at),
                          thread.kind == Task::waits ? 0 : std::llround(thread.leftNs * 1000));
    std::sort(result.begin(), result.end());
    return result;
  }
  std::size_t present(std::size_t at) const {
    return static_cast<std::size_t>(std::count_if(threads.begin(), threads.end(), [at](auto &one) {
      return one.kind != Task::computes && one.at == at;
    }));
  }
  void compute(Thread &thread, std::size_t station) const {
    thread = {Task::computes, station, network.approaches[station].meanNs};
  }
  void serve(Thread &thread, Task::Kind kind, bool own) const {
    const IsolatedStation &lock = locks[thread.at];
    thread.kind = kind;
    thread.leftNs = own ? meanNs(lock.own)
                        : meanNs(lock.service) /
                              lock.speed[std::min(present(thread.at), lock.speed.size()) - 1];
  }
  Thread *waiterAt(std::size_t at) {
    for (Thread &thread : threads)
      if (thread.kind == Task::waits && thread.at == at)
        return &thread;
    return nullptr;
  }

  void step() {
    Thread *due = nullptr;
    for (Thread &thread : threads)
      if (thread.kind != Task::waits && (!due || thread.leftNs < due->leftNs))
        due = &thread;
    const double passed = due->leftNs;
    for (Thread &thread : threads) {
      if (thread.kind != Task::computes)
        sums[thread.at].threadNs += passed;
      thread.leftNs -= passed;
    }
    const std::size_t at = due->at, there = present(at);
    const bool delegates = !locks[at].own.rates.empty();
    if (due->kind == Task::computes) {
      ++sums[at].arrivals;
      sums[at].contended += there > 0;
      due->kind = Task::waits;
      if (there == 0)
        serve(*due, Task::served, delegates);
      return;
    }
    Thread *waiter = waiterAt(at);
    if (delegates && due->kind == Task::served && waiter)
      return serve(*due, Task::helps, false);
    if (delegates && waiter) {
      compute(*waiter, next[at]);
      if (there > 2)
        return serve(*due, Task::helps, false);
      waiter = nullptr;
    }
    compute(*due, next[at]);
    if (waiter)
      serve(*waiter, Task::served, false);
  }

  const ClosedNetwork &network;
  std::vector<IsolatedStation> locks;
  std::vector<std::size_t> next;
  std::vector<Thread> threads;
  std::vector<Sums> sums;
};

Expected<NetworkState> solve(const ClosedNetwork &network, int threads) {
  std::vector<StationState> stations;
  if (Clockwork::describes(network)) {
    stations = Clockwork(network, threads).solve();
  } else {
    for (const int phases : phaseCounts) {
      const double least = 1.0 / std::min(phases, 20);
      bool raised = false;
      const auto fit = [&](double times) {
        return [&raised, least, phases, times](double meanNs, double cv2, double skewness) {
          raised = raised || cv2 < least;
          return fitPhases(meanNs, cv2 < least ? cv2 + times * (least - cv2) : cv2, skewness,
                           phases);
        };
      };
      Chain chain(network, threads, fit(1));
      if (chain.size() > mostStates)
        continue;
      stations = chain.solve();
      if (raised) {
        const std::vector<StationState> farther = Chain(network, threads, fit(2)).solve();
        for (std::size_t i = 0; i < stations.size(); ++i) {
          StationState &state = stations[i];
          // Whatever else, nobody is at a lock for less than it takes alone.
          state.residenceNs = std::max(2 * state.residenceNs - farther[i].residenceNs,
                                       network.stations[i].load.holdNs);
          state.contention = std::clamp(2 * state.contention - farther[i].contention, 0.0, 1.0);
        }
      }
      break;
    }
  }
  if (stations.empty())
    return makeError(fmt::format("model 'markov': too many states with {} threads and {} locks",
                                 threads, network.stations.size()));
  double cycleNs = network.delayNs + network.computeNs;
  for (std::size_t i = 0; i < stations.size(); ++i)
    cycleNs += network.stations[i].count * network.stations[i].visits * stations[i].residenceNs;
  return NetworkState{threads, threads / cycleNs, std::move(stations)};
}

/// Why the network has no such chain; "" if it has.
std::string fault(const ClosedNetwork &network, int threads) {
  if (threads > mostMarkovThreads)
    return fmt::format("for up to {} threads", mostMarkovThreads);
  if (network.routing.empty())
    return "for one class of threads, a core for each, and no nested sections";
  for (const LockStation &lock : network.stations) {
    if (!isolatedStation(lock, network.machine, threads, fitTwo))
      return fmt::format("not for lock algorithm '{}'", lock.kind);
    if (lock.count != std::floor(lock.count))
      return "for whole locks";
  }
  return "";
}

} // namespace

Expected<std::vector<NetworkState>> solveMarkov(const ClosedNetwork &network,
                                                const std::vector<int> &threads) {
  for (const LockStation &lock : network.stations)
    if (const auto missing = missingFigure(lock.kind, network.machine))
      return tl::unexpected(*missing);
  if (const std::string why = fault(network, threads.back()); !why.empty())
    return makeError("model 'markov' is " + why);
  std::vector<NetworkState> result;
  for (const int count : threads) {
    auto state = solve(network, count);
    if (!state)
      return tl::unexpected(state.error());
    result.push_back(std::move(*state));
  }
  return result;
}

} // namespace qdadvise
