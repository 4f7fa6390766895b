// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/Markov.h"

#include "advisor/model/Decomposition.h"
#include "advisor/model/Prediction.h"
#include "advisor/model/Recursion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace qdadvise {

namespace {

constexpr double mostStates = 10'000;
constexpr double mostSteps = 2e7; ///< of the iteration, one a flow
/// Most phases of an operation in service and of a computation: the first that are affordable.
struct Fineness {
  int service, computation;
};
constexpr Fineness finenesses[] = {{24, 24}, {12, 12}, {8, 8}, {5, 5}, {10, 3}, {5, 3}};

/// What a thread does; equal ones are alike.
struct Task {
  enum Kind : std::uint16_t { computes, waits, served, helps, absent };
  Kind kind = absent;
  std::uint16_t at = 0; ///< station of the network computed for, or lock
  /// Of the computation or the operation in service; by the clock, units of time left.
  std::uint16_t phase = 0;

  auto operator<=>(const Task &) const = default;
};

/// In order; those beyond the number of threads are absent. Whoever finds a QD lock free is
/// `served` in its own operation and `helps` while it serves others; at a lock that is handed
/// over in line those who waited `help` themselves.
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

/// The phases in which a time may begin, with their probabilities.
using Beginning = std::vector<std::pair<std::size_t, double>>;

/// One instance of a station of the network.
struct ChainLock {
  std::size_t station;
  bool delegates;
  Beginning own;                  ///< of who finds the lock free
  std::vector<Beginning> service; ///< with n threads there, at [n - 1]; beyond the last, as there

  const Beginning &serviceWith(std::size_t there) const {
    return service[std::min(there, service.size()) - 1];
  }
};

/// The stationary distribution of an irreducible chain with these rates, by state reduction
/// (Grassmann, Taksar and Heyman 1985), in proportion.
std::vector<double> reduce(std::vector<std::vector<double>> rates) {
  for (std::size_t k = rates.size(); k-- > 1;) {
    double leaving = 0;
    for (std::size_t to = 0; to < k; ++to)
      leaving += rates[k][to];
    for (std::size_t from = 0; from < k; ++from) {
      if (rates[from][k] <= 0)
        continue;
      rates[from][k] /= leaving;
      for (std::size_t to = 0; to < k; ++to)
        rates[from][to] += rates[from][k] * rates[k][to];
    }
  }
  std::vector<double> result(rates.size(), 1);
  for (std::size_t k = 1; k < rates.size(); ++k) {
    result[k] = 0;
    for (std::size_t from = 0; from < k; ++from)
      result[k] += result[from] * rates[from][k];
  }
  return result;
}

/// States and what happens in them; how time passes is for those who derive from it.
class Chain {
public:
  virtual ~Chain() = default;

  /// Residence times, in units of time, and contention by station of the network; none where
  /// there are too many states.
  std::vector<StationState> solve() {
    if (!enumerate())
      return {};
    iterate();
    return measure();
  }

protected:
  Chain(const ClosedNetwork &network, int threads)
      : network(network), threads(static_cast<std::size_t>(threads)) {}

  void addStation(std::size_t station, const Beginning &computation, const ChainLock &lock) {
    first.push_back(locks.size());
    computing.push_back(computation);
    for (int k = 0; k < static_cast<int>(network.stations[station].count); ++k)
      locks.push_back(lock);
  }

  /// Says what may happen next in a state, by `arrive`, `finish` and `follows`.
  virtual void proceed(const State &state) = 0;

  static bool isActive(const Task &task) {
    return task.kind != Task::waits && task.kind != Task::absent;
  }
  static std::size_t present(const State &state, std::size_t lock) {
    return static_cast<std::size_t>(
        std::count_if(state.begin(), state.end(), [lock](const Task &task) {
          return task.kind != Task::computes && task.kind != Task::absent && task.at == lock;
        }));
  }
  static void replace(State &state, const Task &old, const Task &by) {
    *std::find(state.begin(), state.end(), old) = by;
    std::sort(state.begin(), state.end());
  }
  static Task task(Task::Kind kind, std::size_t at, std::size_t phase = 0) {
    return {kind, static_cast<std::uint16_t>(at), static_cast<std::uint16_t>(phase)};
  }
  void follows(const Outcomes &more) { outcomes.insert(outcomes.end(), more.begin(), more.end()); }

