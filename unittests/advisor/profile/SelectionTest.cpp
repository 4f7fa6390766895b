// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/Selection.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// Five locks, each the first by one figure.
Profile fiveLocks() {
  ProfileBuilder b;
  const std::size_t threads = b.threads("serve(int)", 4);
  const auto add = [&](const char *name, std::uint64_t acquisitions, double holdNs,
                       std::uint64_t contended, double waitNs, std::size_t instances) {
    const std::size_t lock = b.lockClass(name, LockKind::pthreadMutex);
    for (std::size_t i = 0; i < instances; ++i)
      b.lock(lock, 0x1000 * (lock + 1) + i, acquisitions / instances);
    const auto line = static_cast<std::uint32_t>(b.profile.sites.size());
    ProfiledSection &section =
        b.profile.sections[b.section(threads, b.site(name, line), lock, acquisitions, holdNs)];
    section.contended = contended;
    section.waitContended = constant(contended, waitNs);
  };
  add("held", 100, 4000, 1, 10, 10);
  add("used", 100, 3000, 2, 10, 1);
  add("often", 1000, 10, 3, 10, 1);
  add("rarely", 10, 10, 9, 10, 1);
  add("waited", 100, 10, 5, 5000, 1);
  return b.profile;
}

std::vector<std::string> names(const ProfileSummary &summary) {
  std::vector<std::string> result;
  for (const LockSummary &lock : summary.locks)
    result.push_back(lock.name);
  return result;
}

ProfileSummary selected(const Profile &profile, const Selection &selection) {
  const Expected<ProfileSummary> summary = select(summarize(profile), profile, selection);
  EXPECT_TRUE(summary) << summary.error().message;
  return summary ? *summary : ProfileSummary();
}

std::string refusal(const Profile &profile, const Selection &selection) {
  const Expected<ProfileSummary> summary = select(summarize(profile), profile, selection);
  EXPECT_FALSE(summary);
  return summary ? "" : summary.error().message;
}

} // namespace

TEST(Selection, SortsByEveryKey) {
  const std::pair<const char *, const char *> first[] = {{"wait", "waited"},
                                                         {"hold", "held"},
                                                         {"util", "used"},
                                                         {"con", "rarely"},
                                                         {"total", "often"}};
  std::vector<std::string> tested;
  for (const auto &[key, lock] : first) {
    EXPECT_EQ(names(selected(fiveLocks(), {.sort = key})).front(), lock) << key;
    tested.emplace_back(key);
  }
  EXPECT_EQ(sortKeys(), tested);
  EXPECT_THAT(refusal(fiveLocks(), {.sort = "name"}), HasSubstr("--sort name: give one of wait"));
}

TEST(Selection, SortsSitesToo) {
  Profile profile = sampleProfile();
  const auto firstLine = [&](const char *key) {
    return profile.sites[selected(profile, {.sort = key}).locks[0].sites[0].site].line;
  };
  EXPECT_EQ(firstLine("total"), 42u);
  profile.sections[2].contended = 1;
  EXPECT_EQ(firstLine("con"), 57u);
}

TEST(Selection, FallsBackOnTheTimeHeldWhereNobodyWaited) {
  EXPECT_THAT(names(selected(sampleProfile(), {})), ElementsAre("Db::m", "Log::m"));
}

TEST(Selection, TakesTheFirstAfterSorting) {
  EXPECT_THAT(names(selected(fiveLocks(), {.sort = "total", .top = 1})), ElementsAre("often"));
  EXPECT_EQ(selected(fiveLocks(), {.top = 99}).locks.size(), 5u);
}

TEST(Selection, FindsLocksByAPartOfTheirNames) {
  EXPECT_THAT(names(selected(sampleProfile(), {.lock = "Log"})), ElementsAre("Log::m"));
  EXPECT_THAT(
      refusal(sampleProfile(), {.lock = "Lag"}),
      HasSubstr("--lock Lag: no lock that was acquired is so called; there are Db::m, Log::m"));
}

TEST(Selection, FindsSitesByFileAndLine) {
  const Profile profile = sampleProfile();
  for (const char *site : {"db.cc:57", "src/db.cc:57"}) {
    const ProfileSummary summary = selected(profile, {.site = site});
    EXPECT_THAT(names(summary), ElementsAre("Db::m"));
    ASSERT_EQ(summary.locks[0].sites.size(), 1u);
    EXPECT_EQ(profile.sites[summary.locks[0].sites[0].site].line, 57u);
    EXPECT_EQ(summary.locks[0].measured.acquisitions, 1001u) << "the lock's own figures stay";
  }
  EXPECT_EQ(selected(profile, {.site = "db.cc"}).locks[0].sites.size(), 2u);
  for (const char *site : {"b.cc", "db.cc:5", "db.cc:", "57", "db.cc:577"})
    EXPECT_THAT(refusal(profile, {.site = site}), HasSubstr("no lock was acquired there"));
  EXPECT_THAT(refusal(profile, {.lock = "Log", .site = "db.cc"}),
              HasSubstr("sites are src/log.cc:12"));
}

TEST(Selection, NamesAFewOfMany) {
  ProfileBuilder b;
  const std::size_t threads = b.threads("main", 1, true);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::string name = "lock" + std::to_string(i);
    b.section(threads, b.site("f()", i), b.lockClass(name, LockKind::pthreadMutex), 1, 10 - i);
  }
  EXPECT_THAT(refusal(b.profile, {.lock = "x"}),
              HasSubstr("lock0, lock1, lock2, lock3, lock4 and 3 more"));
}
