// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Markov chain over what every thread does (Markov.h): its states, what happens in them, and the
// measures. Derived classes say how time passes (PhaseChain.h, ClockChain.h).
#pragma once

#include "advisor/model/markov/Markov.h"
#include "advisor/model/numeric/SparseChain.h"
#include "advisor/model/workload/ClosedNetwork.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

namespace qdadvise {

class ThreadChain {
public:
  static constexpr double mostStates = 10'000;

  /// What a thread does.
  struct Task {
    enum Kind : std::uint16_t { computes, waits, served, helps, absent };
    Kind kind = absent;
    std::uint16_t at = 0; ///< the station of the network that it computes for, or its lock
    /// The phase of the computation or of the operation in service, or the units of time left.
    std::uint16_t phase = 0;

    auto operator<=>(const Task &) const = default;
  };

  /// The tasks in order. Those beyond the number of threads are absent. A thread that finds a QD
  /// lock free is `served` in its own operation, and `helps` while it serves others. At a lock that
  /// is handed to the next in line, threads that waited `help` themselves.
  using State = std::array<Task, mostMarkovThreads>;

  /// States with their probabilities, or rates.
  using Outcomes = std::vector<std::pair<State, double>>;

  /// The phases in which a time may begin, with their probabilities.
  using Beginning = std::vector<std::pair<std::size_t, double>>;

  /// One instance of a station of the network.
  struct ChainLock {
    std::size_t station;
    bool delegates;
    Beginning own;                  ///< of a thread that finds the lock free
    std::vector<Beginning> service; ///< with n threads at [n - 1]; the last one for all larger n

    const Beginning &serviceWith(std::size_t queueLength) const {
      return service[std::min(queueLength, service.size()) - 1];
    }
  };

  virtual ~ThreadChain() = default;

  /// Residence times, in units of time, and contention by station of the network. Empty if there
  /// are too many states, or if they are too many for rates that are far apart.
  std::vector<StationState> solve();

protected:
  ThreadChain(const ClosedNetwork &network, int threads)
      : network(network), threads(static_cast<std::size_t>(threads)) {}

  void addStation(std::size_t station, const Beginning &computation, const ChainLock &lock);

  /// Calls `arrive`, `finish` and `follows` for what may happen next in a state.
  virtual void proceed(const State &state) = 0;

  /// A thread that has computed for a station comes to any of its locks, all equally likely.
  void arrive(const State &state, const Task &old, double rate);
  /// The operation in service at a lock ends.
  void finish(const State &state, const Task &old, double rate);
  void follows(const Outcomes &more) { outcomes.insert(outcomes.end(), more.begin(), more.end()); }

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

  const ClosedNetwork &network;
  std::size_t threads;
  std::vector<ChainLock> locks;
  std::vector<Beginning> computing; ///< by station of the network
  bool irreducible = true;          ///< every state leads to every other

private:
  struct Arrival {
    std::size_t state, station;
    double rate;
    bool taken;
  };

  static Outcomes begun(const Outcomes &before, const Task &old, Task::Kind kind, std::size_t at,
                        const Beginning &beginning);
  Outcomes gone(const Outcomes &before, const Task &old, std::size_t station) const;
  bool enumerate();
  std::vector<std::size_t> groups() const;
  std::vector<StationState> measure(const std::vector<double> &probability) const;

  std::vector<std::size_t> first; ///< lock, by station of the network
  std::vector<State> states;
  std::size_t current = 0;
  Outcomes outcomes; ///< of the current state
  std::vector<Arrival> arrivals;
  SparseChain chain;
};

} // namespace qdadvise
