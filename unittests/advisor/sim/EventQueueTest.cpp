// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of events, and slots that stand apart.
#include "advisor/sim/EventQueue.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

namespace qdadvise::sim {

namespace {

using testing::ElementsAre;

/// Takes all events out: slots in the order in which they come.
std::vector<std::size_t> orderOf(EventQueue queue) {
  std::vector<std::size_t> order;
  for (; queue.earliest() != never; queue.clear(order.back()))
    order.push_back(queue.first());
  return order;
}

TEST(EventQueue, HasNoEventAtFirst) {
  const EventQueue queue(3, 2);
  EXPECT_EQ(queue.earliest(), never);
  for (std::size_t slot = 0; slot < 5; ++slot)
    EXPECT_EQ(queue.at(slot), never);
}

TEST(EventQueue, OrdersByTimeThenBySetting) {
  EventQueue queue(4);
  queue.set(3, 20);
  queue.set(1, 10);
  queue.set(0, 20);
  queue.set(2, 10);
  EXPECT_THAT(orderOf(queue), ElementsAre(1, 2, 3, 0));
  queue.set(1, 20); // again, so behind the others of that time
  EXPECT_EQ(queue.at(1), 20);
  EXPECT_THAT(orderOf(queue), ElementsAre(2, 3, 0, 1));
  queue.clear(3);
  EXPECT_EQ(queue.at(3), never);
  EXPECT_THAT(orderOf(queue), ElementsAre(2, 0, 1));
}

/// Slots that stand apart come in the same order as if they did not.
TEST(EventQueue, OrdersFurtherSlotsAmongTheOthers) {
  constexpr std::size_t slots = 5, further = 9;
  EventQueue together(slots + further), apart(slots, further);
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t slot = random() % (slots + further);
    if (random() % 4 == 0) {
      together.clear(slot);
      apart.clear(slot);
    } else {
      const auto at = static_cast<Time>(random() % 10);
      together.set(slot, at);
      apart.set(slot, at);
    }
    ASSERT_EQ(apart.at(slot), together.at(slot));
    ASSERT_EQ(apart.earliest(), together.earliest());
    ASSERT_EQ(orderOf(apart), orderOf(together));
  }
}

/// A program of sets and clears, most of them of the first slot, against a list.
TEST(EventQueue, HasWhatAListHas) {
  constexpr std::size_t slots = 11, further = 3;
  EventQueue queue(slots, further);
  struct Event {
    Time at = never;
    int order = 0;
  };
  std::vector<Event> list(slots + further);
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    const bool ofFirst = random() % 2 == 0 && queue.earliest() != never;
    const std::size_t slot = ofFirst ? queue.first() : random() % (slots + further);
    if (random() % 3 > 0) {
      list[slot] = {static_cast<Time>(random() % 16), i};
      queue.set(slot, list[slot].at);
    } else {
      list[slot] = {};
      if (ofFirst && random() % 2 == 0)
        queue.clearFirst();
      else
        queue.clear(slot);
    }
    const auto first = std::min_element(list.begin(), list.end(), [](Event a, Event b) {
      return std::pair(a.at, a.order) < std::pair(b.at, b.order);
    });
    ASSERT_EQ(queue.earliest(), first->at) << i;
    if (first->at != never)
      ASSERT_EQ(queue.first(), static_cast<std::size_t>(first - list.begin())) << i;
    for (std::size_t other = 0; other < list.size(); ++other)
      ASSERT_EQ(queue.at(other), list[other].at) << i;
  }
}

} // namespace

} // namespace qdadvise::sim
