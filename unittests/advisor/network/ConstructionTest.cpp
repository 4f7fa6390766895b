// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/Validation.h"
#include "advisor/profile/summary/Summary.h"
#include "unittests/advisor/network/Constructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const Section &section(const Network &network, const std::string &name) {
  for (const Section &section : network.sections)
    if (section.name == name)
      return section;
  throw std::out_of_range(name);
}

/// The transition of a class between two sections, by name.
const Transition &transition(const Network &network, const std::string &threads,
                             const std::string &from, const std::string &to) {
  for (const Transition &transition : network.transitions)
    if (network.classes[transition.threadClass].name == threads &&
        network.sections[transition.from].name == from &&
        network.sections[transition.to].name == to)
      return transition;
  throw std::out_of_range(from + " -> " + to);
}

std::string errorOf(const Profile &profile, const ConstructionOptions &options = {}) {
  const Expected<Construction> construction = constructNetwork(profile, machine(), options);
  return construction ? "" : construction.error().message;
}

} // namespace

TEST(Construction, GivesSitesOfOneLockOneStation) {
  const Network network = construct(sampleProfile()).network;
  ASSERT_EQ(network.locks.size(), 2u);
  EXPECT_EQ(network.locks[0].name, "Db::m");
  EXPECT_EQ(network.locks[0].kind, LockKind::pthreadMutex);
  EXPECT_EQ(network.locks[1].kind, LockKind::spinlock);
  EXPECT_EQ(section(network, "Db::get:42").lock, 0u);
  EXPECT_EQ(section(network, "Db::put:57").lock, 0u);
}

TEST(Construction, MakesOneSectionOfASiteInSeveralThreadClasses) {
  const Network network = construct(sampleProfile()).network;
  EXPECT_EQ(network.sections.size(), 3u);
  const Section &put = section(network, "Db::put:57");
  EXPECT_EQ(put.hold.samples, 201u);
  ASSERT_TRUE(put.site);
  EXPECT_EQ(put.site->line, 57u);
  EXPECT_EQ(put.site->function, "Db::put(int, int)");
  EXPECT_EQ(put.site->sectionHash, 0x1234567890abcdefULL + 57);
}

TEST(Construction, NestsSectionsWithTheirVisits) {
  const Network network = construct(sampleProfile()).network;
  const Section &add = section(network, "Log::add:12 in Db::put:57");
  ASSERT_TRUE(add.inside);
  EXPECT_EQ(network.sections[*add.inside].name, "Db::put:57");
  EXPECT_NEAR(add.visits, 400.0 / 201, 1e-12);
  // The release of the inner lock, half of 8 ns, ran while the outer one was held.
  const double recorded = (200 * 700 + 900) / 201.0;
  EXPECT_NEAR(section(network, "Db::put:57").hold.mean, recorded - 400.0 / 201 * 4, 1e-9);
}

TEST(Construction, ClosesTheChainOfEveryClass) {
  const Network network = construct(sampleProfile()).network;
  std::map<std::pair<std::size_t, std::size_t>, double> rows;
  for (const Transition &t : network.transitions)
    rows[{t.threadClass, t.from}] += t.probability;
  EXPECT_EQ(rows.size(), 3u);
  for (const auto &[row, sum] : rows)
    EXPECT_NEAR(sum, 1, 1e-14);
  // Out of 800 visits 599 went round, 1 ended and begins again where the thread began.
  EXPECT_NEAR(transition(network, "serve", "Db::get:42", "Db::get:42").probability, 600.0 / 800,
              1e-14);
  EXPECT_FALSE(validate(network)) << validate(network)->message;
}

TEST(Construction, VisitsEverySectionAsOftenAsItWasAcquired) {
  const Network network = construct(sampleProfile()).network;
  std::vector<double> visits(network.sections.size(), 1.0), next;
  const auto step = [&] {
    next.assign(visits.size(), 0);
    for (const Transition &t : network.transitions)
      if (network.classes[t.threadClass].name == "serve")
        next[t.to] += visits[t.from] * t.probability;
    visits = next;
  };
  for (int i = 0; i < 2000; ++i)
    step();
  EXPECT_NEAR(visits[1] / visits[0], 800.0 / 200, 1e-9) << network.sections[1].name;
}

