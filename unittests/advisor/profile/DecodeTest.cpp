// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/format/Decode.h"
#include "advisor/profile/format/Encode.h"
#include "advisor/profile/summary/Summary.h"
#include "runtime/abi/site_record.h"
#include "unittests/advisor/profile/ProfileBytes.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::HasSubstr;

TEST(Decode, ReturnsWhatWasEncoded) {
  Profile before = sampleProfile();
  before.transitions[1].barriers = 7;
  const std::string bytes = encodeProfile(before);
  const Expected<Profile> after = decodeProfile(bytes, "a.qdprof");
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(encodeProfile(*after), bytes);
  EXPECT_EQ(after->program, "kvtest");
  EXPECT_EQ(after->sites[1].function, "Db::put(int, int)");
  EXPECT_EQ(after->sites[1].sectionHash, before.sites[1].sectionHash);
  EXPECT_EQ(after->lockClasses[1].declLine, 11u);
  EXPECT_EQ(after->locks[0].heldNs, 472900);
  EXPECT_EQ(after->threadClasses[1].line, 90u);
  EXPECT_EQ(after->sections[3].inside, 2u);
  EXPECT_EQ(after->sections[1].hold.mean, 400);
  EXPECT_EQ(after->sections[1].holdHistogram.buckets, before.sections[1].holdHistogram.buckets);
  EXPECT_FALSE(after->transitions[0].from);
  EXPECT_EQ(after->transitions[1].blocked.mean, 9e8);
  EXPECT_EQ(after->transitions[1].barriers, 7u);
  EXPECT_EQ(after->windows[1].sections[0].acquisitions, 400u);
  EXPECT_EQ(after->windows[1].threads[0].active, 1u);
}

/// With a site known by its caller, and locks that came and went.
Profile profileWithCallers() {
  Profile profile = sampleProfile();
  profile.sites[1].role = static_cast<std::uint32_t>(SiteRole::wrapper);
  profile.sites[1].flags |= siteByCaller;
  profile.sites[1].caller = {"/usr/bin/kvtest", 0x1234};
  profile.closedLocks.push_back({0, 1, 1000, 2500, 3, 4e5, 1e4});
  return profile;
}

TEST(Decode, ReturnsCallersAndLocksOfThePast) {
  const std::string bytes = encodeProfile(profileWithCallers());
  const Expected<Profile> after = decodeProfile(bytes, "a.qdprof");
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(encodeProfile(*after), bytes);
  EXPECT_FALSE(after->sites[0].caller);
  ASSERT_TRUE(after->sites[1].caller);
  EXPECT_EQ(after->sites[1].caller->module, "/usr/bin/kvtest");
  EXPECT_EQ(after->sites[1].caller->offset, 0x1234u);
  ASSERT_EQ(after->closedLocks.size(), 1u);
  EXPECT_EQ(after->closedLocks[0].instances, 1000u);
  EXPECT_EQ(after->closedLocks[0].waitNs, 1e4);
}

TEST(Decode, ReturnsWhoTakesLocks) {
  Profile before = sampleProfile();
  before.takers = {{0, 1, 4, 3, 1000, 990, 5e6, 4e6}, {0, std::nullopt, 1, 0, 7, 0, 10, 0}};
  before.takers[0].runs = 2;
  const std::string bytes = encodeProfile(before);
  const Expected<Profile> after = decodeProfile(bytes, "a.qdprof");
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(encodeProfile(*after), bytes);
  ASSERT_EQ(after->takers.size(), 2u);
  EXPECT_EQ(after->takers[0].runs, 2u);
  EXPECT_EQ(after->takers[1].runs, 1u);
  EXPECT_EQ(after->takers[0].threadClass, 1u);
  EXPECT_EQ(after->takers[0].owners, 3u);
  EXPECT_EQ(after->takers[0].ofOwned, 990u);
  EXPECT_EQ(after->takers[0].ofOwnedHeldNs, 4e6);
  EXPECT_FALSE(after->takers[1].threadClass);
  // Nobody knows it of an older profile, nor of one thread.
  EXPECT_TRUE(decodeProfile(encodeProfile(sampleProfile()), "a.qdprof")->takers.empty());
}

