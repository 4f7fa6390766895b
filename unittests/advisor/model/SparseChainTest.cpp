// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains whose distribution is known in closed form.
#include "advisor/model/numeric/SparseChain.h"

#include "advisor/model/numeric/Gth.h"
#include "advisor/model/numeric/SparseElimination.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <utility>

namespace qdadvise {

namespace {

/// A queue with room for `states` - 1 threads, which come at rate 1 and leave at rate 2.
SparseChain queueOf(std::size_t states) {
  SparseChain chain;
  for (std::size_t to = 0; to < states; ++to) {
    if (to > 0)
      chain.flows.push_back({to - 1, to, 1});
    if (to + 1 < states)
      chain.flows.push_back({to + 1, to, 2});
    chain.outflow.push_back((to > 0 ? 2 : 0) + (to + 1 < states ? 1 : 0));
  }
  return chain;
}

TEST(SparseChainTest, HalvesFromOnePlaceOfAQueueToTheNext) {
  const SparseChain chain = queueOf(10);
  const double all = 2 - std::ldexp(1, -9);
  for (const std::vector<std::size_t> &group :
       {std::vector<std::size_t>(), {0, 0, 0, 1, 1, 1, 1, 2, 2, 2}}) {
    const std::vector<double> found = stationaryOf(chain, group);
    ASSERT_EQ(found.size(), 10u);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i] * all * std::ldexp(1, static_cast<int>(i)), 1, 1e-8)
          << "place " << i << (group.empty() ? "" : ", in groups");
  }
}

/// States in a ring with some shortcuts, whose rates are up to 1e12 apart.
SparseChain stiffChain(std::mt19937_64 &random, std::size_t states) {
  std::map<std::pair<std::size_t, std::size_t>, double> rates; // by to and from
  const auto add = [&](std::size_t from, std::size_t to) {
    if (from != to)
      rates[{to, from}] += std::pow(10.0, std::uniform_real_distribution<double>(-9, 3)(random));
  };
  for (std::size_t i = 0; i < states; ++i) {
    add(i, (i + 1) % states);
    add(i, random() % states);
    add(i, (i + random() % 7) % states);
  }
  SparseChain chain{{}, std::vector<double>(states, 0)};
  for (const auto &[ends, rate] : rates) {
    chain.flows.push_back({ends.second, ends.first, rate});
    chain.outflow[ends.second] += rate;
  }
  return chain;
}

TEST(SparseChainTest, IsWhatEliminationSaysHoweverFarRatesAreApart) {
  std::mt19937_64 random(3);
  for (const std::size_t states : {2u, 30u, 100u, 300u})
    for (int i = 0; i < 10; ++i) {
      const SparseChain chain = stiffChain(random, states);
      EXPECT_TRUE(states < 30 || isStiff(chain));
      Matrix rates(states, std::vector<double>(states, 0));
      for (const auto &[from, to, rate] : chain.flows)
        rates[from][to] += rate;
      std::vector<std::size_t> all(states);
      std::iota(all.begin(), all.end(), 0);
      const std::vector<double> exact = stationary(rates, all), found = eliminated(chain, 1e9);
      ASSERT_EQ(found.size(), states) << "chain " << i << " of " << states << " states";
      double off = 0;
      for (std::size_t s = 0; s < states; ++s)
        off += std::abs(found[s] - exact[s]);
      EXPECT_LT(off, 1e-9) << "chain " << i << " of " << states << " states";
    }
}

TEST(SparseChainTest, IsNotEliminatedForEver) {
  EXPECT_FALSE(isStiff(queueOf(10)));
  EXPECT_EQ(eliminated(queueOf(1000), 1e6).size(), 1000u);
  EXPECT_TRUE(eliminated(queueOf(1000), 100).empty());
}

TEST(SparseChainTest, IsAlwaysInAnOnlyState) {
  EXPECT_EQ(stationaryOf({{}, {0}}, {}), std::vector<double>{1});
}

} // namespace

} // namespace qdadvise
