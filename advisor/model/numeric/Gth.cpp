// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/numeric/Gth.h"

#include <numeric>

namespace qdadvise {

double eliminate(Matrix &chain, std::size_t gone, const std::vector<std::size_t> &rest) {
  double leaving = 0;
  for (const auto to : rest)
    leaving += chain[gone][to];
  for (const auto from : rest) {
    if (chain[from][gone] == 0)
      continue;
    const double factor = chain[from][gone] / leaving;
    for (const auto to : rest)
      chain[from][to] += factor * chain[gone][to];
  }
  return leaving;
}

namespace {

/// Takes all states but the first out of the chain, the last one first. Returns the probability of
/// leaving each for those before it.
std::vector<double> eliminateAll(Matrix &chain, const std::vector<std::size_t> &states) {
  std::vector<double> leaving(states.size(), 1);
  std::vector<std::size_t> rest = states;
  for (std::size_t i = states.size(); i-- > 1;) {
    rest.pop_back();
    leaving[i] = eliminate(chain, states[i], rest);
  }
  return leaving;
}

} // namespace

std::vector<double> stationary(Matrix chain, const std::vector<std::size_t> &states) {
  const std::vector<double> leaving = eliminateAll(chain, states);
  std::vector<double> result(states.size(), 0);
  result[0] = 1;
  double sum = 1;
  for (std::size_t i = 1; i < states.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      result[i] += result[j] * chain[states[j]][states[i]];
    result[i] /= leaving[i];
    sum += result[i];
  }
  for (double &value : result)
    value /= sum;
  return result;
}

std::vector<double> stationaryMultiples(Matrix chain) {
  std::vector<double> leaving(chain.size(), 1);
  for (std::size_t gone = chain.size(); gone-- > 1;) {
    const double *out = chain[gone].data();
    leaving[gone] = std::accumulate(out, out + gone, 0.0);
    for (std::size_t from = 0; from < gone; ++from) {
      double *row = chain[from].data();
      if (row[gone] == 0)
        continue;
      // No list of states, unlike `eliminate`: the compiler makes vectors of it.
      const double factor = row[gone] / leaving[gone];
      for (std::size_t to = 0; to < gone; ++to)
        row[to] += factor * out[to];
    }
  }
  std::vector<double> result(chain.size(), 0);
  result[0] = 1;
  // This divides each flow, `stationary` the sum of them: predictions keep their last digits.
  for (std::size_t i = 1; i < chain.size(); ++i)
    for (std::size_t from = 0; from < i; ++from)
      result[i] += result[from] * (chain[from][i] / leaving[i]);
  return result;
}

} // namespace qdadvise