TEST(Decode, ReturnsWhatNoHookToldOf) {
  Profile before = sampleProfile();
  // Two records of a module are one.
  before.unseen = {{"/lib/b.so", 3}, {"/lib/a.so", 5}, {"/lib/b.so", 4}};
  const Expected<Profile> after = decodeProfile(encodeProfile(before), "a.qdprof");
  ASSERT_TRUE(after) << after.error().message;
  ASSERT_EQ(after->unseen.size(), 2u);
  EXPECT_EQ(after->unseen[0].module, "/lib/a.so");
  EXPECT_EQ(after->unseen[0].acquisitions, 5u);
  EXPECT_EQ(after->unseen[1].module, "/lib/b.so");
  EXPECT_EQ(after->unseen[1].acquisitions, 7u);
  // Older profiles have no such table.
  EXPECT_TRUE(decodeProfile(encodeProfile(sampleProfile()), "a.qdprof")->unseen.empty());
}

TEST(Decode, ReturnsWhatCopiesTook) {
  Profile before = sampleProfile();
  before.copies = {{"a processor", 4, 2, 1e9, 1.2e9}, {"", 8, 4, 2e9, 1.9e9}};
  const std::string bytes = encodeProfile(before);
  const Expected<Profile> after = decodeProfile(bytes, "a.qdprof");
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(encodeProfile(*after), bytes);
  EXPECT_EQ(after->copies, before.copies);
  // Older profiles have no such table.
  EXPECT_TRUE(decodeProfile(encodeProfile(sampleProfile()), "a.qdprof")->copies.empty());
}

/// With a site reached by two paths, one of them not looked up yet, and by others.
Profile profileWithPaths() {
  Profile profile = sampleProfile();
  profile.sites.push_back(profile.sites[0]);
  profile.sites.back().path = {{{"/usr/bin/kvtest", 0x1234}, "", "", 0, true},
                               {{"/usr/bin/kvtest", 0x5678}, "", "", 0, false}};
  profile.sites.push_back(profile.sites[0]);
  profile.sites.back().path = {{{}, "serve(int)", "src/server.cc", 12, false},
                               {{}, "main", "src/main.cc", 3, false}};
  return profile;
}

TEST(Decode, ReturnsCallPaths) {
  const Profile before = profileWithPaths();
  const std::string bytes = encodeProfile(before);
  const Expected<Profile> after = decodeProfile(bytes, "a.qdprof");
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(encodeProfile(*after), bytes);
  ASSERT_EQ(after->sites.size(), before.sites.size());
  for (std::size_t i = 0; i < before.sites.size(); ++i)
    EXPECT_EQ(after->sites[i].path, before.sites[i].path) << i;
}

TEST(Decode, RefusesCallPathsThatCannotBe) {
  const std::uint32_t second = static_cast<std::uint32_t>(sampleProfile().sites.size()) + 1;
  const auto errorAfter = [](const std::function<void(std::string &)> &change) {
    std::string bytes = encodeProfile(profileWithPaths());
    change(bytes);
    return errorOf(sealed(bytes));
  };
  const auto caller = [](std::string &bytes, int index) -> format::CallerEntry & {
    return recordOf<format::CallerEntry>(bytes, format::Table::callers, index);
  };
  EXPECT_THAT(errorAfter([&](std::string &bytes) {
                recordOf<format::SiteEntry>(bytes, format::Table::sites, 0).path = 5;
              }),
              HasSubstr("site 0 names path frame 4 of 4"));
  EXPECT_THAT(errorAfter([&](std::string &bytes) { caller(bytes, 3).next = 99; }),
              HasSubstr("names path frame 98 of 4"));
  for (const std::uint32_t back : {3u, 4u})
    EXPECT_THAT(
        errorAfter([&](std::string &bytes) { caller(bytes, 3).next = back; }),
        HasSubstr("the call path of site " + std::to_string(second) + " goes back in the table"));
  EXPECT_THAT(errorAfter([&](std::string &bytes) { caller(bytes, 3).function = 1u << 30; }),
              HasSubstr("a string begins at byte"));
  Profile endless = sampleProfile();
  endless.sites[0].path.resize(257);
  EXPECT_THAT(errorOf(encodeProfile(endless)),
              HasSubstr("the call path of site 0 has more than 256 frames"));
}