TEST(Construction, TakesTodaysReleaseOutOfLocalComputation) {
  const Network network = construct(sampleProfile()).network;
  EXPECT_NEAR(transition(network, "serve", "Db::get:42", "Db::put:57").local.mean, 2000 - 10, 1e-9);
  const Network quick = construct(loop(1000, 50, 4).profile).network;
  EXPECT_EQ(quick.transitions[0].local.mean, 0);
  EXPECT_EQ(quick.transitions[0].local.cv, 0);
  EXPECT_EQ(quick.transitions[0].samples, 1000u);
}

TEST(Construction, LeavesHowALongLivedThreadBeganAndEndedOut) {
  ProfileBuilder b = loop(1000, 50, 100);
  b.profile.transitions[0].local = constant(1, 5e6);
  b.profile.transitions[2].local = constant(1, 3e6);
  const Construction construction = construct(b.profile);
  EXPECT_NEAR(construction.network.transitions[0].local.mean, 90, 1e-9);
  EXPECT_THAT(construction.notes, Contains(HasSubstr("before and after what its threads repeat")));
}

TEST(Construction, LeavesSectionsOutThatALongLivedThreadRanAtItsBeginningOrEndOnly) {
  ProfileBuilder b = loop(1000, 50, 100);
  const std::size_t lock = b.lockClass("D::m", LockKind::pthreadMutex);
  b.lock(lock, 0x20, 3);
  const std::size_t open = b.section(0, b.site("open()", 7), lock, 1, 4e6);
  const std::size_t read = b.section(0, b.site("read()", 8), lock, 1, 1e6);
  const std::size_t close = b.section(0, b.site("close()", 9), lock, 1, 2e6);
  b.profile.transitions[0].from = read; // read -> run -> close
  b.profile.transitions[2].to = close;
  b.transition(0, std::nullopt, open, 1, 0);
  b.transition(0, open, read, 1, 0);
  b.transition(0, close, std::nullopt, 1, 0);
  b.profile.durationNs = 1e7;
  const Construction construction = construct(b.profile);
  const Network &network = construction.network;
  ASSERT_EQ(network.transitions.size(), 1u);
  EXPECT_EQ(network.sections[network.transitions[0].to].name, "run:5");
  EXPECT_NEAR(network.transitions[0].local.mean, 90, 1e-9);
  EXPECT_THAT(construction.notes,
              Contains(HasSubstr("7.0 ms before and after what its threads repeat")));
}

TEST(Construction, KeepsSectionsThatNothingRepeats) {
  ProfileBuilder b;
  const std::size_t worker = b.threads("worker", 1);
  const std::size_t lock = b.lockClass("L::m", LockKind::pthreadMutex);
  b.lock(lock, 0x10, 300);
  std::optional<std::size_t> last;
  for (unsigned line = 1; line <= 150; ++line) {
    const std::size_t next = b.section(worker, b.site("run()", line), lock, 2, 50);
    b.transition(worker, last, next, 1, 100);
    last = next;
  }
  b.transition(worker, last, std::nullopt, 1, 100);
  EXPECT_EQ(construct(b.profile).network.transitions.size(), 150u);
}

TEST(Construction, KeepsHowAShortLivedThreadBeganAndEnded) {
  // Ten sections a thread: beginning and ending are part of what each thread does.
  ProfileBuilder b = loop(1000, 50, 100);
  b.profile.transitions[0].local = constant(100, 5000);
  b.profile.transitions[1].local = constant(900, 100);
  b.profile.transitions[2].local = constant(100, 3000);
  const Network network = construct(b.profile).network;
  EXPECT_NEAR(network.transitions[0].local.mean, (900 * 100 + 100 * 8000) / 1000.0 - 10, 1e-9);
  EXPECT_GT(network.transitions[0].local.cv, 1);
}

TEST(Construction, ClosesWhatNeverEndedWhileRecording) {
  ProfileBuilder b = loop(1000, 50, 100);
  b.profile.transitions.pop_back(); // still alive when the profile was written
  const Network network = construct(b.profile).network;
  ASSERT_EQ(network.transitions.size(), 1u);
  EXPECT_EQ(network.transitions[0].probability, 1);
  EXPECT_NEAR(network.transitions[0].local.mean, 90, 1e-9);
}