  /// A thread that has computed for a station comes to each of its locks alike.
  void arrive(const State &state, const Task &old, double rate) {
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

  /// The operation in service at a lock ends.
  void finish(const State &state, const Task &old, double rate) {
    const std::size_t at = old.at, there = present(state, at);
    const ChainLock &lock = locks[at];
    const Outcomes before{{state, rate}};
    const Task waiter = task(Task::waits, at);
    if (!lock.delegates || there == 1) {
      const Outcomes left = gone(before, old, lock.station);
      const Task::Kind next = lock.own.empty() ? Task::served : Task::helps;
      follows(there == 1 ? left : begun(left, waiter, next, at, lock.serviceWith(there - 1)));
    } else if (old.kind == Task::served) { // its own operation: now it helps
      follows(begun(before, old, Task::helps, at, lock.serviceWith(there)));
    } else {
      const Outcomes helped = gone(before, waiter, lock.station);
      follows(there == 2 ? gone(helped, old, lock.station)
                         : begun(helped, old, Task::helps, at, lock.serviceWith(there - 1)));
    }
  }

  const ClosedNetwork &network;
  std::size_t threads;
  std::vector<ChainLock> locks;
  std::vector<Beginning> computing; ///< by station of the network
  bool irreducible = true;          ///< every state comes back

private:
  struct Flow {
    std::size_t from, to;
    double rate;
  };
  struct Arrival {
    std::size_t state, station;
    double rate;
    bool taken;
  };

  /// In every state `old` begins with something else.
  static Outcomes begun(const Outcomes &before, const Task &old, Task::Kind kind, std::size_t at,
                        const Beginning &beginning) {
    Outcomes after;
    for (const auto &[state, rate] : before)
      for (const auto &[phase, share] : beginning) {
        after.emplace_back(state, rate * share);
        replace(after.back().first, old, task(kind, at, phase));
      }
    return after;
  }

  /// `old` leaves a lock and computes for the next.
  Outcomes gone(const Outcomes &before, const Task &old, std::size_t station) const {
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

  bool enumerate() {
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
        flows.push_back({from, place->second, rate});
      }
      outflow.push_back(leaving);
      if (static_cast<double>(states.size()) > mostStates)
        return false;
    }
    std::sort(flows.begin(), flows.end(), [](const Flow &a, const Flow &b) {
      return std::tie(a.to, a.from) < std::tie(b.to, b.from);
    });
    return true;
  }

  void iterate() {
    probability.assign(states.size(), 1.0 / static_cast<double>(states.size()));
    if (states.size() == 1)
      return;
    // Large chains are approximations by their phases already.
    const double tolerance = states.size() > 1000 ? 1e-8 : 1e-12;
    constexpr int sweepsBetween = 10;
    const std::vector<std::size_t> group = irreducible ? groups() : std::vector<std::size_t>();
    const double sweeps = std::min(5000.0, mostSteps / static_cast<double>(flows.size()));
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      if (!group.empty() && sweep % sweepsBetween == 0)
        weighGroups(group);
      double change = 0, sum = 0;
      auto flow = flows.begin();
      for (std::size_t i = 0; i < states.size(); ++i) {
        double in = 0;
        for (; flow != flows.end() && flow->to == i; ++flow)
          in += probability[flow->from] * flow->rate;
        in /= outflow[i];
        change += std::abs(in - probability[i]);
        sum += probability[i] = in;
      }
      for (double &p : probability)
        p /= sum;
      if (change <= tolerance * sum)
        break;
    }
  }

