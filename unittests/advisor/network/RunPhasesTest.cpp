// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/Workload.h"
#include "advisor/network/Phases.h"
#include "advisor/network/Validation.h"
#include "advisor/network/construction/WindowPhases.h"
#include "unittests/advisor/network/Constructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::Contains;
using ::testing::HasSubstr;

namespace {

constexpr std::size_t reads = 0, writes = 1;
constexpr int readingWindows = 10, windowCount = 16, perWindow = 2000;

/// A worker that reads for ten windows, 100 ns each with 1000 ns between them. For six more it
/// reads, 200 ns each, and writes after every second time, 500 ns each, with 400 ns between them.
Profile readThenWrite() {
  constexpr int inReading = readingWindows * perWindow,
                inWriting = (windowCount - readingWindows) * perWindow;
  ProfileBuilder b;
  const std::size_t worker = b.threads("worker", 1);
  const std::size_t lock = b.lockClass("L::m", LockKind::pthreadRwlock);
  b.lock(lock, 0x10, inReading + 3 * inWriting / 2);
  EXPECT_EQ(b.section(worker, b.site("read()", 5), lock, inReading + inWriting, 0), reads);
  EXPECT_EQ(b.section(worker, b.site("write()", 9), lock, inWriting / 2, 500), writes);
  Moments &hold = b.profile.sections[reads].hold;
  hold = constant(inReading, 100);
  hold.merge(constant(inWriting, 200));
  b.profile.sections[reads].shared = true;
  b.transition(worker, reads, reads, inReading + inWriting / 2, 0);
  b.profile.transitions[0].local = constant(inReading, 1000);
  b.profile.transitions[0].local.merge(constant(inWriting / 2, 400));
  b.transition(worker, reads, writes, inWriting / 2, 400);
  b.transition(worker, writes, reads, inWriting / 2, 400);
  for (int w = 0; w < windowCount; ++w) {
    const bool reading = w < readingWindows;
    ProfiledWindow window{w * 1e6, 1e6, {}, {}};
    window.sections.push_back({reads, perWindow, perWindow * (reading ? 100.0 : 200.0), 0});
    if (!reading)
      window.sections.push_back({writes, perWindow / 2, perWindow / 2.0 * 500.0, 0});
    window.threads.push_back({worker, 1, reading ? perWindow * 1000.0 : perWindow * 1.5 * 400, 0});
    b.profile.windows.push_back(window);
  }
  return b.profile;
}

/// The mean time between two sections.
double localNsOf(const Network &network) {
  const auto traffic = trafficOf(network);
  double visits = 0;
  for (const double each : traffic.front().visits)
    visits += each;
  return traffic.front().computeNs / visits;
}

void scale(ProfiledWindow &window, double factor) {
  for (ProfiledWindow::Section &in : window.sections) {
    in.acquisitions = static_cast<std::uint64_t>(factor * static_cast<double>(in.acquisitions));
    in.holdNs *= factor;
  }
  window.threads[0].localNs *= factor;
}

} // namespace

TEST(RunPhases, AreFoundInTheWindows) {
  const Profile profile = readThenWrite();
  const WindowPhases phases(profile, {true});
  ASSERT_EQ(phases.count(), 2u);
  for (std::size_t w = 0; w < windowCount; ++w)
    EXPECT_EQ(phases.phaseOf(w), w < readingWindows ? 0u : 1u) << w;
  EXPECT_EQ(WindowPhases(profile, {false}).count(), 1u) << "no class that scales";
}

TEST(RunPhases, ComeBack) {
  Profile profile = readThenWrite();
  std::swap(profile.windows[3], profile.windows[14]);
  const WindowPhases phases(profile, {true});
  EXPECT_EQ(phases.phaseOf(3), phases.phaseOf(15));
  EXPECT_EQ(phases.phaseOf(14), phases.phaseOf(0));
  EXPECT_NE(phases.phaseOf(3), phases.phaseOf(0));
}

TEST(RunPhases, AreTheNetworksThatTheRunWentThrough) {
  const Construction construction = construct(readThenWrite());
  const Network &network = construction.network;
  EXPECT_THAT(construction.notes,
              Contains(HasSubstr("goes through 2 phases, which have 53, 47 % of its sections")));
  ASSERT_EQ(network.phases.size(), 2u);
  EXPECT_NEAR(network.phases[0], 20000.0 / 38000, 1e-9);

  const Network reading = networkOfPhase(network, 0);
  EXPECT_FALSE(validate(reading));
  EXPECT_NEAR(reading.sections[reads].hold.mean, 100, 1e-6);
  ASSERT_EQ(reading.transitions.size(), 1u);
  EXPECT_EQ(reading.transitions[0].to, reads);
  EXPECT_NEAR(reading.transitions[0].local.mean, 1000, 1e-3);

  const Network writing = networkOfPhase(network, 1);
  EXPECT_FALSE(validate(writing));
  EXPECT_NEAR(writing.sections[reads].hold.mean, 200, 1e-6);
  EXPECT_NEAR(writing.sections[writes].hold.mean, 500, 1e-6);
  ASSERT_EQ(writing.transitions.size(), 3u);
  EXPECT_NEAR(writing.transitions[0].probability, 0.5, 1e-3);
  EXPECT_NEAR(writing.transitions[1].probability, 0.5, 1e-3);
  EXPECT_NEAR(localNsOf(writing), 400, 1) << "by transition it is not known, in all it is";
}