TEST(Construction, ScalesCreatedThreadsAndFixesMain) {
  const Construction construction = construct(sampleProfile());
  const Network &network = construction.network;
  ASSERT_EQ(network.classes.size(), 2u);
  EXPECT_EQ(network.classes[0].name, "main");
  EXPECT_FALSE(network.classes[0].scales);
  EXPECT_EQ(network.classes[0].threads, 1);
  EXPECT_TRUE(network.classes[1].scales);
  // Main is paced by what it waits for.
  EXPECT_EQ(transition(network, "main", "Db::put:57", "Db::put:57").blockedNs, 9e8);
  EXPECT_THAT(construction.notes, Contains("thread classes that take the threads of --threads: "
                                           "serve; fixed: main (1)"));
}

TEST(Construction, ScalesMainWhereOnlyMainTakesLocks) {
  ProfileBuilder b = loop(1000, 50, 100);
  b.profile.threadClasses[0].isMain = true;
  b.threads("idle", 3);
  const Network network = construct(b.profile).network;
  ASSERT_EQ(network.classes.size(), 1u);
  EXPECT_TRUE(network.classes[0].scales);
}

TEST(Construction, DoesNotScaleAThreadThatHardlyDoesAnything) {
  const auto scales = [](std::uint32_t count, double busyNs,
                         const ConstructionOptions &options = {}, std::uint32_t workers = 1) {
    ProfileBuilder b = loop(1000, 50, 100);
    b.profile.threadClasses[0].maxAlive = workers;
    const std::size_t flusher = b.threads("flusher", count);
    const std::size_t run = b.section(flusher, b.site("flush()", 9), 0, 10, 50);
    b.transition(flusher, std::nullopt, run, 1, 100);
    b.transition(flusher, run, run, 9, 100);
    b.profile.threadClasses[0].aliveNs = workers * 1e9;
    b.profile.threadClasses[1].aliveNs = count * 1e9;
    b.profile.threadClasses[1].blockedNs = count * (1e9 - busyNs);
    const Network network = construct(b.profile, options).network;
    EXPECT_TRUE(network.classes[0].scales || !options.scale.empty());
    return network.classes[1].scales;
  };
  EXPECT_FALSE(scales(1, 0.1e9));
  EXPECT_TRUE(scales(1, 0.3e9));
  // There are as many of it as of the others already.
  EXPECT_TRUE(scales(2, 0.1e9, {}, 2));
  // A pool that is as large as the machine, whatever the program is asked for.
  EXPECT_FALSE(scales(2, 0.1e9));
  EXPECT_TRUE(scales(2, 0.3e9));
  EXPECT_FALSE(scales(2, 0.1e9, {}, 4));
  EXPECT_TRUE(scales(1, 0.1e9, {.scale = {"flusher"}}));
}

/// A splitter and a sorter with a thread each: nobody knows of which the program would make two.
TEST(Construction, SaysWhereItGuessesWhichThreadsThereWouldBeMoreOf) {
  const auto guess = HasSubstr("2 of these classes had one thread at a time");
  ProfileBuilder b = loop(1000, 300, 700);
  EXPECT_THAT(construct(b.profile).notes, Not(Contains(guess)));
  const std::size_t sorter = b.threads("sorter", 1);
  const std::size_t sorts = b.section(sorter, b.site("sort()", 30), 0, 1000, 300);
  b.transition(sorter, sorts, sorts, 1000, 700);
  EXPECT_THAT(construct(b.profile).notes, Contains(guess));
  EXPECT_THAT(construct(b.profile, {.scale = {"sorter"}}).notes, Not(Contains(guess)));
  b.profile.threadClasses[sorter].count = b.profile.threadClasses[sorter].maxAlive = 2;
  EXPECT_THAT(construct(b.profile).notes, Not(Contains(guess)));
}

