// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/Visits.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

/// A run of one worker, with times: it only gets.
Profile alone() {
  ProfileBuilder b;
  b.threads("main", 1, true);
  const std::size_t worker = b.threads("serve(int)", 1);
  const std::size_t db = b.lockClass("Db::m", LockKind::pthreadMutex);
  b.lock(db, 0x1000, 1000);
  const std::size_t get = b.site("Db::get(int) const", 42);
  b.site("Queue::take()", 77);
  const std::size_t reading = b.section(worker, get, db, 1000, 400);
  b.transition(worker, reading, reading, 999, 3000);
  return b.profile;
}

/// Two workers that also hand over, in a thread class that the first run did not have too.
Profile inCompany(bool counts) {
  ProfileBuilder b;
  const std::size_t worker = b.threads("serve(int)", 2);
  const std::size_t feeder = b.threads("feed(int)", 1);
  const std::size_t db = b.lockClass("Db::m", LockKind::pthreadMutex);
  const std::size_t queue = b.lockClass("Queue::m", LockKind::pthreadMutex);
  b.lock(db, 0x1000, 300);
  b.lock(queue, 0x2000, 100);
  const std::size_t take = b.site("Queue::take()", 77);
  const std::size_t get = b.site("Db::get(int) const", 42);
  const std::size_t taking = b.section(worker, take, queue, 100, 70);
  const std::size_t reading = b.section(worker, get, db, 100, 9000);
  const std::size_t feeding = b.section(feeder, get, db, 200, 9000);
  b.transition(worker, taking, reading, 100, 50);
  b.transition(worker, reading, taking, 99, 60);
  b.transition(feeder, feeding, feeding, 199, 800);
  if (counts) {
    b.profile.flags |= format::runCountersOnly;
    for (ProfiledSection &section : b.profile.sections) {
      section.hold = section.wait = {};
      section.holdHistogram = section.waitHistogram = {};
    }
    for (ProfiledTransition &transition : b.profile.transitions) {
      transition.local = {transition.local.count, 0, 0, 0, 0};
      transition.blocked = {};
      transition.localHistogram = {};
    }
  }
  return b.profile;
}

struct Place {
  std::string threads, function;
};

const ProfiledSection *sectionAt(const Profile &profile, const Place &place) {
  for (const ProfiledSection &section : profile.sections)
    if (profile.threadClasses[section.threadClass].name == place.threads &&
        profile.sites[section.site].function == place.function)
      return &section;
  return nullptr;
}

const ProfiledTransition *transitionFrom(const Profile &profile, const Place &from,
                                         const std::string &to) {
  for (const ProfiledTransition &transition : profile.transitions)
    if (transition.from && transition.to &&
        &profile.sections[*transition.from] == sectionAt(profile, from) &&
        profile.sites[profile.sections[*transition.to].site].function == to)
      return &transition;
  return nullptr;
}

const std::string get = "Db::get(int) const", take = "Queue::take()";

} // namespace

TEST(Visits, CountsComeFromTheOneAndTimesFromTheOther) {
  const Expected<ProfileWithVisits> joined = withVisits(alone(), inCompany(true));
  ASSERT_TRUE(joined) << joined.error().message;
  const Profile &profile = joined->profile;
  EXPECT_EQ(profile.flags & format::runCountersOnly, 0u);
  EXPECT_EQ(profile.durationNs, alone().durationNs);
  const ProfiledSection *reading = sectionAt(profile, {"serve(int)", get});
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->acquisitions, 100u);
  EXPECT_EQ(reading->hold.mean, 400);
  EXPECT_EQ(reading->hold.count, 1000u);
  EXPECT_EQ(transitionFrom(profile, {"serve(int)", get}, get), nullptr)
      << "in company a worker does not read twice in a row";
  const ProfiledTransition *taking = transitionFrom(profile, {"serve(int)", get}, take);
  ASSERT_TRUE(taking);
  EXPECT_EQ(taking->local.count, 99u);
  ASSERT_EQ(profile.locks.size(), 2u);
  EXPECT_EQ(profile.locks[0].acquisitions + profile.locks[1].acquisitions, 400u);
  for (const ProfiledThreadClass &threads : profile.threadClasses)
    EXPECT_EQ(threads.count, threads.name == "serve(int)"  ? 2u
                             : threads.name == "feed(int)" ? 1u
                                                           : 0u);
}

TEST(Visits, ProcessorTimeIsThatOfTheTimedRun) {
  Profile timed = alone(), counting = inCompany(false);
  timed.onProcessorNs = 3e6;
  timed.runDelayNs = 1e6;
  counting.onProcessorNs = 5e6;
  counting.runDelayNs = 6e6;
  const auto joined = withVisits(timed, counting);
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_EQ(joined->profile.onProcessorNs, 3e6);
  EXPECT_EQ(joined->profile.runDelayNs, 1e6);
}