/// With readers of the first lock, which the writer of section 1 meets.
Profile profileWithReaders() {
  Profile profile = sampleProfile();
  profile.lockClasses[0].readers = {3, 7e5, {40, 9000, 1e6, 100, 50000}};
  profile.sections[1].contendedByWriter = 2;
  profile.sections[1].waitByWriter = {2, 700, 200, 600, 800};
  return profile;
}

TEST(Decode, ReturnsReadersAndWhoTheWritersWaitedFor) {
  const std::string bytes = encodeProfile(profileWithReaders());
  const Expected<Profile> after = decodeProfile(bytes, "a.qdprof");
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(encodeProfile(*after), bytes);
  EXPECT_EQ(after->lockClasses[0].readers.most, 3u);
  EXPECT_EQ(after->lockClasses[0].readers.heldNs, 7e5);
  EXPECT_EQ(after->lockClasses[0].readers.busy.max, 50000);
  EXPECT_EQ(after->lockClasses[1].readers.busy.count, 0u);
  EXPECT_EQ(after->sections[1].contendedByWriter, 2u);
  EXPECT_EQ(after->sections[1].waitByWriter.mean, 700);
}

Profile profileWithMemory() {
  Profile profile = sampleProfile();
  SectionMemory &memory = profile.sections[2].memory.emplace();
  memory.executions = 200;
  memory.site = 7;
  memory.overlaps[0] = {5, 0, 100};
  memory.chainedLines = 200;
  memory.reads = 1000;
  memory.writes = 600;
  memory.sharedAccesses = 400;
  memory.safeAccesses = 40;
  memory.others = {100, 24, 100, 24, 124};
  memory.own = {5, 1, 2, 3, 4};
  memory.writers = 150;
  memory.othersOfWriters = {90, 20};
  memory.ownOfWriters = {4, 1};
  memory.readAfter[11] = 7;
  memory.writtenAfter[0] = 300;
  memory.lines[255] = 9;
  return profile;
}

TEST(Decode, ReturnsWhatSectionsDoToMemory) {
  const std::string bytes = encodeProfile(profileWithMemory());
  const Expected<Profile> after = decodeProfile(bytes, "a.qdprof");
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(encodeProfile(*after), bytes);
  EXPECT_FALSE(after->sections[1].memory);
  ASSERT_TRUE(after->sections[2].memory);
  const SectionMemory &memory = *after->sections[2].memory;
  EXPECT_EQ(memory.mean(memory.reads), 5);
  EXPECT_EQ(memory.sharedShare(), 0.25);
  EXPECT_EQ(memory.safeAccesses, 40u);
  EXPECT_EQ(memory.site, 7u);
  EXPECT_EQ(memory.overlaps[0].executions, 100u);
  EXPECT_EQ(memory.chainedLines, 200u);
  EXPECT_EQ(memory.others.lines, 124u);
  EXPECT_EQ(memory.own.lineConflicts, 2u);
  EXPECT_EQ(memory.writers, 150u);
  EXPECT_EQ(memory.othersOfWriters.pairs, 90u);
  EXPECT_EQ(memory.ownOfWriters.conflicts, 1u);
  EXPECT_EQ(memory.readAfter[11], 7u);
  EXPECT_EQ(memory.writtenAfter[0], 300u);
  EXPECT_EQ(memory.lines[255], 9);
}