TEST(Construction, ScalesWhatItIsToldTo) {
  const Network network = construct(sampleProfile(), {.scale = {"main"}}).network;
  EXPECT_TRUE(network.classes[0].scales);
  EXPECT_FALSE(network.classes[1].scales);
  EXPECT_THAT(errorOf(sampleProfile(), {.scale = {"nobody"}}),
              HasSubstr("--scale nobody: no such thread class; there are: main, serve"));
}

TEST(Construction, TakesInstancesAndTheirSharesFromTheLocks) {
  ProfileBuilder b = loop(1000, 50, 100);
  b.profile.locks.clear();
  for (std::uint64_t address = 1; address <= 4; ++address)
    b.lock(0, address, 100 + address); // alike but for chance
  EXPECT_EQ(construct(b.profile).network.locks[0].instances, 4u);
  EXPECT_TRUE(construct(b.profile).network.locks[0].shares.empty());
  b.lock(0, 9, 590);
  const Lock lock = construct(b.profile).network.locks[0];
  EXPECT_EQ(lock.instances, 5u);
  EXPECT_THAT(lock.shares, ElementsAre(::testing::DoubleEq(0.59)));
}

TEST(Construction, GuessesHowManyLocksLieBeyondTheLimit) {
  ProfileBuilder b = loop(1000, 50, 100);
  b.profile.locks.clear();
  b.lock(0, 1, 100);
  b.lock(0, 2, 100);
  b.lock(0, 0, 800);
  const Construction construction = construct(b.profile);
  EXPECT_EQ(construction.network.locks[0].instances, 10u);
  EXPECT_THAT(construction.notes, Contains(HasSubstr("beyond max_locks")));
}

TEST(Construction, SaysHowItModelsLocksItHasNoEquationFor) {
  ProfileBuilder b = loop(1000, 50, 100);
  b.profile.lockClasses[0].kind = static_cast<std::uint32_t>(LockKind::unknown);
  Construction construction = construct(b.profile);
  EXPECT_EQ(construction.network.locks[0].kind, LockKind::pthreadMutex);
  EXPECT_TRUE(construction.network.locks[0].assumed);
  EXPECT_THAT(construction.notes,
              Contains(HasSubstr("pthread_mutex, for no primitive was seen inside: L::m")));
  b.profile.sections[0].shared = true;
  construction = construct(b.profile);
  EXPECT_EQ(construction.network.locks[0].kind, LockKind::pthreadRwlock);
  EXPECT_TRUE(construction.network.locks[0].assumed);
  EXPECT_THAT(construction.notes,
              Contains(HasSubstr("pthread_rwlock, for no primitive was seen inside: L::m")));
  b.profile.sections[0].shared = false;
  for (const LockKind kind : {LockKind::mrqd, LockKind::pthreadRwlock, LockKind::mcs}) {
    b.profile.lockClasses[0].kind = static_cast<std::uint32_t>(kind);
    const Lock lock = construct(b.profile).network.locks[0];
    EXPECT_EQ(lock.kind.kind, algorithmOf(kind).kind);
    EXPECT_FALSE(lock.assumed);
  }
}

TEST(Construction, TakesTheOtherBucketForLocalComputation) {
  ProfileBuilder b = loop(1000, 50, 100);
  ProfileBuilder with = b;
  const std::size_t other = with.section(0, with.site("(other)", 1),
                                         with.lockClass("(other)", LockKind::unknown), 500, 300);
  with.profile.sections[other].other = true;
  with.profile.transitions.clear();
  with.transition(0, std::nullopt, 0, 1, 100);
  with.transition(0, 0, 0, 499, 100);
  with.transition(0, 0, other, 500, 100);
  with.transition(0, other, 0, 500, 200);
  with.transition(0, 0, std::nullopt, 1, 0);
  const Construction construction = construct(with.profile);
  ASSERT_EQ(construction.network.sections.size(), 1u);
  ASSERT_EQ(construction.network.transitions.size(), 1u);
  EXPECT_NEAR(construction.network.transitions[0].local.mean,
              (500 * 100 + 500 * (100 + 300 + 200)) / 1000.0 - 10, 0.5);
  EXPECT_THAT(construction.notes, Contains(HasSubstr("500 acquisitions beyond max_sections")));
}

