// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever comes in, nothing breaks and nothing is lost: random events, and random
// but well-formed programs.
#include "unittests/runtime/Describe.h"
#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

using Random = std::mt19937_64;

std::uint64_t pick(Random &random, std::uint64_t below) { return random() % below; }

void expectConsistent(const Stream &s) {
  const Tables &tables = s.tables;
  std::uint64_t bySection = 0, byLock = 0, byWindow = 0;
  for (std::uint32_t i = 0; i < tables.sections.size(); ++i) {
    const Section &section = tables.sections[i];
    bySection += section.acquisitions;
    EXPECT_LE(section.contended, section.acquisitions);
    EXPECT_LE(section.hold.count, section.acquisitions);
    EXPECT_EQ(section.wait.count, section.acquisitions);
    EXPECT_EQ(section.waitContended.count, section.contended);
    EXPECT_GE(section.hold.min, 0);
    EXPECT_TRUE(section.key.inside == format::none || section.key.inside < i);
    std::uint64_t histogram = 0;
    section.holdHistogram.forEach([&](std::uint32_t, std::uint64_t count) { histogram += count; });
    EXPECT_EQ(histogram, section.hold.count);
    for (const SectionWindow &window : section.windows)
      byWindow += window.acquisitions;
  }
  tables.locks.forEach([&](const Lock &lock) { byLock += lock.acquisitions; });
  EXPECT_EQ(bySection, byLock);
  EXPECT_EQ(bySection, byWindow);
  EXPECT_EQ(tables.dropped, 0u);
  // Every entry into an outermost section came along a transition, and each leads on
  // from where the last one led.
  for (std::uint32_t i = 0; i < tables.transitions.size(); ++i)
    EXPECT_GT(tables.transitions[i].local.count, 0u);
}

constexpr SiteRole anyRole[] = {SiteRole::acquire, SiteRole::release, SiteRole::wait,
                                SiteRole::block,   SiteRole::wrapper, SiteRole::wrapper};

TEST(ReplayRandom, AnyEventsAtAll) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Stream s;
    s.context.callHookTicks = static_cast<double>(pick(random, 20));
    for (int i = 0; i < 8; ++i)
      s.site(static_cast<LockKind>(pick(random, 6)), static_cast<std::uint32_t>(pick(random, 4)),
             static_cast<std::uint32_t>(pick(random, 32)), anyRole[pick(random, 6)]);
    constexpr std::uint64_t events = 3000;
    for (std::uint64_t i = 0; i < events; ++i) {
      s.after(pick(random, 100)).inFrame(static_cast<unsigned>(pick(random, 6)));
      s.event(static_cast<Instant>(pick(random, 8)), static_cast<std::uint32_t>(pick(random, 8)),
              8 * (1 + pick(random, 5)),
              static_cast<std::uint32_t>(pick(random, 8)) << 4 & (eventTaken | eventMine));
      if (pick(random, 500) == 0)
        s.replay.discardOpenState(s.now);
    }
    s.replay.end(s.now);
    EXPECT_EQ(s.tables.events, events);
    // Random garbage may hold more than there is room for; then it is counted.
    if (s.tables.dropped == 0)
      expectConsistent(s);
    EXPECT_LE(s.replay.heldCount(), 128u);
  }
}

/// A random program: nested sections, wrappers around primitives, waits and tries.
class Program {
public:
  explicit Program(unsigned seed) : random(seed), shape(seed) {
    for (std::uint32_t i = 0; i < lockCount; ++i) {
      direct[i] = s.site(LockKind::pthreadMutex, i);
      wrapped[i] = s.site(LockKind::unknown, i);
      waits[i] = s.site(LockKind::pthreadMutex, i, 0, SiteRole::wait);
    }
  }

  void run() {
    // Sections within sections, the same few again and again, as most programs do.
    for (int i = 0; i < 600; ++i) {
      shape.seed(pick(random, 5));
      section(0, 1);
    }
    for (int i = 0; i < 300; ++i)
      section(0, 1);
    for (int i = 0; i < 300; ++i)
      plainSection(static_cast<std::uint32_t>(i % 2));
    s.replay.end(s.now);
  }

  Stream s;
  std::uint64_t entered = 0;
  std::uint64_t computed = 0;
  std::uint64_t blocked = 0;

private:
  static constexpr std::uint32_t lockCount = 6;
  static std::uint64_t primitive(std::uint32_t lock) { return 0x1000 + 64 * lock; }
  static std::uint64_t object(std::uint32_t lock) { return 0x8000 + 64 * lock; }

  void compute() {
    const std::uint64_t ticks = pick(random, 50);
    computed += ticks;
    s.after(ticks);
  }