  /// By state, those that differ by phases alone being one group; none where they are many.
  std::vector<std::size_t> groups() const {
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

  /// Gives each group the probability that it has if all is right within the groups
  /// (Koury, McAllister and Stewart 1984).
  void weighGroups(const std::vector<std::size_t> &group) {
    const std::size_t count = *std::max_element(group.begin(), group.end()) + 1;
    std::vector<double> weight(count, 0);
    for (std::size_t i = 0; i < states.size(); ++i)
      weight[group[i]] += probability[i];
    std::vector<std::vector<double>> rates(count, std::vector<double>(count, 0));
    for (const auto &[from, to, rate] : flows)
      if (group[from] != group[to])
        rates[group[from]][group[to]] += probability[from] / weight[group[from]] * rate;
    const std::vector<double> right = reduce(std::move(rates));
    for (std::size_t i = 0; i < states.size(); ++i)
      probability[i] *= right[group[i]] / weight[group[i]];
    const double sum = std::accumulate(probability.begin(), probability.end(), 0.0);
    for (double &p : probability)
      p /= sum;
  }

  std::vector<StationState> measure() const {
    std::vector<double> there(computing.size(), 0), rate(there), taken(there);
    for (std::size_t s = 0; s < states.size(); ++s)
      for (const Task &task : states[s])
        if (task.kind != Task::computes && task.kind != Task::absent)
          there[locks[task.at].station] += probability[s];
    for (const Arrival &arrival : arrivals) {
      rate[arrival.station] += probability[arrival.state] * arrival.rate;
      taken[arrival.station] += arrival.taken ? probability[arrival.state] * arrival.rate : 0;
    }
    std::vector<StationState> result;
    for (std::size_t i = 0; i < there.size(); ++i)
      result.push_back({there[i] / rate[i], taken[i] / rate[i]});
    return result;
  }

  std::vector<std::size_t> first; ///< lock, by station of the network
  std::vector<State> states;
  std::size_t current = 0;
  Outcomes outcomes; ///< of the current state
  std::vector<Arrival> arrivals;
  std::vector<Flow> flows; ///< by where they go
  std::vector<double> outflow, probability;
};

/// Times are series of exponential phases.
class PhaseChain : public Chain {
public:
  PhaseChain(const ClosedNetwork &network, int threads, const PhaseFit &serviceFit,
             const PhaseFit &computationFit)
      : Chain(network, threads) {
    for (std::size_t i = 0; i < network.stations.size(); ++i) {
      const Approach &approach = network.approaches[i];
      stations.push_back(
          *isolatedStation(network.stations[i], network.machine, threads, serviceFit));
      computations.push_back(
          computationFit(std::max(approach.meanNs, leastNs), approach.cv2, approach.skewness));
      const IsolatedStation &station = stations.back();
      addStation(i, beginningOf(computations.back()),
                 {i, station.delegates, beginningOf(station.own), {beginningOf(station.service)}});
    }
  }

  /// How many states there are.
  double size() const {
    double places = 0;
    for (const PhaseType &phases : computations)
      places += static_cast<double>(phases.rates.size());
    // By the number of threads: the coefficients of a product of polynomials.
    std::vector<double> ways(threads + 1, 0);
    ways[0] = 1;
    for (std::size_t n = 1; n <= threads; ++n)
      ways[n] = ways[n - 1] * (places + static_cast<double>(n) - 1) / static_cast<double>(n);
    for (const ChainLock &lock : locks) {
      const IsolatedStation &station = stations[lock.station];
      const auto served = static_cast<double>(station.service.rates.size());
      const auto own = static_cast<double>(station.own.rates.size());
      for (std::size_t n = threads; n > 0; --n)
        for (std::size_t there = 1; there <= n; ++there)
          ways[n] += ways[n - there] * (own + (lock.delegates && there == 1 ? 0 : served));
    }
    return ways[threads];
  }

private:
  static Beginning beginningOf(const PhaseType &phases) {
    Beginning result;
    for (std::size_t j = 0; j < phases.begin.size(); ++j)
      if (phases.begin[j] > 0)
        result.emplace_back(j, phases.begin[j]);
    return result;
  }

