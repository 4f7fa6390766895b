// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/Summary.h"
#include "advisor/profile/Names.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::ElementsAre;

TEST(Names, LoseTheParametersOnly) {
  const std::pair<const char *, const char *> cases[] = {
      {"Db::get(int) const", "Db::get"},
      {"main", "main"},
      {"f(void (*)(int), int)", "f"},
      {"(anonymous namespace)::g(int)", "(anonymous namespace)::g"},
      {"Functor::operator()(int) const", "Functor::operator()"},
      {"Map<int (char)>::put(int)", "Map<int (char)>::put"},
      {"main()::(lambda at x.cc:3)", "main()::(lambda at x.cc:3)"},
      {"odd)", "odd)"},
      {"", ""},
  };
  for (const auto &[function, name] : cases)
    EXPECT_EQ(withoutParameters(function), name);
}

TEST(Names, OfLocksAreUnique) {
  ProfileBuilder b;
  b.lockClass("Shard::m", LockKind::pthreadMutex);
  b.lockClass("Shard::m", LockKind::pthreadMutex);
  b.lockClass("", LockKind::pthreadMutex);
  b.profile.lockClasses[2].declFile.clear();
  const std::size_t threads = b.threads("main", 1, true);
  b.section(threads, b.site("get(int)", 42), 2, 5, 10);
  EXPECT_THAT(lockNames(b.profile),
              ElementsAre("Shard::m@db.h:10", "Shard::m@db.h:11", "m@db.cc:42"));
}

TEST(Names, OfSitesAreUnique) {
  ProfileBuilder b;
  b.site("Db::get(int)", 42);
  b.site("Db::get(char)", 42, "src/other.cc");
  b.site("Db::put(int)", 50);
  EXPECT_THAT(siteNames(b.profile), ElementsAre("Db::get:42:5", "Db::get:42:5 #2", "Db::put:50"));
}

TEST(Names, OfThreadsComeFromWhatTheyRun) {
  ProfileBuilder b;
  b.threads("worker_main(void*)", 1);
  b.threads("NSt6thread11_State_implINS_8_InvokerISt5tupleIJMN12_GLOBAL__N_16ServerEFvvEPS4_"
            "EEEEEE",
            1);
  b.threads("NSt6thread11_State_implINS_8_InvokerISt5tupleIJPFviEiEEEEEE", 1);
  b.threads("f", 1); // would be `float` to a demangler
  b.threads("", 1);
  b.threads(
      "Thread::Thread<std::reference_wrapper<Reader>, bool>(std::reference_wrapper<Reader> &&, "
      "bool &&)::(lambda)",
      1);
  b.threads("main()::(lambda)", 1);
  EXPECT_THAT(threadClassNames(b.profile),
              ElementsAre("worker_main", "member of Server", "function void (int)", "f",
                          "thread@server.cc:90",
                          "Thread::Thread<std::reference_wrapper<Reader>, bool>::(lambda)",
                          "main()::(lambda)"));
}

TEST(Summary, SumsTheSitesOfALockOverThreadClasses) {
  const ProfileSummary summary = summarize(sampleProfile());
  ASSERT_EQ(summary.locks.size(), 2u);
  const LockSummary &db = summary.locks[0];
  EXPECT_EQ(db.name, "Db::m");
  EXPECT_EQ(db.kind, LockKind::pthreadMutex);
  EXPECT_EQ(db.instances, 1u);
  EXPECT_EQ(db.measured.acquisitions, 1001u);
  ASSERT_EQ(db.sites.size(), 2u);
  EXPECT_EQ(db.sites[0].name, "Db::get:42");
  EXPECT_EQ(db.sites[1].measured.acquisitions, 201u);
  EXPECT_NEAR(db.sites[1].measured.hold.mean, (200 * 700 + 900) / 201.0, 1e-9);
}

TEST(Summary, CountsNestedSectionsIntoTheTimeTheOuterLockIsHeld) {
  const ProfileSummary summary = summarize(sampleProfile());
  // 800 x 400 + 200 x 700 + 900 of its own, 400 x (20 + 10 of waiting) inside.
  EXPECT_NEAR(summary.locks[0].measured.heldNs, 320000 + 140000 + 900 + 12000, 1e-6);
  EXPECT_NEAR(summary.locks[0].measured.utilization, 472900 / 1e9, 1e-12);
  EXPECT_NEAR(summary.locks[1].measured.heldNs, 8000, 1e-6);
  EXPECT_TRUE(summary.locks[1].sites[0].nested);
}

TEST(Summary, AveragesUtilizationOverInstances) {
  Profile profile = sampleProfile();
  profile.locks.push_back({1, 0x3000, 1, 0, 0, 0});
  const ProfileSummary summary = summarize(profile);
  EXPECT_EQ(summary.locks[1].instances, 2u);
  EXPECT_NEAR(summary.locks[1].measured.utilization, 8000 / 1e9 / 2, 1e-15);
}

TEST(Summary, CountsReadersAtOnceOnceWhereBusyPeriodsAreKnown) {
  Profile profile = sampleProfile();
  profile.sections[1].shared = true;
  profile.locks[0].heldNs = 0;
  const double writers = (200 * 700 + 900 + 400 * 30) / 1e9;
  LockSummary lock = summarize(profile).locks[0];
  EXPECT_TRUE(lock.readerWriter);
  EXPECT_EQ(lock.readers.acquisitions, 800u);
  EXPECT_EQ(lock.writers.acquisitions, 201u);
  EXPECT_NEAR(lock.readers.utilization, 800 * 400 / 1e9, 1e-12);
  profile.lockClasses[0].readers.busy = constant(2, 5e4);
  lock = summarize(profile).locks[0];
  EXPECT_NEAR(lock.readers.utilization, 1e5 / 1e9, 1e-12);
  EXPECT_NEAR(lock.writers.utilization, writers, 1e-12);
  EXPECT_NEAR(lock.measured.utilization, 1e5 / 1e9 + writers, 1e-12);
}