/// `main` starts threads, and then does what they do.
TEST(Construction, CountsMainAmongTheThreadsWhereItWorksToo) {
  const auto profileWith = [](double mainBusyNs, std::uint64_t ofItsOwn) {
    ProfileBuilder b = loop(1000, 50, 100);
    const std::size_t main = b.threads("main", 1, true);
    b.profile.threadClasses[main].blockedNs = b.profile.threadClasses[main].aliveNs - mainBusyNs;
    const ProfiledSection first = b.profile.sections[0];
    const std::size_t same = b.section(main, first.site, first.lockClass, 1000, 50);
    b.transition(main, same, same, 999, 100);
    if (ofItsOwn > 0)
      b.section(main, b.site("setUp()", 70), first.lockClass, ofItsOwn, 50, same);
    return construct(b.profile).network;
  };
  const Network alike = profileWith(9e8, 0);
  for (const ThreadClass &threads : alike.classes)
    EXPECT_TRUE(threads.scales) << threads.name;
  for (const Network &other : {profileWith(1e8, 0), profileWith(9e8, 500)})
    for (const ThreadClass &threads : other.classes)
      EXPECT_EQ(threads.scales, threads.name != "main") << threads.name;
}

TEST(Construction, TakesInstantiationsOfATemplateForOnePlace) {
  ProfileBuilder b = loop(1000, 50, 100);
  const std::uint32_t ran = b.profile.sites.front().line;
  for (const auto &[function, line] :
       {std::pair("rare<int>()", 80u), std::pair("rare<long>()", 80u),
        std::pair("other<int>()", ran)})
    b.site(function, line);
  for (ProfiledSite &site : b.profile.sites)
    site.role = static_cast<std::uint32_t>(SiteRole::acquire);
  EXPECT_THAT(construct(b.profile).notes,
              Contains("1 of 2 places that take a lock never ran, and nothing is known of them: "
                       "src/db.cc:80"));
}

TEST(Construction, SaysWhichPlacesNeverRan) {
  ProfileBuilder b = loop(1000, 50, 100);
  for (ProfiledSite &site : b.profile.sites)
    site.role = static_cast<std::uint32_t>(SiteRole::acquire);
  EXPECT_THAT(construct(b.profile).notes, Not(Contains(HasSubstr("never ran"))));
  for (const std::uint32_t line : {80u, 90u})
    b.profile.sites[b.site("rare()", line)].role = static_cast<std::uint32_t>(SiteRole::acquire);
  EXPECT_THAT(construct(b.profile).notes,
              Contains("2 of 3 places that take a lock never ran, and nothing is known of them: "
                       "src/db.cc:80, src/db.cc:90"));
  EXPECT_THAT(construct(b.profile).network.locks[0].neverRan, ::testing::IsEmpty())
      << "whose lock they take is not known";
  const ProfiledLockClass &lock = b.profile.lockClasses[0];
  ProfiledSite &site = b.profile.sites.back();
  site.lockName = lock.name;
  site.lockType = lock.type;
  site.declFile = lock.declFile;
  site.declLine = lock.declLine;
  site.declColumn = lock.declColumn;
  const std::vector<SourceSite> never = construct(b.profile).network.locks[0].neverRan;
  ASSERT_EQ(never.size(), 1u);
  EXPECT_EQ(never[0].line, 90u);
}

TEST(Construction, KnowsTheSkewnessOfHoldingTimes) {
  // One in a hundred takes a hundred times as long.
  ProfileBuilder b = loop(10000, 200, 800);
  ProfiledSection &section = b.profile.sections[0];
  section.hold = constant(9900, 200);
  section.hold.merge(constant(100, 19000));
  section.holdHistogram = {};
  addToHistogram(section.holdHistogram, 200, 9900);
  addToHistogram(section.holdHistogram, 19000, 100);
  const Construction construction = construct(b.profile);
  EXPECT_NEAR(skewnessOf(construction.network.sections[0].hold), 0.98 / std::sqrt(0.0099), 1e-9);
}