  void proceed(const State &state) override {
    for (std::size_t i = 0; i < threads; ++i) {
      const Task &old = state[i];
      if (!isActive(old) || (i > 0 && state[i - 1] == old))
        continue;
      const bool computes = old.kind == Task::computes;
      const IsolatedStation &station = stations[computes ? old.at : locks[old.at].station];
      const bool own = old.kind == Task::served && !locks[old.at].own.empty();
      const PhaseType &phases = computes ? computations[old.at]
                                : own    ? station.own
                                         : station.service;
      double rate = phases.rates[old.phase] *
                    static_cast<double>(std::count(state.begin(), state.end(), old));
      if (!computes && !own)
        rate *= station.speed[std::min(present(state, old.at), station.speed.size()) - 1];
      const double onward = phases.onward[old.phase];
      if (onward > 0) {
        State after = state;
        replace(after, old, task(old.kind, old.at, old.phase + 1u));
        follows({{after, rate * onward}});
      }
      if (onward < 1 && computes)
        arrive(state, old, rate * (1 - onward));
      else if (onward < 1)
        finish(state, old, rate * (1 - onward));
    }
  }

  std::vector<IsolatedStation> stations; ///< by station of the network
  std::vector<PhaseType> computations;
};

/// Times do not vary: only the routing is random. A state lasts until the first who is due;
/// that it is left at random times of that mean changes no share of time.
class ClockChain : public Chain {
public:
  /// The longest time has `units` units.
  ClockChain(const ClosedNetwork &network, int threads, int units) : Chain(network, threads) {
    irreducible = false;
    struct Times {
      bool delegates = false;
      double ownNs = 0;
      std::vector<double> serviceNs;
    };
    std::vector<Times> times;
    double longestNs = leastNs;
    for (std::size_t i = 0; i < network.stations.size(); ++i) {
      const auto station = *isolatedStation(network.stations[i], network.machine, threads, fitTwo);
      Times &each = times.emplace_back();
      each.delegates = station.delegates;
      each.ownNs = station.own.rates.empty() ? 0 : meanNs(station.own);
      for (const double speed : station.speed)
        each.serviceNs.push_back(meanNs(station.service) / speed);
      longestNs = std::max({longestNs, each.ownNs, network.approaches[i].meanNs,
                            *std::max_element(each.serviceNs.begin(), each.serviceNs.end())});
    }
    unitNs = longestNs / units;
    for (std::size_t i = 0; i < times.size(); ++i) {
      ChainLock lock{i, times[i].delegates, {}, {}};
      if (times[i].ownNs > 0)
        lock.own = after(times[i].ownNs);
      for (const double each : times[i].serviceNs)
        lock.service.push_back(after(each));
      addStation(i, after(network.approaches[i].meanNs), lock);
    }
  }

  static bool describes(const ClosedNetwork &network) {
    for (std::size_t i = 0; i < network.stations.size(); ++i)
      if (network.stations[i].load.cv2 > 0 || network.approaches[i].cv2 > 0)
        return false;
    return true;
  }

  double unitNs = 0;

private:
  Beginning after(double ns) const {
    return {{static_cast<std::size_t>(std::lround(ns / unitNs)), 1}};
  }

