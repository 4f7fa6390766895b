// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that take several locks at once.
#include "advisor/network/construction/JointSections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using ::testing::ElementsAre;

/// A section at a place; an inner one is executed once.
std::size_t add(Network &network, std::size_t lock, std::uint32_t line, const char *expression,
                double holdNs, std::optional<std::size_t> inside = {}) {
  Section section;
  section.name = "section" + std::to_string(network.sections.size());
  section.lock = lock;
  section.hold = {holdNs, 1};
  section.inside = inside;
  section.visits = inside ? 1 : 0;
  section.site = SourceSite{"a.cpp", "f()", expression, line, 3};
  network.sections.push_back(section);
  if (!inside)
    network.transitions.push_back(
        {0, network.sections.size() - 1, network.sections.size() - 1, 1, {}, 0, 0});
  return network.sections.size() - 1;
}

Network withLocks(int count) {
  Network network;
  for (int i = 0; i < count; ++i)
    network.locks.emplace_back().name = static_cast<char>('a' + i);
  return network;
}

TEST(JointSections, OfBothOrdersGetOne) {
  Network network = withLocks(2);
  const std::size_t ab = add(network, 0, 10, "a", 1), b = add(network, 1, 10, "b", 300, ab);
  const std::size_t ba = add(network, 1, 20, "b", 1), a = add(network, 0, 20, "a", 300, ba);
  EXPECT_TRUE(isTakenTogether(network, b));
  EXPECT_FALSE(isTakenTogether(network, ab));
  add(network, 1, 30, "b", 50); // the second lock is busier
  EXPECT_THAT(orderJointSections(network), ElementsAre("b", "a"));
  for (const std::size_t outer : {ab, ba})
    EXPECT_EQ(network.sections[outer].lock, 1u);
  for (const std::size_t inner : {a, b}) {
    EXPECT_EQ(network.sections[inner].lock, 0u);
    EXPECT_EQ(network.sections[inner].site->expression, "a");
    EXPECT_EQ(network.sections[inner].hold.mean, 300);
  }
}

TEST(JointSections, FollowTheOrderThatOthersHave) {
  Network network = withLocks(2);
  const std::size_t ba = add(network, 1, 20, "b", 1);
  add(network, 0, 20, "a", 300, ba);
  add(network, 1, 30, "b", 500);
  add(network, 1, 41, "b", 10, add(network, 0, 40, "a", 10)); // b inside a, by itself
  EXPECT_THAT(orderJointSections(network), ElementsAre("a", "b"));
  EXPECT_EQ(network.sections[ba].lock, 0u);
}

TEST(JointSections, AreChains) {
  Network network = withLocks(3);
  const std::size_t c = add(network, 2, 10, "c", 1);
  const std::size_t a = add(network, 0, 10, "a", 1, c);
  const std::size_t b = add(network, 1, 10, "b", 90, a);
  add(network, 0, 30, "a", 900);
  add(network, 1, 31, "b", 290);
  EXPECT_THAT(orderJointSections(network), ElementsAre("a", "b", "c"));
  EXPECT_EQ(network.sections[c].lock, 0u);
  EXPECT_EQ(network.sections[a].lock, 1u);
  EXPECT_EQ(network.sections[b].lock, 2u);
}

TEST(JointSections, AreNotThoseOfOtherOperations) {
  Network network = withLocks(2);
  const std::size_t outer = add(network, 0, 10, "m", 1);
  add(network, 1, 10, "m", 300, outer); // a recursion: the same operation again
  const std::size_t other = add(network, 1, 20, "b", 1);
  add(network, 0, 21, "a", 300, other);
  EXPECT_TRUE(orderJointSections(network).empty());
  EXPECT_EQ(network.sections[other].lock, 1u);
}

} // namespace

} // namespace qdadvise