TEST(Summary, CountsALockAsHeldWhileItsHolderIsBlocked) {
  Profile profile = sampleProfile();
  EXPECT_NEAR(summarize(profile).locks[0].heldBlockedNs, 0, 1e-6);
  profile.locks[0].heldNs += 4e8;
  profile.closedLocks.push_back({0, 0, 1, 1, 0, 1e8, 0});
  LockSummary lock = summarize(profile).locks[0];
  EXPECT_NEAR(lock.heldBlockedNs, 5e8, 1e-3);
  EXPECT_NEAR(lock.measured.heldNs, 5e8 + 472900, 1e-3);
  EXPECT_NEAR(lock.measured.utilization, (5e8 + 472900) / 1e9 / 2, 1e-12) << "of two locks";
  profile.sections[1].shared = true;
  profile.lockClasses[0].readers = {2, 4e8 + 320000, constant(1, 3e8)};
  lock = summarize(profile).locks[0];
  EXPECT_NEAR(lock.readers.utilization, 0.15, 1e-12);
  EXPECT_NEAR(lock.writers.utilization, (1e8 + 152900) / 1e9 / 2, 1e-12);
  EXPECT_NEAR(lock.heldBlockedNs, 1e8, 1e-3) << "of writers";
}

TEST(Summary, AddsUpTheTimeThreadsWereAwakeAndWaited) {
  Profile profile = sampleProfile();
  profile.threadClasses[0].blockedNs = 4e8;
  profile.sections[0].waitContended = constant(1, 5000);
  profile.sections[3].waitContended = constant(10, 100);
  EXPECT_DOUBLE_EQ(summarize(profile).awakeNs, 2e9 - 4e8);
  EXPECT_DOUBLE_EQ(summarize(profile).waitedNs, 6000);
}

TEST(Summary, ListsAcquiringSitesThatNeverRan) {
  const Profile profile = sampleProfile();
  EXPECT_THAT(summarize(profile).notExecuted, ElementsAre(3u));
}

TEST(Summary, KeepsQuantilesWithinWhatWasSeen) {
  const ProfileSummary summary = summarize(sampleProfile());
  const Measured &log = summary.locks[1].measured;
  EXPECT_EQ(log.holdQuantile(0.5), 20);
  EXPECT_EQ(log.holdQuantile(0.99), 20);
}

TEST(Summary, CountsLocksOfThePastAndShowsHowTheTrafficSpreads) {
  Profile profile = sampleProfile();
  profile.locks.clear();
  profile.locks.push_back({0, 0x1000, 500, 5, 0, 0});
  profile.locks.push_back({0, 0x2000, 3, 0, 0, 0});
  profile.closedLocks.push_back({0, 1, 100, 250, 2, 0, 0});
  const ProfileSummary summary = summarize(profile);
  const auto lock = std::find_if(summary.locks.begin(), summary.locks.end(),
                                 [](const LockSummary &one) { return one.lockClass == 0; });
  ASSERT_NE(lock, summary.locks.end());
  EXPECT_EQ(lock->instances, 102u);
  ASSERT_EQ(lock->distribution.size(), 2u);
  EXPECT_EQ(lock->distribution[0].acquisitionsFrom, 2u);
  EXPECT_EQ(lock->distribution[0].acquisitionsTo, 3u);
  EXPECT_EQ(lock->distribution[0].instances, 101u);
  EXPECT_EQ(lock->distribution[0].acquisitions, 253u);
  EXPECT_EQ(lock->distribution[1].acquisitionsFrom, 256u);
  EXPECT_EQ(lock->distribution[1].contended, 5u);
  EXPECT_DOUBLE_EQ(lock->busiestShare, 500.0 / 753);
  EXPECT_EQ(lock->halfTheTraffic, 1u);
}

TEST(Summary, NamesModulesThatTookLocksUnseen) {
  Profile profile = sampleProfile();
  profile.program = "server";
  EXPECT_EQ(unseenLocks(profile), "");
  profile.unseen = {
      {"server", 1}, {"/usr/lib/libfoo.so.1", 12345}, {"/usr/lib/libcrypto.so.3", 512}};
  EXPECT_EQ(unseenLocks(profile),
            "not seen: libfoo.so.1 took locks 12345 times, libcrypto.so.3 512 times and server "
            "itself 1 time, where there are no hooks: code of another compiler, or that was not "
            "built for recording");
  EXPECT_EQ(shortcomings(profile), std::vector{unseenLocks(profile)});
  for (unsigned i = 0; i < 5; ++i)
    profile.unseen.push_back({"lib" + std::to_string(i) + ".so", 10 + i});
  EXPECT_NE(unseenLocks(profile).find("lib3.so 13 times, lib2.so 12 times and 3 more modules 22 "),
            std::string::npos)
      << unseenLocks(profile);
}

TEST(Summary, SaysWhatTheProfileLacks) {
  Profile profile = sampleProfile();
  EXPECT_TRUE(shortcomings(profile).empty());
  profile.flags = format::runCountersOnly;
  profile.dropped = 3;
  EXPECT_EQ(shortcomings(profile).size(), 3u);
  profile.flags |= format::runLacksSlices;
  EXPECT_EQ(shortcomings(profile).size(), 4u);
  profile.flags |= format::runLacksCode;
  EXPECT_EQ(shortcomings(profile).size(), 5u);
}
