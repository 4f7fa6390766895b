// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of events that are counted at once come to what going through them step by step comes
// to, to the last digit.
#include "unittests/runtime/Describe.h"
#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

#include <random>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

using Random = std::mt19937_64;

/// How many rows were counted at once of what `single` has gone through event by event.
std::uint64_t foundInWhole(const Stream &single) {
  Stream whole;
  whole.traits = single.traits;
  whole.context = single.context;
  whole.context.sites = whole.traits.data();
  whole.replay.run(single.events.data(), single.events.size());
  EXPECT_EQ(describe(whole.tables), describe(single.tables));
  EXPECT_EQ(single.tables.patterns.found(), 0u);
  return whole.tables.patterns.found();
}

TEST(EventPatterns, TellReadersInTheirPlace) {
  Random random(1);
  Stream s;
  const auto outer = s.site(LockKind::pthreadMutex, 0);
  const auto reader = s.site(LockKind::pthreadRwlock, 2, siteShared);
  const auto tell = [&](std::uint64_t lock, std::uint64_t since) {
    const Event one{since, lock, packEvent(reader, readersInstant, eventLast),
                    static_cast<std::uint32_t>(1 + random() % 3)};
    s.replay.run(&one, 1);
    s.events.push_back(one);
  };
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t lock = 0x100 + 64 * (random() % 4), other = 0x900;
    s.after(random() % 50).take(outer, 0x40).after(random() % 50);
    const std::uint64_t since = s.now - random() % 20;
    s.take(reader, lock).after(random() % 50).release(reader, lock);
    tell(lock, since);
    s.after(random() % 50).take(reader, other).after(random() % 9).release(reader, other);
    s.after(random() % 50).release(outer, 0x40);
    s.after(random() % 50).take(reader, other).after(random() % 50).release(reader, other);
    tell(other, s.now - random() % 90);
  }
  EXPECT_GT(foundInWhole(s), 50u);
  EXPECT_EQ(s.tables.lockClassReaders[2].busy.count, 200u);
}

/// Sections within sections, with hooks of both kinds.
void nest(Stream &s, Random &random, std::uint32_t outer, std::uint32_t inner, unsigned times,
          std::uint64_t longest) {
  for (unsigned i = 0; i < times; ++i) {
    const std::uint32_t door = random() % 2 != 0 ? std::uint32_t{eventXray} : 0;
    const std::uint64_t a = 0x1000 + 64 * (random() % 5), b = 0x9000 + 64 * (random() % 5);
    const auto at = [&](Instant instant, std::uint32_t site, std::uint64_t lock) {
      s.after(100 + random() % longest).event(instant, site, lock, door);
    };
    at(Instant::attempt, outer, a);
    at(Instant::acquire, outer, a);
    at(Instant::attempt, inner, b);
    at(Instant::acquire, inner, b);
    at(Instant::release, inner, b);
    at(Instant::release, outer, a);
  }
}

TEST(EventPatterns, TakeOutWhatTheHooksOfEachKindTake) {
  Random random(2);
  Stream s;
  s.context.callHookTicks = 20;
  s.context.xrayHookTicks = 40;
  const auto outer = s.site(LockKind::pthreadMutex, 0), inner = s.site(LockKind::pthreadMutex, 1);
  nest(s, random, outer, inner, 100, 50);
  EXPECT_GT(foundInWhole(s), 50u);
}

/// What a releasing function does inside comes behind the section, and takes time.
TEST(EventPatterns, KeepTheTimeBehindTheLastSection) {
  Random random(7);
  Stream s;
  const auto outer = s.site(LockKind::pthreadMutex, 0), inner = s.site(LockKind::pthreadMutex, 1);
  const auto again = s.site(LockKind::pthreadMutex, 0, siteInner, SiteRole::release);
  for (int i = 0; i < 100; ++i) {
    s.after(random() % 50).take(outer, 0x100).after(random() % 50).take(inner, 0x200);
    s.after(random() % 50).release(inner, 0x200).after(random() % 50).release(outer, 0x100);
    s.after(1 + random() % 50).release(again, 0x100);
  }
  EXPECT_GT(foundInWhole(s), 150u) << "that by itself is a row, too";
  EXPECT_EQ(s.tables.unmatched, 0u);
}