TEST(Decode, RefusesMemoryAccessesThatCannotBe) {
  const auto refusal = [](auto damage) {
    std::string bytes = encodeProfile(profileWithMemory());
    damage(recordOf<format::MemoryEntry>(bytes, format::Table::memory, 0));
    return errorOf(sealed(bytes));
  };
  EXPECT_THAT(refusal([](format::MemoryEntry &entry) { entry.section = 4; }),
              HasSubstr("memory 0 names section 4 of 4"));
  const std::string contradiction = "memory accesses of section 2 contradicts itself";
  EXPECT_THAT(refusal([](format::MemoryEntry &entry) { entry.executions = 0; }),
              HasSubstr(contradiction));
  EXPECT_THAT(refusal([](format::MemoryEntry &entry) { entry.safeAccesses = 401; }),
              HasSubstr(contradiction));
  EXPECT_THAT(refusal([](format::MemoryEntry &entry) { entry.overlaps[1].site = 5; }),
              HasSubstr(contradiction));
  EXPECT_THAT(refusal([](format::MemoryEntry &entry) { entry.others.conflicts = 101; }),
              HasSubstr(contradiction));
  EXPECT_THAT(refusal([](format::MemoryEntry &entry) { entry.own.pairs = 1; }),
              HasSubstr(contradiction));
  EXPECT_THAT(refusal([](format::MemoryEntry &entry) { entry.writers = 201; }),
              HasSubstr(contradiction));
  EXPECT_THAT(refusal([](format::MemoryEntry &entry) { entry.othersOfWriters.pairs = 101; }),
              HasSubstr(contradiction));
  EXPECT_THAT(refusal([](format::MemoryEntry &entry) { entry.ownOfWriters.conflicts = 2; }),
              HasSubstr(contradiction));
}

/// The low bits of a line's hash choose the register; the number of leading zeros and one is kept.
TEST(SectionMemory, EstimatesDistinctLines) {
  std::mt19937_64 random(1);
  for (const unsigned count : {0u, 10u, 300u, 3000u, 100'000u}) {
    SectionMemory memory;
    for (unsigned i = 0; i < count; ++i) {
      const std::uint64_t hash = random();
      std::uint8_t &rank = memory.lines[hash % format::sketchRegisters];
      rank = std::max(rank, static_cast<std::uint8_t>(1 + std::countl_zero(hash)));
    }
    EXPECT_NEAR(memory.distinctLines(), count, 0.2 * count) << "three standard errors";
  }
}

/// Cuts the records of a table as an older runtime wrote them.
void shorten(std::string &bytes, format::Table table, std::size_t recordSize) {
  format::TableEntry &entry = entryOf(bytes, table);
  for (std::size_t i = 0; i < entry.count; ++i)
    std::memmove(bytes.data() + entry.offset + i * recordSize,
                 bytes.data() + entry.offset + i * entry.recordSize, recordSize);
  entry.recordSize = static_cast<std::uint32_t>(recordSize);
}

TEST(Decode, ReadsDiagnosesFromBeforeSafeAccessesWereToldApart) {
  std::string bytes = encodeProfile(profileWithMemory());
  shorten(bytes, format::Table::memory, offsetof(format::MemoryEntry, safeAccesses));
  const Expected<Profile> profile = decodeProfile(sealed(bytes), "a.qdprof");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->sections[2].memory->sharedAccesses, 400u);
  EXPECT_EQ(profile->sections[2].memory->safeAccesses, 0u);
}

TEST(Decode, TakesTakersOfOlderProfilesToBeOfAllRuns) {
  Profile before = sampleProfile();
  before.runs = 5;
  before.takers = {{0, 1, 4, 3, 1000, 990, 5e6, 4e6}};
  std::string bytes = encodeProfile(before);
  shorten(bytes, format::Table::takers, offsetof(format::TakersEntry, runs));
  const Expected<Profile> profile = decodeProfile(sealed(bytes), "a.qdprof");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->takers[0].threads, 4u);
  EXPECT_EQ(profile->takers[0].runs, 5u);
}

TEST(Decode, ReadsProfilesFromBeforeThereWereCallersAndReaders) {
  std::string bytes = encodeProfile(profileWithReaders());
  shorten(bytes, format::Table::sites, offsetof(format::SiteEntry, caller));
  shorten(bytes, format::Table::lockClasses, offsetof(format::LockClassEntry, maxReaders));
  shorten(bytes, format::Table::sections, offsetof(format::SectionEntry, contendedByWriter));
  shorten(bytes, format::Table::transitions, offsetof(format::TransitionEntry, barriers));
  const Expected<Profile> profile = decodeProfile(sealed(bytes), "a.qdprof");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(encodeProfile(*profile), encodeProfile(sampleProfile()));
}

