// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/numeric/SparseElimination.h"

#include "advisor/model/numeric/Gth.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace qdadvise {

namespace {

/// What is left of a chain while states are taken out of it.
class Elimination {
public:
  explicit Elimination(const SparseChain &chain)
      : out(chain.outflow.size()), in(chain.outflow.size()), isGone(chain.outflow.size(), false),
        place(chain.outflow.size(), absent) {
    for (const auto &[from, to, rate] : chain.flows) {
      out[from].emplace_back(to, rate);
      in[to].push_back(from);
    }
    entries = chain.flows.size();
    for (std::size_t i = 0; i < out.size(); ++i)
      queue.emplace(waysThrough(i), i);
  }

  std::vector<double> solve(double mostSteps) {
    while (isSparse())
      if (!eliminate(next()) || steps > mostSteps)
        return {};
    if (steps + denseSteps() > mostSteps)
      return {};
    std::vector<double> result = ofThoseLeft();
    double sum = std::accumulate(result.begin(), result.end(), 0.0);
    if (!std::isfinite(sum))
      return {};
    for (auto state = gone.rbegin(); state != gone.rend(); ++state) {
      for (const auto &[from, share] : state->from)
        result[state->index] += result[from] * share;
      sum += result[state->index];
    }
    for (double &p : result)
      p /= sum;
    return result;
  }

private:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  std::size_t remaining() const { return out.size() - gone.size(); }

  /// Whether lists are quicker than a matrix: few of the states that are left lead to each other.
  bool isSparse() const { return remaining() > 1 && entries * 20 < remaining() * remaining(); }

  /// Steps of lists in the time that a matrix takes, each of whose steps takes a 24th of one.
  double denseSteps() const {
    const auto left = static_cast<double>(remaining());
    return left * left * left / 72;
  }

  /// The stationary distribution of the states that are left, as multiples of one of them.
  std::vector<double> ofThoseLeft() {
    std::vector<std::size_t> states;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!isGone[i]) {
        place[i] = states.size();
        states.push_back(i);
      }
    }
    Matrix chain(states.size(), std::vector<double>(states.size(), 0));
    for (std::size_t i = 0; i < states.size(); ++i)
      for (const auto &[to, rate] : out[states[i]])
        chain[i][place[to]] += rate;
    const std::vector<double> multiples = stationaryMultiples(std::move(chain));
    std::vector<double> result(out.size(), 0);
    for (std::size_t i = 0; i < states.size(); ++i)
      result[states[i]] = multiples[i];
    return result;
  }

  /// A state that is gone, with where threads came from. A share is a rate, over that of leaving
  /// it.
  struct Gone {
    std::size_t index;
    std::vector<std::pair<std::size_t, double>> from;
  };
  using Ways = std::pair<std::size_t, std::size_t>; ///< through a state, and the state

  std::size_t waysThrough(std::size_t state) const { return in[state].size() * out[state].size(); }

  std::size_t next() {
    for (;;) {
      const auto [ways, state] = queue.top();
      if (isGone[state]) {
        queue.pop();
        continue;
      }
      if (ways == waysThrough(state))
        return state;
      queue.pop(); // it has changed meanwhile
      queue.emplace(waysThrough(state), state);
    }
  }

  /// Takes the state out. False: nothing leads out of it.
  bool eliminate(std::size_t state) {
    isGone[state] = true;
    double leaving = 0;
    for (const auto &[to, rate] : out[state])
      leaving += rate;
    if (!(leaving > 0))
      return false;
    Gone record{state, {}};
    for (const std::size_t from : in[state]) {
      double rate = 0;
      auto &row = out[from];
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (row[k].first == state) {
          rate = row[k].second;
          row[k] = row.back();
          row.pop_back();
          --entries;
          break;
        }
      }
      record.from.emplace_back(from, rate / leaving);
      pass(from, rate / leaving, state);
    }
    for (const auto &[to, rate] : out[state])
      std::erase(in[to], state);
    entries -= out[state].size();
    out[state].clear();
    in[state].clear();
    gone.push_back(std::move(record));
    return true;
  }

  /// What went from a state to the one that is gone goes on to where that leads.
  void pass(std::size_t from, double share, std::size_t state) {
    auto &row = out[from];
    for (std::size_t k = 0; k < row.size(); ++k)
      place[row[k].first] = k;
    const std::size_t before = row.size();
    for (const auto &[to, rate] : out[state]) {
      if (to == from)
        continue;
      if (place[to] != absent) {
        row[place[to]].second += share * rate;
      } else {
        row.emplace_back(to, share * rate);
        in[to].push_back(from);
        ++entries;
      }
    }
    for (std::size_t k = 0; k < before; ++k)
      place[row[k].first] = absent;
    steps += static_cast<double>(before + out[state].size());
  }

  std::vector<std::vector<std::pair<std::size_t, double>>> out; ///< rates, by state
  std::vector<std::vector<std::size_t>> in;
  std::vector<bool> isGone;
  std::vector<std::size_t> place; ///< in the row at hand, by state
  std::vector<Gone> gone;
  std::priority_queue<Ways, std::vector<Ways>, std::greater<>> queue;
  std::size_t entries; ///< flows between states that are left
  double steps = 0;
};

} // namespace

std::vector<double> eliminated(const SparseChain &chain, double mostSteps) {
  return Elimination(chain).solve(mostSteps);
}

} // namespace qdadvise