TEST(Construction, HasTheFootprintsOfTracedSections) {
  ProfileBuilder b = loop(10000, 200, 800);
  EXPECT_FALSE(construct(b.profile).network.sections[0].footprint);

  // The site in another thread class as well, traced for longer there.
  SectionMemory memory;
  memory.executions = 100;
  memory.writtenAfter[0] = 400;
  b.profile.sections[0].memory = memory;
  const std::size_t other = b.threads("other()", 1);
  const ProfiledSection &first = b.profile.sections[0];
  const std::size_t again = b.section(other, first.site, first.lockClass, 500, 200);
  b.transition(other, again, again, 500, 800);
  memory.executions = 300;
  memory.writtenAfter[0] = 0;
  memory.readAfter[5] = 200;
  memory.readAfter[format::readersBuckets - 1] = 20;
  memory.chainedLines = 155;
  b.profile.sections[again].memory = memory;

  const auto network = construct(b.profile).network;
  ASSERT_EQ(network.sections.size(), 1u);
  ASSERT_TRUE(network.sections[0].footprint);
  const Footprint &footprint = *network.sections[0].footprint;
  ASSERT_EQ(footprint.written.size(), 1u);
  EXPECT_EQ(footprint.written[0].readers, 0);
  EXPECT_EQ(footprint.written[0].lines, 1) << "400 in 400 executions";
  ASSERT_EQ(footprint.read.size(), 2u);
  EXPECT_EQ(footprint.read[0].readers, 11.5) << "the middle of 8 to 15";
  EXPECT_EQ(footprint.read[0].lines, 0.5);
  EXPECT_EQ(footprint.read[1].readers, 767.5) << "512 and more";
  EXPECT_EQ(footprint.chained, 0.25) << "155 of 620";
}

TEST(Construction, TakesOutWhatDataTookToMoveInTheRecordedRun) {
  ProfileBuilder b = loop(10000, 2000, 800);
  SectionMemory memory;
  memory.executions = 100;
  memory.writtenAfter[0] = 400;
  b.profile.sections[0].memory = memory;
  Machine measuredOn = machine();
  measuredOn.line["transfer_same_socket_ns"].value = 100;
  const auto holdNs = [&](std::uint32_t threads, std::uint64_t contended) {
    b.profile.threadClasses[b.profile.sections[0].threadClass].maxAlive = threads;
    b.profile.sections[0].contended = contended;
    return constructNetwork(b.profile, measuredOn)->network.sections[0].hold.mean;
  };
  EXPECT_EQ(holdNs(1, 0), 2000) << "nothing moved";
  EXPECT_EQ(holdNs(4, 0), 2000 - 0.75 * 175) << "three of four times";
  EXPECT_EQ(holdNs(4, 10000), 2000 - 175) << "every time";
  measuredOn.line["transfer_same_socket_ns"].value = 1e6;
  EXPECT_GT(holdNs(4, 0), 0) << "whatever the machine";
}

TEST(Construction, GuessesAHoldingTimeThatNobodyTook) {
  ProfileBuilder b = loop(1000, 100, 1000);
  const std::size_t counted = b.section(0, b.site("count()", 9), 0, 500, 0);
  b.profile.sections[counted].hold = {};
  const std::size_t other = b.lockClass("Other::m", LockKind::pthreadMutex);
  b.lock(other, 0x20, 300);
  b.section(0, b.site("time()", 11), other, 3000, 300);
  b.profile
      .sections[b.section(0, b.site("alone()", 12), b.lockClass("N::m", LockKind::pthreadMutex), 10,
                          0)]
      .hold = {};
  for (std::size_t i = 1; i < 4; ++i) {
    b.transition(0, 0, i, 10, 50);
    b.transition(0, i, 0, 10, 50);
  }
  const Construction result = construct(b.profile);
  EXPECT_EQ(section(result.network, "count:9").hold.mean, 100) << "of the lock's other sections";
  EXPECT_EQ(section(result.network, "count:9").hold.samples, 1u);
  EXPECT_EQ(section(result.network, "alone:12").hold.mean, 250) << "of all sections";
  EXPECT_THAT(result.notes, Contains(HasSubstr("the lock's other sections, or of all: count:9, "
                                               "alone:12")));
}