TEST(Decode, TellsOneRunFromSeveralWhereTheyWereNotCounted) {
  const auto runsOf = [](const Profile &profile) {
    std::string bytes = encodeProfile(profile);
    shorten(bytes, format::Table::run, offsetof(format::RunRecord, runs));
    const Expected<Profile> older = decodeProfile(sealed(bytes), "a.qdprof");
    EXPECT_TRUE(older) << older.error().message;
    return older ? older->runs : 99;
  };
  Profile several = sampleProfile();
  EXPECT_EQ(runsOf(several), 1u);
  several.pid = 0;
  EXPECT_EQ(runsOf(several), 0u) << "they were not one process";
  several = sampleProfile();
  several.sections[0].hold.merge(several.sections[0].hold);
  EXPECT_EQ(runsOf(several), 0u) << "only merging leaves exact sums";
}

TEST(Decode, ReadsCallersFromBeforeThereWerePaths) {
  std::string bytes = encodeProfile(profileWithCallers());
  shorten(bytes, format::Table::callers, offsetof(format::CallerEntry, function));
  const Expected<Profile> profile = decodeProfile(sealed(bytes), "a.qdprof");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(encodeProfile(*profile), encodeProfile(profileWithCallers()));
}

TEST(Decode, RefusesCallersAndLocksThatCannotBe) {
  const auto errorAfter = [](const std::function<void(std::string &)> &change) {
    std::string bytes = encodeProfile(profileWithCallers());
    change(bytes);
    return errorOf(sealed(bytes));
  };
  const auto instances = [](std::string &bytes) -> format::InstancesEntry & {
    return recordOf<format::InstancesEntry>(bytes, format::Table::instances, 0);
  };
  EXPECT_THAT(errorAfter([](std::string &bytes) {
                recordOf<format::SiteEntry>(bytes, format::Table::sites, 1).caller = 1;
              }),
              HasSubstr("site 1 names caller 1 of 1"));
  EXPECT_THAT(errorAfter([&](std::string &bytes) { instances(bytes).lockClass = 99; }),
              HasSubstr("names lock class 99"));
  EXPECT_THAT(errorAfter([&](std::string &bytes) { instances(bytes).bucket = 64; }),
              HasSubstr("names bucket 64 of 64"));
  EXPECT_THAT(errorAfter([&](std::string &bytes) { instances(bytes).instances = 0; }),
              HasSubstr("0 locks with 2500 acquisitions are not of bucket 1"));
  EXPECT_THAT(errorAfter([&](std::string &bytes) { instances(bytes).acquisitions = 4000; }),
              HasSubstr("1000 locks with 4000 acquisitions are not of bucket 1"));
}

TEST(Decode, RefusesEveryTruncationInOneLine) {
  const std::string bytes = encodeProfile(sampleProfile());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string error = errorOf(bytes.substr(0, size));
    ASSERT_THAT(error, HasSubstr(size == 0 ? "empty" : "cut short")) << size;
    ASSERT_EQ(error.find('\n'), std::string::npos) << size;
  }
}

TEST(Decode, SaysHowMuchOfATruncatedFileIsThere) {
  const std::string bytes = encodeProfile(sampleProfile());
  EXPECT_EQ(errorOf(bytes.substr(0, 1000)),
            "a.qdprof: its header says " + std::to_string(bytes.size()) +
                " bytes, the file has 1000: it was cut short; record again");
}

TEST(Decode, RefusesEveryFlippedBitInOneLine) {
  std::string bytes = encodeProfile(sampleProfile());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      const std::string error = errorOf(bytes);
      ASSERT_FALSE(error.empty()) << "bit " << bit << " of byte " << at;
      ASSERT_EQ(error.find('\n'), std::string::npos) << error;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
    }
  }
}

