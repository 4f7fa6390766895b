// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains whose distribution is known in closed form.
#include "advisor/model/numeric/SparseChain.h"

#include <cmath>
#include <gtest/gtest.h>

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

TEST(SparseChainTest, IsAlwaysInAnOnlyState) {
  EXPECT_EQ(stationaryOf({{}, {0}}, {}), std::vector<double>{1});
}

} // namespace

} // namespace qdadvise