  void proceed(const State &state) override {
    State then = state;
    std::uint16_t passed = UINT16_MAX;
    for (const Task &task : then)
      if (isActive(task))
        passed = std::min(passed, task.phase);
    for (Task &task : then)
      if (isActive(task))
        task.phase = static_cast<std::uint16_t>(task.phase - passed);
    std::sort(then.begin(), then.end());
    // Who leaves goes before who comes.
    const Task due = *std::find_if(then.rbegin(), then.rend(), [](const Task &task) {
      return isActive(task) && task.phase == 0;
    });
    const double rate = 1 / std::max(1e-6, static_cast<double>(passed));
    if (due.kind == Task::computes)
      arrive(then, due, rate);
    else
      finish(then, due, rate);
  }
};

/// By the clock, in units that are as fine as is affordable.
std::vector<StationState> solveByClock(const ClosedNetwork &network, int threads) {
  for (const int units : {60'000, 1000, 200, 50, 20}) {
    ClockChain chain(network, threads, units);
    std::vector<StationState> stations = chain.solve();
    for (StationState &state : stations)
      state.residenceNs *= chain.unitNs;
    if (!stations.empty())
      return stations;
  }
  return {};
}

/// With as many phases as are affordable.
std::vector<StationState> solveByPhases(const ClosedNetwork &network, int threads) {
  for (const auto &[service, computation] : finenesses) {
    bool raised = false;
    // A squared coefficient of variation that is beyond these phases, so many times as far.
    const auto fit = [&raised](int phases, double times) {
      const double least = 1.0 / std::min(phases, 20);
      return [&raised, least, phases, times](double meanNs, double cv2, double skewness) {
        raised = raised || cv2 < least;
        return fitPhases(meanNs, cv2 < least ? cv2 + times * (least - cv2) : cv2, skewness, phases);
      };
    };
    PhaseChain chain(network, threads, fit(service, 1), fit(computation, 1));
    if (chain.size() > mostStates)
      continue;
    std::vector<StationState> stations = chain.solve();
    if (!raised)
      return stations;
    const std::vector<StationState> farther =
        PhaseChain(network, threads, fit(service, 2), fit(computation, 2)).solve();
    for (std::size_t i = 0; i < stations.size(); ++i) {
      StationState &state = stations[i];
      // Whatever else, nobody is at a lock for less than it takes alone.
      state.residenceNs =
          std::max(2 * state.residenceNs - farther[i].residenceNs, network.stations[i].load.holdNs);
      state.contention = std::clamp(2 * state.contention - farther[i].contention, 0.0, 1.0);
    }
    return stations;
  }
  return {};
}

/// How long releases keep their threads at each lock, per visit that finds it taken.
std::vector<double> releaseTimes(const ClosedNetwork &network, int threads) {
  std::vector<double> result;
  for (const LockStation &lock : network.stations)
    result.push_back(isolatedStation(lock, network.machine, threads, fitTwo)->releaseNs);
  return result;
}

/// Releases are over before what comes next begins: on the mean, at the contention that the mean
/// value recursion has. And where lines are, as that has it.
Expected<ClosedNetwork> withEstimates(ClosedNetwork network, const std::vector<double> &releaseNs,
                                      int threads) {
  const auto estimate = solveRecursion(network, {threads});
  if (!estimate)
    return tl::unexpected(estimate.error());
  double visits = 0, ns = 0;
  for (std::size_t i = 0; i < releaseNs.size(); ++i) {
    const double each = network.stations[i].count * network.stations[i].visits;
    visits += each;
    ns += each * estimate->front().stations[i].contention * releaseNs[i];
    network.stations[i].load.elsewhere = estimate->front().stations[i].elsewhere;
  }
  for (Approach &approach : network.approaches)
    approach.meanNs += ns / visits;
  return network;
}

Expected<NetworkState> solve(const ClosedNetwork &given, int threads) {
  const std::vector<double> releaseNs = releaseTimes(given, threads);
  const auto extended = withEstimates(given, releaseNs, threads);
  if (!extended)
    return tl::unexpected(extended.error());
  const ClosedNetwork &network = *extended;
  std::vector<StationState> stations;
  if (ClockChain::describes(network))
    stations = solveByClock(network, threads);
  if (stations.empty())
    stations = solveByPhases(network, threads);
  if (stations.empty())
    return makeError(fmt::format("model 'markov': too many states with {} threads and {} locks",
                                 threads, network.stations.size()));
  double cycleNs = network.delayNs + network.computeNs;
  for (std::size_t i = 0; i < stations.size(); ++i) {
    stations[i].residenceNs += stations[i].contention * releaseNs[i];
    cycleNs += network.stations[i].count * network.stations[i].visits * stations[i].residenceNs;
  }
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
