// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The short cut for a lock taken and released with nothing else in hand.
#include "runtime/replay/plain_sections.h"

#include <gtest/gtest.h>

#include <vector>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

class PlainSectionsTest : public testing::Test {
protected:
  PlainSectionsTest() : tables(arena, Limits{}), ledger(tables, context), operations(ledger) {
    context.sites = sites;
  }

  void add(std::uint64_t address, std::uint32_t flags = 0) {
    events.push_back({now += 10, address, packEvent(0, Instant::attempt, flags), 64});
    events.push_back({now += 10, address, packEvent(0, Instant::acquire), 64});
    events.push_back({now += 10, address, packEvent(0, Instant::release), 64});
  }
  void step(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      operations.step(events[i]);
    events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::size_t run(std::uint64_t bound = ~0ull) {
    return plain.run(operations, events.data(), events.size(), bound, false);
  }

  const SiteTraits sites[1] = {{SiteRole::acquire, LockKind::pthreadMutex, 0, 0}};
  ReplayContext context;
  Arena arena;
  Tables tables;
  Ledger ledger;
  Operations operations;
  PlainSections plain;
  std::vector<Event> events;
  std::uint64_t now = 0;
};

TEST_F(PlainSectionsTest, RunOnceAWayIsKnown) {
  EXPECT_FALSE(PlainSections::canRun(operations)) << "no section was left yet";
  for (int i = 0; i < 4; ++i)
    add(0x10);
  step(3);
  EXPECT_TRUE(PlainSections::canRun(operations));
  EXPECT_EQ(run(), 0u) << "the way from this section to itself is new";
  step(3);
  EXPECT_EQ(run(), 6u);
  EXPECT_EQ(tables.sections[0].acquisitions, 4u);
  EXPECT_EQ(tables.sections[0].hold.moments().mean, 10);
}

TEST_F(PlainSectionsTest, EndBeforeTheBound) {
  for (int i = 0; i < 4; ++i)
    add(0x10);
  step(6);
  EXPECT_EQ(run(events[5].stamp), 3u);
}

TEST_F(PlainSectionsTest, CountWhatFoundTheLockTaken) {
  add(0x10);
  add(0x10);
  add(0x10, eventTaken | eventByWriter);
  step(6);
  EXPECT_EQ(run(), 3u);
  EXPECT_EQ(tables.sections[0].contended, 1u);
  EXPECT_EQ(tables.sections[0].contendedByWriter, 1u);
}

TEST_F(PlainSectionsTest, WaitWhileSomethingIsHeld) {
  add(0x10);
  add(0x10);
  step(5);
  EXPECT_FALSE(PlainSections::canRun(operations));
}

TEST_F(PlainSectionsTest, ForgetTheirWays) {
  for (int i = 0; i < 3; ++i)
    add(0x10);
  step(6);
  plain.forget();
  EXPECT_EQ(run(), 3u) << "the tables know the way";
}

} // namespace
