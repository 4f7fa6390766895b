// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which events at the beginning of a slice belong to what began before it.
#include "runtime/replay/slice_edges.h"

#include <gtest/gtest.h>

#include <vector>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr SiteTraits sites[] = {{SiteRole::acquire, LockKind::pthreadMutex, 0, 0},
                                {SiteRole::acquire, LockKind::pthreadMutex, siteConditional, 0},
                                {SiteRole::acquire, LockKind::pthreadMutex, 0, 1}};

Event event(Instant instant, std::uint64_t address, std::uint32_t site = 0) {
  return {0, address, packEvent(site, instant), 0};
}

std::size_t unseen(const std::vector<Event> &events) {
  return begunUnseen(sites, events.data(), events.size());
}

TEST(SliceEdges, SeeWhatBeginsInTheSlice) {
  EXPECT_EQ(
      unseen({event(Instant::attempt, 1), event(Instant::acquire, 1), event(Instant::release, 1)}),
      0u);
}

TEST(SliceEdges, LeaveOutWhatEndsWithoutABeginning) {
  EXPECT_EQ(
      unseen({event(Instant::release, 1), event(Instant::attempt, 2), event(Instant::acquire, 2)}),
      1u);
}

TEST(SliceEdges, LeaveOutWhatLiesInsideOfSuch) {
  EXPECT_EQ(
      unseen({event(Instant::attempt, 2), event(Instant::acquire, 2), event(Instant::release, 2),
              event(Instant::release, 1), event(Instant::attempt, 3)}),
      4u);
}

/// The lock's own function was called before the slice; what that calls has hooks, too.
TEST(SliceEdges, LeaveOutAnOperationThatBeganUnseenWithAnotherInside) {
  constexpr std::uint32_t outer = 0, inner = 2;
  EXPECT_EQ(unseen({event(Instant::attempt, 1, inner), event(Instant::acquire, 1, inner),
                    event(Instant::acquire, 1, outer), event(Instant::attempt, 2)}),
            3u);
}

TEST(SliceEdges, TellNothingByAReleaseThatMayFindNothing) {
  EXPECT_EQ(unseen({event(Instant::release, 1, 1), event(Instant::attempt, 2)}), 0u);
}

} // namespace