// Whoever makes the checksum right can put anything into a profile: what is accepted
// must still be safe to work with.
TEST(Decode, SurvivesEveryChangedByteBehindARightChecksum) {
  const std::string bytes = encodeProfile(sampleProfile());
  std::size_t refused = 0;
  for (std::size_t at = sizeof(format::FileHeader); at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const Expected<Profile> profile = decodeProfile(sealed(changed), "a.qdprof");
      refused += !profile;
      if (profile)
        summarize(*profile);
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(Decode, RefusesWhatIsNoProfile) {
  EXPECT_EQ(errorOf("#!/bin/sh\nexit 0\n"),
            "a.qdprof: not a profile (it does not begin with QDPROF); `qdadvise record` writes "
            "one");
}

TEST(Decode, RefusesAnotherVersion) {
  std::string bytes = encodeProfile(sampleProfile());
  reinterpret_cast<format::FileHeader *>(bytes.data())->version = 7;
  EXPECT_THAT(errorOf(bytes), HasSubstr("profile of version 7, but this qdadvise reads version 1"));
}

TEST(Decode, RefusesBytesThatWereAdded) {
  EXPECT_THAT(errorOf(encodeProfile(sampleProfile()) + "x"), HasSubstr("something was added"));
}

TEST(Decode, AcceptsLongerRecordsOfANewerRuntime) {
  std::string bytes = encodeProfile(sampleProfile());
  format::TableEntry &windows = entryOf(bytes, format::Table::windows);
  ASSERT_EQ(windows.count, 2u);
  windows.recordSize *= 2; // one record of twice the size
  windows.count = 1;
  entryOf(bytes, format::Table::windowSections).count = 1;
  entryOf(bytes, format::Table::windowThreads).count = 1;
  const Expected<Profile> profile = decodeProfile(sealed(bytes), "a.qdprof");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->windows.size(), 1u);
  EXPECT_EQ(profile->windows[0].durationNs, 5e8);
}

TEST(Decode, GivesTheOtherBucketStandInsThatCanBeFollowed) {
  Profile profile = sampleProfile();
  ProfiledSection other;
  other.other = true;
  other.threadClass = 1;
  profile.sections.push_back(other);
  std::string bytes = encodeProfile(profile);
  auto &record = recordOf<format::SectionEntry>(bytes, format::Table::sections, 4);
  record.site = record.lockClass = format::none;
  const Expected<Profile> decoded = decodeProfile(sealed(bytes), "a.qdprof");
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->lockClasses[decoded->sections[4].lockClass].name, "(other)");
  EXPECT_EQ(decoded->sites[decoded->sections[4].site].expression, "(other)");
}

TEST(Decode, RefusesStringsThatUnfoldWithoutEnd) {
  // Many sites that share one long string: a small file, and an absurd amount of text.
  Profile profile = sampleProfile();
  ProfiledSite site;
  site.file = site.function = site.expression = site.lockName = std::string(200000, 'x');
  profile.sites.assign(2000, site);
  profile.sections.clear();
  profile.transitions.clear();
  profile.windows.clear();
  EXPECT_THAT(errorOf(encodeProfile(profile)), HasSubstr("unfold to an absurd size"));
}

TEST(Decode, RefusesCountsWhoseSumIsNoInteger) {
  Profile profile = sampleProfile();
  profile.sections[0].hold.count = std::uint64_t{1} << 63;
  EXPECT_THAT(errorOf(encodeProfile(profile)),
              HasSubstr("section 0 counts up to an absurd number"));
  profile = sampleProfile();
  profile.locks[0].acquisitions = std::uint64_t{1} << 56;
  EXPECT_THAT(errorOf(encodeProfile(profile)), HasSubstr("counts up to an absurd number"));
}

TEST(ReadProfile, NamesWhatCannotBeRead) {
  const Expected<Profile> missing = readProfile("/nonexistent/a.qdprof");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "cannot read /nonexistent/a.qdprof: No such file or directory");
  const Expected<Profile> folder = readProfile("/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "cannot read /: Is a directory");
}

TEST(ReadProfile, ReadsAFile) {
  const std::string path = ::testing::TempDir() + "/read-profile-test.qdprof";
  std::ofstream(path, std::ios::binary) << encodeProfile(sampleProfile());
  const Expected<Profile> profile = readProfile(path);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->host, "lab");
  std::filesystem::remove(path);
}
