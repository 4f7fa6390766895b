// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables to a file that the advisor's reader accepts.
#include "runtime/output/writer.h"

#include "advisor/profile/Profile.h"
#include "advisor/profile/format/Decode.h"
#include "runtime/sites/sites.h"
#include "runtime/threads/thread_classes.h"
#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

SiteRecord record(SiteRole role, std::uint32_t line, const char *lockName) {
  SiteRecord made{};
  made.version = siteRecordVersion;
  made.role = role;
  made.kind = LockKind::pthreadMutex;
  made.line = line;
  made.column = 3;
  made.declLine = 1;
  made.declColumn = 12;
  made.file = "writer.cc";
  made.function = "f(int)";
  made.expression = lockName;
  made.lockName = lockName;
  made.lockType = "std::mutex";
  made.declFile = "writer.h";
  return made;
}

SiteRecord records[] = {record(SiteRole::acquire, 10, "a"), record(SiteRole::release, 12, "a"),
                        record(SiteRole::acquire, 20, "b"), record(SiteRole::acquire, 30, "b")};

class Writer : public testing::Test {
protected:
  void SetUp() override {
    Sites::instance().add(std::begin(records), std::end(records));
    s.context.sites = Sites::instance().traits();
    const std::uint32_t a = records[0].index - 1, b = records[2].index - 1;
    s.after(100).attempt(a, 64, eventTaken).after(40).acquire(a, 64).after(1000).release(a, 64);
    s.after(60).take(a, 64).after(10).take(b, 128).after(500).release(b, 128).release(a, 64);
    s.replay.end(s.now);
    facts.program = "prog";
    facts.host = "host";
    facts.command = "prog --all";
    facts.record.durationNs = 12345;
    facts.record.ticksPerNs = 1;
    facts.record.pid = 77;
  }

  std::string bytes() {
    ByteBuffer file;
    encodeProfile(s.tables, facts, file);
    return {file.data(), file.size()};
  }

  Stream s;
  RunFacts facts;
};

TEST(Crc, IsTheUsualOne) { EXPECT_EQ(runtime::crc32("123456789", 9), 0xcbf43926u); }

TEST_F(Writer, WritesWhatNoHookToldOf) {
  static CountedModules modules;
  facts.unseen = &modules;
  EXPECT_TRUE(decodeProfile(bytes(), "test")->unseen.empty());
  modules.count("", 0);
  for (unsigned thread = 0; thread < 3; ++thread)
    modules.count("/lib/libother.so", thread);
  const auto profile = decodeProfile(bytes(), "test");
  ASSERT_TRUE(profile.has_value());
  ASSERT_EQ(profile->unseen.size(), 2u);
  EXPECT_EQ(profile->unseen[0].module, "/lib/libother.so");
  EXPECT_EQ(profile->unseen[0].acquisitions, 3u);
  EXPECT_EQ(profile->unseen[1].module, "prog") << "the program has no path";
  EXPECT_EQ(profile->unseen[1].acquisitions, 1u);
}

TEST_F(Writer, TheAdvisorReadsWhatWasWritten) {
  const auto profile = decodeProfile(bytes(), "test");
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->program, "prog");
  EXPECT_EQ(profile->host, "host");
  EXPECT_EQ(profile->command, "prog --all");
  EXPECT_EQ(profile->pid, 77u);
  EXPECT_EQ(profile->events, s.tables.events);

  ASSERT_EQ(profile->sites.size(), 3u) << "releases are not listed";
  EXPECT_EQ(profile->sites[0].line, 10u);
  EXPECT_EQ(profile->sites[0].function, "f(int)");
  EXPECT_EQ(profile->sites[0].executed, 2u);
  EXPECT_EQ(profile->sites[2].executed, 0u) << "not executed, but listed";

  ASSERT_EQ(profile->sections.size(), 2u);
  const ProfiledSection &first = profile->sections[0];
  EXPECT_EQ(first.site, 0u);
  EXPECT_EQ(profile->lockClasses[first.lockClass].name, "a");
  EXPECT_EQ(profile->lockClasses[first.lockClass].declLine, 1u);
  EXPECT_EQ(first.acquisitions, 2u);
  EXPECT_EQ(first.contended, 1u);
  EXPECT_DOUBLE_EQ(first.hold.mean, 505);
  EXPECT_DOUBLE_EQ(first.wait.max, 40);
  EXPECT_EQ(first.holdHistogram.buckets.at(bucketOf(1000.0)), 1u);
  ASSERT_TRUE(profile->sections[1].inside.has_value());
  EXPECT_EQ(*profile->sections[1].inside, 0u);

  ASSERT_EQ(profile->transitions.size(), 3u);
  EXPECT_FALSE(profile->transitions[0].from.has_value());
  EXPECT_DOUBLE_EQ(profile->transitions[1].local.mean, 60);
  EXPECT_EQ(profile->transitions[1].blocked.count, 1u);
  EXPECT_EQ(profile->transitions[1].localHistogram.buckets.at(bucketOf(60.0) / 4 * 4 + 2), 1u);

  ASSERT_EQ(profile->threadClasses.size(), 1u) << "classes that nobody ran are left out";
  EXPECT_TRUE(profile->threadClasses[0].isMain);
  ASSERT_EQ(profile->locks.size(), 2u);
  ASSERT_EQ(profile->windows.size(), 1u);
  EXPECT_DOUBLE_EQ(profile->windows[0].durationNs, 12345);
  ASSERT_EQ(profile->windows[0].sections.size(), 2u);
  EXPECT_EQ(profile->windows[0].sections[0].acquisitions, 2u);
}

