// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites told apart by call paths: one for models, several for a report.
#include "advisor/profile/summary/CallPaths.h"

#include "advisor/profile/format/Encode.h"
#include "advisor/profile/merge/Merge.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

CallFrame frame(const std::string &function) { return {{}, function, "main.cc", 7, false}; }

/// The sample, whose 800 visits of `Db::get` are 500 by `read`, 200 by `scan` and 100 others.
Profile withPaths() {
  ProfileBuilder b;
  b.profile = sampleProfile();
  const std::size_t get = b.profile.sections[1].site;
  const auto reached = [&](std::uint64_t times, const std::string &by) {
    b.profile.sites.push_back(b.profile.sites[get]);
    b.profile.sites.back().path = {frame(by), frame("main")};
    b.profile.sites.back().executed = 0;
    const ProfiledSection &all = b.profile.sections[1];
    const std::size_t section =
        b.section(all.threadClass, b.profile.sites.size() - 1, all.lockClass, times, 400);
    b.profile.sections[section].contended = times / 10;
    b.profile.sections[section].waitContended = constant(times / 10, 2000);
  };
  reached(200, "scan()");
  reached(500, "read()");
  b.profile.sites[get].executed -= 700;
  ProfiledSection &rest = b.profile.sections[1];
  rest.acquisitions = 100;
  rest.hold = constant(100, 400);
  rest.holdHistogram = {};
  addToHistogram(rest.holdHistogram, 400, 100);
  return b.profile;
}

const SiteSummary &siteAt(const ProfileSummary &summary, const Profile &profile,
                          std::uint32_t line) {
  for (const LockSummary &lock : summary.locks)
    for (const SiteSummary &site : lock.sites)
      if (profile.sites[site.site].line == line)
        return site;
  throw "there is no such site";
}

TEST(CallPaths, LeftOutMakeOneOfASitesSections) {
  const Profile profile = withoutPaths(withPaths());
  EXPECT_EQ(profile.sites.size(), sampleProfile().sites.size());
  EXPECT_EQ(profile.sections.size(), sampleProfile().sections.size());
  const ProfiledSection &get = profile.sections[1];
  EXPECT_EQ(get.acquisitions, 800u);
  EXPECT_EQ(get.contended, 70u);
  EXPECT_EQ(get.hold.count, 800u);
  EXPECT_DOUBLE_EQ(get.hold.mean, 400);
  EXPECT_EQ(profile.sites[get.site].executed, sampleProfile().sites[get.site].executed);
  EXPECT_EQ(encodeProfile(withoutPaths(sampleProfile())), encodeProfile(sampleProfile()))
      << "nothing to leave out";
}

TEST(CallPaths, ComeUnderTheirSiteTheMostTravelledFirst) {
  const Profile profile = withPaths();
  const Profile pathless = withoutPaths(profile);
  ProfileSummary summary = summarize(pathless);
  addPaths(summary, pathless, profile);
  const SiteSummary &get = siteAt(summary, pathless, 42);
  ASSERT_EQ(get.paths.size(), 3u);
  EXPECT_THAT(get.paths[0].frames, ElementsAre(frame("read()"), frame("main")));
  EXPECT_EQ(get.paths[0].measured.acquisitions, 500u);
  EXPECT_EQ(get.paths[0].measured.contended, 50u);
  EXPECT_DOUBLE_EQ(get.paths[0].measured.waitContended.sum(), 50 * 2000);
  EXPECT_DOUBLE_EQ(get.paths[0].measured.hold.sum(), 500 * 400);
  EXPECT_THAT(get.paths[1].frames, ElementsAre(frame("scan()"), frame("main")));
  EXPECT_THAT(get.paths[2].frames, IsEmpty()) << "others";
  EXPECT_EQ(get.paths[2].measured.acquisitions, 100u);
  EXPECT_THAT(siteAt(summary, pathless, 57).paths, IsEmpty()) << "not asked for";
}

TEST(CallPaths, OfSeveralRunsAddUp) {
  const Expected<Profile> both = mergeProfiles({withPaths(), withPaths()});
  ASSERT_TRUE(both) << both.error().message;
  const Profile pathless = withoutPaths(*both);
  ProfileSummary summary = summarize(pathless);
  addPaths(summary, pathless, *both);
  const SiteSummary &get = siteAt(summary, pathless, 42);
  ASSERT_EQ(get.paths.size(), 3u);
  EXPECT_EQ(get.paths[0].measured.acquisitions, 1000u);
  EXPECT_EQ(get.paths[2].measured.acquisitions, 200u);
}

} // namespace
