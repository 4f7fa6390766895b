// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites told apart by call paths, up to the profile.
#include "runtime/sites/sites.h"

#include "advisor/profile/Profile.h"
#include "advisor/profile/format/Decode.h"
#include "runtime/output/writer.h"
#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

/// Code whose addresses serve as return addresses: known to be of this program.
void code() {}
std::uint64_t place(unsigned number) { return reinterpret_cast<std::uintptr_t>(&code) + number; }

SiteRecord record(SiteRole role, std::uint32_t line, const char *file, std::uint32_t flags = 0) {
  SiteRecord made{};
  made.version = siteRecordVersion;
  made.role = role;
  made.kind = LockKind::pthreadMutex;
  made.flags = flags;
  made.line = line;
  made.file = file;
  made.function = "f(int)";
  made.expression = made.lockName = "paths";
  made.lockType = made.declFile = "";
  return made;
}

/// The site of a record, which lasts as long as the program; with siteDetour.
std::uint32_t added(const SiteRecord &made, const char *places) {
  static std::deque<SiteRecord> records;
  Sites &sites = Sites::instance();
  sites.choosePaths(places, 512);
  sites.addOne(records.emplace_back(made));
  return records.back().index - 1;
}

bool isChosen(const char *places, const SiteRecord &made) {
  return (added(made, places) & siteDetour) != 0;
}

TEST(ChosenSites, AreNamedByFileAndLine) {
  const SiteRecord at = record(SiteRole::acquire, 42, "src/paths.cc");
  for (const char *places : {"paths.cc", "src/paths.cc", "paths.cc:42", "a.cc,paths.cc:42,b.cc"})
    EXPECT_TRUE(isChosen(places, at)) << places;
  for (const char *places : {"", ",", ":42", "aths.cc", "rc/paths.cc", "paths.cc:4", "paths.cc:421",
                             "paths.cc:", "x/src/paths.cc", "paths.c"})
    EXPECT_FALSE(isChosen(places, at)) << places;
}

TEST(ChosenSites, TakeALock) {
  EXPECT_TRUE(isChosen("roles.cc", record(SiteRole::wait, 1, "roles.cc")));
  EXPECT_TRUE(isChosen("roles.cc", record(SiteRole::wrapper, 2, "roles.cc")));
  EXPECT_FALSE(isChosen("roles.cc", record(SiteRole::release, 3, "roles.cc")));
  EXPECT_FALSE(isChosen("roles.cc", record(SiteRole::block, 4, "roles.cc")));
}

class PathSites : public testing::Test {
protected:
  void SetUp() override {
    static std::uint32_t line = 100;
    lineOfPlain = ++line;
    lineOfBody = ++line;
    plain = added(record(SiteRole::acquire, lineOfPlain, "tree.cc"), "tree.cc") & ~siteDetour;
    body = added(record(SiteRole::wrapper, lineOfBody, "tree.cc", siteByCaller), "tree.cc") &
           ~siteDetour;
    s.context.sites = Sites::instance().traits();
    s.context.callerSite = [](std::uint32_t site, std::uint64_t address) {
      return Sites::instance().callerSite(site, address);
    };
  }

  std::uint32_t path(std::uint32_t of, const std::vector<std::uint64_t> &addresses,
                     std::uint64_t address = 0) {
    return Sites::instance().pathSite(of, address, addresses.data(),
                                      static_cast<unsigned>(addresses.size()));
  }

  /// The acquisitions of a line by path: its frames' places, `own` after the site's own one.
  std::map<std::string, std::uint64_t> writtenOf(std::uint32_t line) {
    s.replay.end(s.now);
    ByteBuffer file;
    RunFacts facts;
    facts.record.durationNs = 1;
    encodeProfile(s.tables, facts, file);
    const auto profile = decodeProfile({file.data(), file.size()}, "test");
    EXPECT_TRUE(profile.has_value()) << profile.error().message;
    std::map<std::string, std::uint64_t> result;
    std::uint64_t base = 0;
    for (const ProfiledSite &site : profile->sites)
      for (const CallFrame &frame : site.path)
        if (site.line == line)
          base = base == 0 ? frame.address.offset : std::min(base, frame.address.offset);
    for (const ProfiledSection &section : profile->sections) {
      const ProfiledSite &site = profile->sites[section.site];
      std::string name = site.caller ? "caller" : "";
      for (const CallFrame &frame : site.path)
        name += " " + std::to_string(frame.address.offset - base) + (frame.own ? "own" : "");
      if (site.line == line)
        result[name] += section.acquisitions;
    }
    return result;
  }