TEST_F(Writer, AnyFlippedBitIsNoticed) {
  const std::string whole = bytes();
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x10);
    EXPECT_FALSE(decodeProfile(broken, "test").has_value()) << "byte " << at;
  }
  EXPECT_FALSE(decodeProfile(whole.substr(0, whole.size() / 2), "test").has_value());
}

TEST_F(Writer, SectionsBeyondTheLimitAreOneForAllOfThem) {
  Arena arena;
  Tables tables(arena, Limits{1, 10});
  tables.merge(s.tables);
  ByteBuffer file;
  encodeProfile(tables, facts, file);
  const auto profile = decodeProfile({file.data(), file.size()}, "test");
  ASSERT_TRUE(profile.has_value());
  ASSERT_EQ(profile->sections.size(), 2u);
  EXPECT_TRUE(profile->sections[1].other);
  EXPECT_EQ(profile->sites[profile->sections[1].site].function, "(other)");
  EXPECT_EQ(profile->otherSections, 1u);
}

TEST_F(Writer, LeavesNoTemporaryFileAndReplacesTheOldOne) {
  const std::string path = testing::TempDir() + "/writer-test.qdprof";
  ByteBuffer file;
  encodeProfile(s.tables, facts, file);
  ASSERT_EQ(writeFile(path.c_str(), file), 0);
  ASSERT_EQ(writeFile(path.c_str(), file), 0);
  std::ostringstream read;
  read << std::ifstream(path, std::ios::binary).rdbuf();
  EXPECT_TRUE(decodeProfile(read.str(), path).has_value());
  EXPECT_NE(access((path + "." + std::to_string(getpid()) + ".tmp").c_str(), F_OK), 0);
  unlink(path.c_str());
}

TEST_F(Writer, SaysWhyItCannotWrite) {
  ByteBuffer file;
  encodeProfile(s.tables, facts, file);
  EXPECT_EQ(writeFile("/nonexistent-folder/x.qdprof", file), ENOENT);
  EXPECT_EQ(writeFile(testing::TempDir().c_str(), file), EISDIR);
}

TEST_F(Writer, ReplacesNoDeviceAndNoPipe) {
  namespace fs = std::filesystem;
  ByteBuffer file;
  encodeProfile(s.tables, facts, file);
  // Links to devices: a writer that is wrong takes the link, not the machine's device.
  const fs::path folder = fs::path(testing::TempDir()) / "writer-test.folder";
  fs::remove_all(folder);
  fs::create_directory(folder);
  fs::create_symlink("/dev/null", folder / "null");
  fs::create_symlink("/dev/full", folder / "full");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(writeFile((folder / "null").c_str(), file), 0);
  EXPECT_EQ(writeFile((folder / "full").c_str(), file), ENOSPC);
  EXPECT_EQ(writeFile((folder / "pipe").c_str(), file), EEXIST);
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    EXPECT_TRUE(entry.is_symlink() || entry.is_fifo()) << entry.path();
  fs::remove_all(folder);
}

TEST(Sites, EqualRecordsOfTwoObjectsAreOneSite) {
  SiteRecord copies[] = {record(SiteRole::acquire, 100, "c"), record(SiteRole::acquire, 100, "c"),
                         record(SiteRole::acquire, 101, "c")};
  EXPECT_EQ(Sites::instance().add(copies, copies + 3), 0u);
  EXPECT_NE(copies[0].index, 0u);
  EXPECT_EQ(copies[0].index, copies[1].index);
  EXPECT_NE(copies[0].index, copies[2].index);
  const SiteTraits *const traits = Sites::instance().traits();
  EXPECT_EQ(traits[copies[0].index - 1].lockClass, traits[copies[2].index - 1].lockClass);
}

TEST(Sites, RecordsOfAnotherVersionAreLeftAlone) {
  SiteRecord strange = record(SiteRole::acquire, 200, "d");
  strange.version = siteRecordVersion + 1;
  EXPECT_EQ(Sites::instance().add(&strange, &strange + 1), 1u);
  EXPECT_EQ(strange.index, 0u);
}

TEST(Sites, OutliveTheObjectTheyCameFrom) {
  std::string text = "unloaded.cc";
  SiteRecord *const gone = new SiteRecord(record(SiteRole::acquire, 300, "e"));
  gone->file = text.c_str();
  Sites::instance().add(gone, gone + 1);
  const std::uint32_t index = gone->index - 1;
  Sites::instance().retire(gone, gone + 1);
  std::memset(gone, 0x5a, sizeof *gone);
  delete gone;
  text.assign(text.size(), '#');
  EXPECT_STREQ(Sites::instance().record(index).file, "unloaded.cc");
  // Loaded again, it is the same site.
  SiteRecord again = record(SiteRole::acquire, 300, "e");
  again.file = "unloaded.cc";
  Sites::instance().add(&again, &again + 1);
  EXPECT_EQ(again.index - 1, index);
}

TEST(ThreadClasses, OneNameIsOneClass) {
  const std::uint32_t worker = threadClassOfName("worker");
  EXPECT_EQ(threadClassOfName("worker"), worker);
  EXPECT_NE(threadClassOfName("other"), worker);
  EXPECT_STREQ(threadClassInfo(worker).name, "worker");
}

TEST(ThreadClasses, ARoutineIsNamedByItsRecord) {
  static const int routine = 0;
  SiteRecord start = record(SiteRole::threadStart, 55, "");
  start.function = "serve(void *)";
  start.thunks[0] = &routine;
  Sites::instance().add(&start, &start + 1);
  const ThreadClassInfo &info = threadClassInfo(threadClassOfRoutine(&routine, nullptr));
  EXPECT_STREQ(info.name, "serve(void *)");
  EXPECT_EQ(info.line, 55u);
}

} // namespace