  void plainSection(std::uint32_t lock) {
    compute();
    s.inFrame(1).attempt(direct[lock], primitive(lock), pick(random, 3) == 0 ? eventTaken : 0u);
    s.after(pick(random, 20)).acquire(direct[lock], primitive(lock));
    ++entered;
    compute();
    s.release(direct[lock], primitive(lock));
  }

  void section(std::uint32_t lowest, unsigned frame) {
    compute();
    const auto lock = static_cast<std::uint32_t>(lowest + pick(shape, lockCount - lowest));
    const bool wrap = pick(shape, 2) == 0;
    s.inFrame(frame);
    if (wrap)
      s.attempt(wrapped[lock], object(lock)).inFrame(frame + 1);
    s.attempt(direct[lock], primitive(lock)).acquire(direct[lock], primitive(lock));
    if (wrap)
      s.inFrame(frame).acquire(wrapped[lock], object(lock));
    ++entered;
    compute();
    if (lock + 1 < lockCount && pick(shape, 2) == 0)
      section(lock + 1, frame + 2);
    if (!wrap && pick(shape, 8) == 0) {
      s.inFrame(frame).event(Instant::wait, waits[lock], primitive(lock));
      const std::uint64_t ticks = pick(random, 1000);
      blocked += ticks;
      s.after(ticks).event(Instant::wake, waits[lock], primitive(lock));
      ++entered;
    }
    compute();
    s.inFrame(frame);
    if (wrap)
      s.release(wrapped[lock], object(lock)).inFrame(frame + 1);
    s.release(direct[lock], primitive(lock));
    s.inFrame(frame);
  }

  Random random;
  Random shape; ///< what sections there are, where the other says how long they take
  std::uint32_t direct[lockCount], wrapped[lockCount], waits[lockCount];
};

TEST(ReplayRandom, WellFormedProgramsAddUpExactly) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Program program(seed);
    program.run();
    const Tables &tables = program.s.tables;
    expectConsistent(program.s);
    EXPECT_EQ(tables.unmatched, 0u);
    EXPECT_EQ(program.s.replay.heldCount(), 0u);
    std::uint64_t entered = 0;
    double held = 0, local = 0, blocked = 0;
    for (std::uint32_t i = 0; i < tables.sections.size(); ++i) {
      entered += tables.sections[i].acquisitions;
      held += tables.sections[i].hold.origin * static_cast<double>(tables.sections[i].hold.count) +
              tables.sections[i].hold.sum;
    }
    for (std::uint32_t i = 0; i < tables.transitions.size(); ++i) {
      const auto moments = tables.transitions[i].local.moments();
      local += moments.mean * static_cast<double>(moments.count);
    }
    blocked = tables.threadClasses[0].blockedNs;
    EXPECT_EQ(entered, program.entered);
    EXPECT_NEAR(held + local, static_cast<double>(program.computed), 1e-3)
        << "every tick belongs to one section or to local computation";
    EXPECT_NEAR(blocked, static_cast<double>(program.blocked), 1e-3);
  }
}

TEST(ReplayRandom, WholeBuffersGiveWhatSingleEventsGive) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Program program(seed);
    program.s.context.callHookTicks = seed % 3;
    program.s.context.countersOnly = seed % 4 == 3;
    program.run();
    Stream buffered;
    buffered.traits = program.s.traits;
    buffered.context = program.s.context;
    buffered.context.sites = buffered.traits.data();
    Random random(seed);
    const std::vector<Event> &events = program.s.events;
    for (std::size_t at = 0; at < events.size();) {
      const std::size_t count = std::min<std::size_t>(1 + pick(random, 200), events.size() - at);
      buffered.replay.run(events.data() + at, count);
      at += count;
    }
    buffered.replay.end(program.s.now);
    ASSERT_EQ(describe(buffered.tables), describe(program.s.tables)) << "seed " << seed;
    EXPECT_GT(buffered.tables.patterns.found(), 100u) << "what repeats is counted at once";
  }
}

/// Two objects taken together, each with a lock inside: which is whose lies in their addresses.
TEST(ReplayRandom, WhatDependsOnAddressesIsGoneThroughEachTime) {
  Stream single;
  const auto scoped = single.site(LockKind::unknown), primitive = single.site();
  for (std::uint64_t i = 0; i < 50; ++i) {
    const std::uint64_t a = 0x1000, b = 0x9000, first = i % 2 ? a + 8 : b + 8;
    single.after(3).inFrame(1).attempt(scoped, a).attempt(scoped, b);
    single.inFrame(2).take(primitive, first).take(primitive, a + b + 16 - first);
    single.inFrame(1).acquire(scoped, a).acquire(scoped, b).after(10 + i);
    single.release(scoped, a).after(5).release(scoped, b);
  }
  Stream buffered;
  buffered.traits = single.traits;
  buffered.context.sites = buffered.traits.data();
  buffered.replay.run(single.events.data(), single.events.size());
  EXPECT_EQ(describe(buffered.tables), describe(single.tables));
}

} // namespace