  Stream s;
  std::uint32_t lineOfPlain = 0, lineOfBody = 0, plain = 0, body = 0;
};

TEST_F(PathSites, AreOneForEachPathAndSharedByWhatIsRead) {
  const std::uint32_t first = path(plain, {place(1), place(2), place(3)});
  EXPECT_NE(first, plain);
  EXPECT_EQ(path(plain, {place(1), place(2), place(3)}), first);
  const std::uint32_t second = path(plain, {place(1), place(2), place(4)});
  const std::uint32_t shorter = path(plain, {place(1), place(2)});
  EXPECT_NE(second, first);
  EXPECT_NE(shorter, first);
  for (const std::uint32_t site : {first, second, second, shorter, plain})
    s.after(5).take(site, 64).after(10).release(site, 64);
  EXPECT_EQ(writtenOf(lineOfPlain),
            (std::map<std::string, std::uint64_t>{
                {" 0own 1 2", 1}, {" 0own 1 3", 2}, {" 0own 1", 1}, {"", 1}}))
      << "what has no path is the site itself";
}

TEST_F(PathSites, OfAWrappersBodyBeginWhereItsCallerIsCalled) {
  const std::uint32_t known = path(body, {place(10), place(11), place(12)}, place(11));
  EXPECT_NE(known, body);
  EXPECT_EQ(path(body, {place(11)}, place(11)), body) << "the caller is all";
  for (const std::uint32_t site : {known, body}) {
    s.inFrame(1).after(5).attempt(site, place(11));
    s.inFrame(2).take(plain, 64);
    s.inFrame(1).acquire(site, place(11)).after(10).release(plain, 64);
  }
  EXPECT_EQ(writtenOf(lineOfBody),
            (std::map<std::string, std::uint64_t>{{"caller 0", 1}, {"caller", 1}}));
}

TEST_F(PathSites, BeyondTheirNumberAreTheSiteItself) {
  Sites &sites = Sites::instance();
  const std::uint32_t known = path(plain, {place(1), place(20)});
  sites.choosePaths("tree.cc", 1); // there are more already
  EXPECT_EQ(path(plain, {place(1), place(21)}), plain);
  EXPECT_EQ(path(plain, {place(1), place(20)}), known) << "those that are known stay";
  EXPECT_EQ(path(plain, {place(1)}), plain) << "on the way to one";
  sites.choosePaths("tree.cc", 512);
}

TEST_F(PathSites, OfCodeThatNobodyKnowsAreTheSiteItself) {
  EXPECT_EQ(path(plain, {place(1), 8}), plain);
  EXPECT_EQ(path(plain, {}), plain);
}

TEST_F(PathSites, OutliveTheirCode) {
  const std::uint32_t known = path(plain, {place(1), place(30)});
  const std::uint32_t unloads = Sites::instance().unloads();
  Sites::instance().forgetCallers();
  EXPECT_EQ(Sites::instance().unloads(), unloads + 1);
  EXPECT_EQ(path(plain, {place(1), place(30)}), known) << "the same place in the same file";
}

TEST(Pause, IsNobodysTime) {
  Stream s;
  const std::uint32_t site = s.site();
  s.take(site, 64).after(10).release(site, 64).after(70);
  s.event(pauseInstant, site, 50);
  s.take(site, 64).after(10).release(site, 64);
  ASSERT_NE(s.transition(0, 0), nullptr);
  EXPECT_DOUBLE_EQ(s.transition(0, 0)->local.moments().mean, 20);
  EXPECT_EQ(s.tables.events, 6u) << "nor an event of the program's";
}

} // namespace