TEST(Construction, RefusesWhatMakesNoNetwork) {
  Profile counters = sampleProfile();
  counters.flags |= format::runCountersOnly;
  EXPECT_THAT(errorOf(counters), HasSubstr("record one with times"));
  ProfileBuilder alone;
  EXPECT_THAT(errorOf(alone.profile), HasSubstr("takes a lock: there is none to choose"));
  alone.site("inCompanyOnly()", 50);
  EXPECT_THAT(errorOf(alone.profile),
              AllOf(HasSubstr("no critical section that ran twice"), HasSubstr("--threads 1,2")));
}

TEST(Construction, PassesOnWhatTheProfileLacks) {
  Profile profile = sampleProfile();
  profile.dropped = 12;
  profile.flags &= ~format::runThreaded;
  const std::vector<std::string> notes = construct(profile).notes;
  EXPECT_THAT(notes, Contains(HasSubstr("12 events were dropped")));
  EXPECT_THAT(notes, Contains(HasSubstr("threaded=0")));
}

TEST(Construction, SaysWhichLocksEachThreadHasForItself) {
  ProfileBuilder b = loop(1000, 300, 1000);
  b.profile.threadClasses[0].count = b.profile.threadClasses[0].maxAlive = 4;
  for (std::uint64_t i = 1; i < 4; ++i)
    b.lock(0, 0x10 + 64 * i, 1000);
  EXPECT_FALSE(construct(b.profile).network.locks[0].perThread) << "not known";
  b.profile.takers = {{0, 0, 4, 4, 4000, 4000, 10, 10}};
  const Construction construction = construct(b.profile);
  EXPECT_TRUE(construction.network.locks[0].perThread);
  EXPECT_EQ(construction.network.locks[0].instances, 4u);
  EXPECT_THAT(construction.notes, Contains(HasSubstr("a lock of its own, which it waits for "
                                                     "nobody at: L::m")));
  b.profile.takers = {{0, 0, 4, 0, 4000, 0, 10, 0}};
  EXPECT_FALSE(construct(b.profile).network.locks[0].perThread) << "all take all";
}

TEST(Construction, SaysHowManyAcquisitionsAreOfAThreadsOwnLocks) {
  ProfileBuilder b = loop(1000, 300, 1000);
  b.profile.threadClasses[0].count = b.profile.threadClasses[0].maxAlive = 2;
  for (std::uint64_t i = 1; i < 100; ++i)
    b.lock(0, 0x10 + 64 * i, 1000);
  EXPECT_EQ(construct(b.profile).network.locks[0].own, 0) << "not known";
  b.profile.takers = {{0, 0, 2, 2, 4000, 3600, 10, 9}};
  const Network network = construct(b.profile).network;
  EXPECT_FALSE(network.locks[0].perThread) << "a tenth is of locks that both take";
  EXPECT_DOUBLE_EQ(network.locks[0].own, 0.9);
  b.profile.takers = {{0, 0, 2, 1, 4000, 3600, 10, 9}};
  EXPECT_EQ(construct(b.profile).network.locks[0].own, 0) << "one thread alone has locks";
}

/// A thread that takes a lock of its own round and round, and inside of every tenth section one of
/// two that all threads take. All are of one class.
ProfileBuilder ownAroundShared() {
  ProfileBuilder b = loop(1000, 300, 1000);
  b.profile.locks[0].heldNs = 300e3 + 100 * 50;
  b.lock(0, 0x100, 80, 80 * 50);
  b.lock(0, 0x200, 20, 20 * 50);
  b.section(0, b.site("inner()", 7), 0, 100, 50, 0);
  b.profile.takers = {{0, 0, 1, 1, 1100, 1000, 310e3, 305e3}};
  return b;
}