TEST(Visits, EachClassKeepsItsLocks) {
  using Locks = std::vector<std::pair<std::size_t, std::uint64_t>>; // class, acquisitions
  const auto runOf = [](const Locks &locks) {
    ProfileBuilder b;
    const std::size_t worker = b.threads("serve(int)", 1);
    for (const char *name : {"Job::m", "Queue::m"})
      b.section(worker, b.site(name, 1), b.lockClass(name, LockKind::pthreadMutex), 1, 1);
    for (const auto &[lockClass, acquisitions] : locks)
      b.lock(lockClass, 0x1000 * b.profile.locks.size() + 0x1000, acquisitions);
    return b.profile;
  };
  // The busiest locks come last in the one, and first in the other.
  const Locks counted = {{1, 7000}, {0, 9}, {0, 8}, {0, 7}, {1, 3000}};
  const auto joined = withVisits(runOf({{0, 6}, {0, 5}, {1, 7001}, {1, 3001}}), runOf(counted));
  ASSERT_TRUE(joined);
  Locks found;
  for (const ProfiledLock &lock : joined->profile.locks)
    found.emplace_back(lock.lockClass, lock.acquisitions);
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(counted));
}

TEST(Visits, WhatNoHookToldOfIsThatOfTheRunThatCounts) {
  Profile timed = alone(), counting = inCompany(true);
  timed.flags |= format::runCountsUnseen;
  timed.unseen = {{"/lib/a.so", 1}};
  EXPECT_TRUE(withVisits(timed, counting)->profile.unseen.empty());
  EXPECT_FALSE(withVisits(timed, counting)->profile.flags & format::runCountsUnseen);
  counting.flags |= format::runCountsUnseen;
  counting.unseen = {{"/lib/a.so", 7}};
  const Expected<ProfileWithVisits> joined = withVisits(timed, counting);
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_TRUE(joined->profile.flags & format::runCountsUnseen);
  ASSERT_EQ(joined->profile.unseen.size(), 1u);
  EXPECT_EQ(joined->profile.unseen[0].acquisitions, 7u);
}

TEST(Visits, CopiesAreThoseOfTheTimedRun) {
  Profile timed = alone(), counting = inCompany(true);
  counting.copies = {{"a processor", 4, 2, 1, 2}};
  EXPECT_TRUE(withVisits(timed, counting)->profile.copies.empty());
  timed.copies = {{"a processor", 4, 2, 1, 1.5}};
  EXPECT_EQ(withVisits(timed, counting)->profile.copies, timed.copies);
}

TEST(Visits, APlaceKeepsItsTimesInANewThreadClass) {
  const Expected<ProfileWithVisits> joined = withVisits(alone(), inCompany(false));
  ASSERT_TRUE(joined) << joined.error().message;
  const ProfiledSection *feeding = sectionAt(joined->profile, {"feed(int)", get});
  ASSERT_TRUE(feeding);
  EXPECT_EQ(feeding->hold.mean, 400) << "the timed run's, which had no company";
  const ProfiledTransition *again = transitionFrom(joined->profile, {"feed(int)", get}, get);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->local.mean, 3000);
}

TEST(Visits, WhatOnlyTheOtherRunKnowsComesFromThereIfItHasTimes) {
  const Expected<ProfileWithVisits> joined = withVisits(alone(), inCompany(false));
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_THAT(joined->notes, IsEmpty());
  EXPECT_EQ(sectionAt(joined->profile, {"serve(int)", take})->hold.mean, 70);
  EXPECT_EQ(transitionFrom(joined->profile, {"serve(int)", take}, get)->local.mean, 50);
}

TEST(Visits, FewTimesGiveWayToMany) {
  // Five reads, one of them with an interrupt, against a hundred of the other run.
  Profile seldom = alone();
  for (ProfiledSection &section : seldom.sections)
    section.hold = {5, 4000, 80e6, 10, 20'000};
  const auto mean = [](const Profile &timed, bool counts) {
    const Expected<ProfileWithVisits> joined = withVisits(timed, inCompany(counts));
    EXPECT_TRUE(joined);
    return sectionAt(joined->profile, {"serve(int)", get})->hold.mean;
  };
  EXPECT_EQ(mean(seldom, false), 9000);
  EXPECT_EQ(mean(seldom, true), 4000) << "there is nothing better";
  EXPECT_EQ(mean(alone(), false), 400) << "a thousand are enough";
}

TEST(Visits, SaysWhatIsNotKnown) {
  const Expected<ProfileWithVisits> joined = withVisits(alone(), inCompany(true));
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_THAT(joined->notes,
              ElementsAre(HasSubstr("never timed, so that their holding times are not known: "
                                    "Queue::take:77; record that run with times"),
                          HasSubstr("% of the ways from section to section were counted")));
  EXPECT_EQ(sectionAt(joined->profile, {"serve(int)", take})->hold.count, 0u);
  EXPECT_EQ(transitionFrom(joined->profile, {"serve(int)", take}, get)->local.mean, 3000)
      << "of the ways to the same section";
}

TEST(Visits, NeedARunWithTimesOfTheSameProgram) {
  const Expected<ProfileWithVisits> untimed = withVisits(inCompany(true), alone());
  ASSERT_FALSE(untimed);
  EXPECT_THAT(untimed.error().message, HasSubstr("no run with times"));
  Profile other = inCompany(true);
  other.program = "other";
  for (ProfiledSite &site : other.sites)
    site.file = "other.cc";
  const Expected<ProfileWithVisits> foreign = withVisits(alone(), other);
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message, HasSubstr("'other' for --visits has no site in common"));
}