TEST(EventPatterns, StayWithinAWindow) {
  Random random(3);
  Stream s;
  const auto outer = s.site(LockKind::pthreadMutex, 0), inner = s.site(LockKind::pthreadMutex, 1);
  nest(s, random, outer, inner, 1000, 1u << 15);
  EXPECT_GT(s.tables.windowShift, firstWindowShift);
  EXPECT_GT(foundInWhole(s), 500u);
}

TEST(EventPatterns, AreNoneWhereTheWaitSaysWhetherALockWasTaken) {
  Random random(4);
  Stream s;
  const auto outer = s.site(LockKind::pthreadMutex, 0), inner = s.site(LockKind::unknown, 1);
  nest(s, random, outer, inner, 100, 1000);
  EXPECT_EQ(foundInWhole(s), 0u);
  EXPECT_GT(s.tables.sections[1].contended, 0u);
}

TEST(EventPatterns, AreOfOneCaller) {
  Random random(5);
  Stream s;
  s.context.callerSite = [](std::uint32_t site, std::uint64_t address) {
    return site + (address == 0x7001 ? 1u : 2u);
  };
  const auto body = s.site(LockKind::unknown, 0, siteByCaller, SiteRole::wrapper);
  const auto one = s.site(LockKind::unknown, format::none, 0, SiteRole::wrapper);
  s.site(LockKind::unknown, format::none, 0, SiteRole::wrapper);
  const auto primitive = s.site(LockKind::pthreadMutex, 0);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t caller = random() % 2 != 0 ? 0x7001 : 0x7002;
    s.after(random() % 50).inFrame(1).attempt(body, caller).inFrame(2).take(primitive, 0x100);
    s.inFrame(1).acquire(body, caller).after(random() % 50).release(primitive, 0x100);
  }
  EXPECT_GT(foundInWhole(s), 50u);
  EXPECT_EQ(s.tables.sites[one].executed + s.tables.sites[one + 1].executed, 100u);
  EXPECT_GT(s.tables.sites[one].executed, 20u);
}

/// A wrapper that is told which lock by a number shows its hooks no address.
TEST(EventPatterns, HaveCallsWithoutAnAddress) {
  Random random(6);
  Stream s;
  const auto call = s.site(LockKind::unknown, format::none, 0, SiteRole::wrapper);
  const auto primitive = s.site(LockKind::pthreadMutex, 0);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t given = random() % 4 != 0 ? 0 : 0x5000, lock = 0x100 + 64 * (random() % 4);
    s.after(random() % 50).inFrame(1).attempt(call, given).inFrame(2).take(primitive, lock);
    s.inFrame(1).acquire(call, given).after(random() % 50).release(primitive, lock);
  }
  EXPECT_GT(foundInWhole(s), 70u);
  EXPECT_EQ(s.tables.sites[call].executed, 100u);
}

/// A row of 51 events or of 63: more than one replay tells the times of.
TEST(EventPatterns, AreLongerThanTheTimesOfOneReplay) {
  Random random(8);
  Stream s;
  const auto outer = s.site(LockKind::pthreadMutex, 0),
             block = s.site(LockKind::unknown, format::none, 0, SiteRole::block);
  const auto door = s.site(LockKind::pthreadMutex, 1), inner = s.site(LockKind::pthreadMutex, 1);
  for (int i = 0; i < 100; ++i) {
    const unsigned times = random() % 2 != 0 ? 8 : 10;
    const std::uint64_t locks = 0x1000 * (1 + random() % 4);
    s.after(random() % 50).take(outer, 0x100);
    for (unsigned time = 0; time < times; ++time) {
      const std::uint64_t lock = locks + 64 * (time % 4);
      s.after(random() % 50).attempt(door, lock).after(random() % 9).take(inner, lock);
      s.after(random() % 9).acquire(door, lock).after(random() % 50);
      s.release(door, lock).after(random() % 9).release(inner, lock);
    }
    s.after(random() % 50).release(outer, 0x100).after(random() % 50);
    s.event(Instant::block, block, 0x900).after(random() % 50);
    s.event(Instant::unblock, block, 0x900);
  }
  EXPECT_GT(foundInWhole(s), 150u) << "being blocked is a row, too";
  EXPECT_GT(s.tables.threadClasses[0].blockedNs, 0);
}

} // namespace