TEST(Construction, TellsLocksThatAThreadHasForItselfFromSharedOnes) {
  const Construction construction = construct(ownAroundShared().profile);
  const Network &network = construction.network;
  ASSERT_EQ(network.locks.size(), 2u);
  EXPECT_FALSE(network.locks[0].perThread);
  EXPECT_EQ(network.locks[0].name, "L::m");
  EXPECT_EQ(network.locks[0].own, 0);
  EXPECT_EQ(network.locks[0].instances, 2u);
  ASSERT_EQ(network.locks[0].shares.size(), 1u);
  EXPECT_NEAR(network.locks[0].shares[0], 0.8, 1e-9);
  EXPECT_TRUE(network.locks[1].perThread);
  EXPECT_TRUE(network.locks[1].guessed) << "no run with two threads tells";
  EXPECT_EQ(network.locks[1].instances, 1u) << "where all share what the thread had";
  EXPECT_EQ(network.locks[1].name, "L::m, each thread's own");
  // Who has a lock and takes another one takes a shared one.
  ASSERT_EQ(network.sections.size(), 2u);
  EXPECT_EQ(network.sections[0].lock, 1u);
  EXPECT_NEAR(network.sections[0].hold.mean, 300, 20);
  EXPECT_EQ(network.sections[1].lock, 0u);
  EXPECT_EQ(network.sections[1].inside, 0u);
  EXPECT_NEAR(network.sections[1].visits, 0.1, 1e-9);
  EXPECT_NEAR(network.sections[1].hold.mean, 50, 5);
  EXPECT_THAT(construction.notes, Contains(HasSubstr("which it waits for nobody at, and shares "
                                                     "others: L::m (90.9 %)")));
  EXPECT_THAT(construction.notes, Contains(HasSubstr("`qdadvise record --threads 1,2` tells")));
}

TEST(Construction, DividesSectionsThatTakeOwnAndSharedLocks) {
  ProfileBuilder b = loop(1000, 300, 1000);
  b.profile.locks[0].acquisitions = 700;
  b.lock(0, 0x100, 300);
  const std::size_t log = b.lockClass("Log::m", LockKind::pthreadMutex);
  b.lock(log, 0x400, 500);
  b.section(0, b.site("add()", 7), log, 500, 50, 0);
  // Shared ones are held three times as long as own ones.
  b.profile.takers = {{0, 0, 2, 2, 1000, 700, 700 * 100.0 + 300 * 300.0, 700 * 100.0}};
  const Construction construction = construct(b.profile);
  const Network &network = construction.network;
  ASSERT_EQ(network.locks.size(), 3u);
  ASSERT_EQ(network.sections.size(), 4u);
  EXPECT_EQ(network.sections[0].lock, 2u);
  EXPECT_EQ(network.sections[2].lock, 0u);
  EXPECT_NEAR(network.sections[2].hold.mean / network.sections[0].hold.mean, 3, 1e-9);
  const Network whole = [&] {
    b.profile.takers.clear();
    return construct(b.profile).network;
  }();
  EXPECT_NEAR(0.7 * network.sections[0].hold.mean + 0.3 * network.sections[2].hold.mean,
              whole.sections[0].hold.mean, 1e-9);
  for (const std::size_t inner : {1u, 3u}) {
    EXPECT_EQ(network.sections[inner].lock, 1u);
    EXPECT_EQ(network.sections[inner].inside, inner - 1);
    EXPECT_NEAR(network.sections[inner].visits, 0.5, 1e-9);
  }
  ASSERT_EQ(network.transitions.size(), 4u);
  for (const Transition &transition : network.transitions)
    EXPECT_NEAR(transition.probability, transition.to == 0 ? 0.7 : 0.3, 1e-9);
  EXPECT_EQ(construction.memory.size(), network.sections.size());
  for (const std::string &note : construction.notes)
    EXPECT_THAT(note, Not(HasSubstr("--threads 1,2"))) << "two threads ran";
}

TEST(Construction, WhoDoesNotScaleHasLocksOfAnyNumber) {
  ProfileBuilder b = loop(1000, 300, 1000);
  b.profile.takers = {{0, 0, 4, 4, 4000, 4000, 10, 10}};
  const std::size_t other = b.threads("other", 1);
  const std::size_t run = b.section(other, b.site("other()", 9), 0, 100, 300);
  b.transition(other, run, run, 99, 1000);
  ConstructionOptions options;
  options.scale = {"other"};
  EXPECT_FALSE(construct(b.profile, options).network.locks[0].perThread);
  options.scale = {"worker"};
  EXPECT_TRUE(construct(b.profile, options).network.locks[0].perThread);
}