/// Half of a window is of the phase before, and half of the one after.
TEST(RunPhases, BeginWithinAWindow) {
  Profile profile = readThenWrite();
  ProfiledWindow &between = profile.windows[readingWindows];
  scale(between, 0.5);
  scale(profile.windows.back(), 1.5);
  scale(profile.windows[0], 0.5); // the other half of which is in between
  between.sections[0].acquisitions += perWindow / 2;
  between.sections[0].holdNs += profile.windows[0].sections[0].holdNs;
  between.threads[0].localNs += profile.windows[0].threads[0].localNs;
  const Network network = construct(profile).network;
  ASSERT_EQ(network.phases.size(), 2u);
  EXPECT_NEAR(network.phases[0], 20000.0 / 38000, 1e-4);
  const Network reading = networkOfPhase(network, 0), writing = networkOfPhase(network, 1);
  EXPECT_EQ(reading.transitions.size(), 1u) << "still, nobody writes there";
  EXPECT_NEAR(reading.sections[reads].hold.mean, 100, 0.1);
  EXPECT_NEAR(writing.sections[reads].hold.mean, 200, 0.1);
  EXPECT_NEAR(writing.sections[writes].hold.mean, 500, 0.1);
  EXPECT_NEAR(localNsOf(writing), 400, 1);
}

TEST(RunPhases, AreNoneInASteadyRun) {
  Profile profile = readThenWrite();
  for (ProfiledWindow &window : profile.windows) { // each has something of both
    window.sections = {{reads, 2000, 3e5, 0}, {writes, 375, 187500, 0}};
    window.threads = {{0, 1, 1.55e6, 0}};
  }
  const Construction construction = construct(profile);
  EXPECT_TRUE(construction.network.phases.empty());
  EXPECT_TRUE(construction.network.sections[0].phases.empty());
}

/// A preemption of 4 ms in one window is no phase.
TEST(RunPhases, AreNotPartsOfOneSection) {
  ProfileBuilder b;
  b.profile = readThenWrite();
  const std::size_t outer =
      b.section(0, b.site("job()", 1), b.lockClass("J::m", LockKind::pthreadMutex), windowCount, 0);
  for (ProfiledWindow &window : b.profile.windows)
    window.sections.push_back({outer, 1, 0, 0});
  EXPECT_EQ(WindowPhases(b.profile, {true}).count(), 2u);
  for (const std::size_t inner : {reads, writes})
    b.profile.sections[inner].inside = outer;
  EXPECT_EQ(WindowPhases(b.profile, {true}).count(), 1u);
}

TEST(RunPhases, AreNoPreemptions) {
  ProfileBuilder b = loop(static_cast<std::uint64_t>(windowCount) * perWindow, 200, 800);
  for (int w = 0; w < windowCount; ++w)
    b.profile.windows.push_back(
        {w * 2e6, 2e6, {{0, perWindow, perWindow * 200.0, 0}}, {{0, 1, perWindow * 800.0, 0}}});
  ProfiledTransition &local = b.profile.transitions[1];
  local.local.merge(constant(1, 4e6));
  addToHistogram(local.localHistogram, 4e6, 1);
  b.profile.windows[5].threads[0].localNs += 4e6;
  EXPECT_TRUE(construct(b.profile).network.phases.empty());
}

/// Nothing can be said of threads that are not there in one of the phases.
TEST(RunPhases, NeedEveryClassInAllOfThem) {
  Profile profile = readThenWrite();
  ProfileBuilder b;
  b.profile = profile;
  const std::size_t other = b.threads("other", 1);
  const std::size_t section = b.section(other, b.site("other()", 20), 0, 5000, 100);
  b.transition(other, section, section, 5000, 1000);
  b.profile.windows[0].sections.push_back({section, 5000, 5e5, 0});
  b.profile.windows[0].threads.push_back({other, 1, 5e6, 0});
  const Construction construction = construct(b.profile);
  EXPECT_TRUE(construction.network.phases.empty());
  EXPECT_THAT(construction.notes, Contains(HasSubstr("the run is unsteady: over its parts")));
}
