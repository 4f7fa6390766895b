// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lock operations are called, and what each site says of itself.
#include "unittests/plugin/Sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

namespace {

std::vector<std::string> functionsOfSites(const LockTable &table, SiteRole role) {
  std::vector<std::string> names;
  for (const LockSite &site : sitesOf(table, role))
    names.push_back(site.function);
  return names;
}

TEST(LockSites, PointAtTheStatementOrTheCall) {
  const LockTable table = tableOf(R"(#include <mutex>
struct Db { std::mutex m; void get(); };
void Db::get() {
  std::lock_guard<std::mutex> guard(m);
  this->m
      .lock();
  if (!m.try_lock())
    return;
  const std::scoped_lock<std::mutex> twice{ m };
}
)");
  std::vector<std::pair<unsigned, unsigned>> places;
  for (const LockSite &site : sitesOf(table, SiteRole::acquire)) {
    EXPECT_EQ(site.file, "input.cc");
    EXPECT_EQ(site.function, "Db::get()");
    EXPECT_EQ(site.inFunction, "_ZN2Db3getEv");
    places.emplace_back(site.line, site.column);
  }
  EXPECT_THAT(places, ElementsAre(std::pair(4U, 3U), std::pair(5U, 3U), std::pair(7U, 8U),
                                  std::pair(9U, 3U)));
}

TEST(LockSites, FollowLineDirectives) {
  const LockTable table = tableOf("#include <mutex>\nstd::mutex m;\n#line 100 \"real.y\"\n"
                                  "void f() { m.lock(); }\n");
  ASSERT_EQ(table.sites.size(), 1U);
  EXPECT_EQ(table.sites[0].file, "real.y");
  EXPECT_EQ(table.sites[0].line, 100U);
}

TEST(LockSites, AreFoundWhereverCodeStands) {
  const LockTable table = tableOf(R"(#include <mutex>
std::mutex m;
template <typename M> struct Box { M own; void f() { std::lock_guard g(own); } };
template <typename T> void generic(T) { m.lock(); }
int byDefault(int x = (m.lock(), 1)) { return x; }
struct Member { std::unique_lock<std::mutex> held{m}; Member() {} };
struct Implicit { std::unique_lock<std::mutex> held{m}; };
struct Initialised { std::lock_guard<std::mutex> held; Initialised() : held(m) {} };
namespace { void hidden() { m.lock(); } }
std::lock_guard<std::mutex> global(m);
struct Base { Base(int); };
struct Argument : Base { Argument() : Base((m.lock(), 1)) {} };
struct Operator { void operator()() const { m.lock(); } ~Operator() { m.lock(); }
                  explicit operator bool() { m.lock(); return true; } };
void many() {
  auto lambda = [](auto) { m.lock(); };
  lambda(1);
  Box<std::mutex>().f();
  generic('c');
  byDefault();
  Member member;
  Implicit implicit;
  hidden();
  [] { [] { m.lock(); }(); }();
  try { throw 1; } catch (int) { m.lock(); }
  for (int i = (m.lock(), 0); i < 1; ++i) {}
  switch (0) { case 0: m.lock(); }
}
)");
  EXPECT_THAT(
      functionsOfSites(table, SiteRole::acquire),
      UnorderedElementsAre("Box<std::mutex>::f()", "generic<char>(char)", "many()",
                           "Member::Member()", "Implicit::Implicit()", "Initialised::Initialised()",
                           "hidden()", "global", "Argument::Argument()", "Operator::operator()()",
                           "Operator::~Operator()", "Operator::operator bool()", "many()::(lambda)",
                           "many()::(lambda)::(lambda)", "many()", "many()", "many()"))
      << describe(table);
}

TEST(LockSites, AreNotInTheStandardLibrary) {
  const LockTable table =
      tableOf("#include <condition_variable>\n#include <future>\n"
              "#include <iostream>\n#include <shared_mutex>\n#include <thread>\n"
              "auto f() { return std::async([] {}); }");
  EXPECT_EQ(sitesOf(table, SiteRole::spawn).size(), table.sites.size()) << describe(table);
}

TEST(LockSites, OfASpawnAreWhatTheThreadRuns) {
  const LockTable table = tableOf("#include <thread>\nstruct S { void run(); };\n"
                                  "void S::run() {}\nvoid work() {}\n"
                                  "std::thread f(S &s, void (*unknown)()) {\n"
                                  "  std::thread(unknown).detach();\n"
                                  "  std::thread(&S::run, &s).detach();\n"
                                  "  return std::thread(work);\n}\n");
  const std::vector<LockSite> spawns = sitesOf(table, SiteRole::spawn);
  ASSERT_EQ(spawns.size(), 2U) << describe(table);
  EXPECT_EQ(spawns[0].function, "S::run()");
  EXPECT_EQ(spawns[0].line, 3U);
  EXPECT_EQ(spawns[1].function, "work()");
  EXPECT_EQ(spawns[1].line, 4U);
  EXPECT_TRUE(table.find(spawns[1].callee, spawns[1].inFunction, 8, 10)) << describe(table);
}

TEST(LockSites, HaveTheConstructorsBaseVariant) {
  const LockTable table = tableOf("#include <mutex>\nstd::mutex m;\n"
                                  "struct S { S() { m.lock(); } ~S() { m.unlock(); } };");
  ASSERT_EQ(table.sites.size(), 2U);
  EXPECT_EQ(table.sites[0].inFunction, "_ZN1SC2Ev");
  EXPECT_EQ(table.sites[1].inFunction, "_ZN1SD2Ev");
  for (const char *variant : {"_ZN1SC1Ev", "_ZN1SC2Ev"})
    EXPECT_EQ(table.find("_ZNSt5mutex4lockEv", variant, 3, 20), &table.sites[0]) << variant;
}

TEST(LockSites, AreOneForEachLockTaken) {
  const LockTable table = tableOf("#include <mutex>\nstd::mutex a, b;\n"
                                  "void f() {\n  std::scoped_lock both(a, b);\n}\n");
  ASSERT_EQ(table.sites.size(), 2U);
  const std::string callee = table.sites[0].callee;
  for (unsigned i = 0; i < 2; ++i) {
    const LockSite *site = table.find(callee, "_Z1fv", 4, 20, i);
    ASSERT_TRUE(site);
    EXPECT_EQ(site->lockIndex, i);
    EXPECT_EQ(site->lockName, i == 0 ? "a" : "b");
  }
}

TEST(LockSites, AreCountedByFunctionAndExpression) {
  const LockTable table = tableOf(R"(#include <condition_variable>
std::mutex a, b; std::condition_variable cv;
void f() { a.lock(); a.unlock(); b.lock(); a.lock(); }
void g() { a.lock(); std::unique_lock l(a); cv.wait(l); l.unlock(); l.lock(); }
template <typename T> void h(T) { a.lock(); }
void instances() { h(1); h('c'); auto k = [](auto) { a.lock(); }; k(1); k('c'); }
)");
  std::vector<std::string> counted;
  for (const SiteRole role : {SiteRole::acquire, SiteRole::wait})
    for (const LockSite &site : sitesOf(table, role))
      counted.push_back(site.function + " " + site.expression + " " + std::to_string(site.ordinal));
  EXPECT_THAT(counted,
              UnorderedElementsAre("f() a 0", "f() b 0", "f() a 1", "g() a 0", "g() a 1", "g() a 2",
                                   "g() a 3", "h<int>(int) a 0", "h<char>(char) a 0",
                                   "instances()::(lambda) a 0", "instances()::(lambda) a 0"))
      << describe(table);
}

TEST(LockSites, PredicateWaitsAreAtTheUsersLine) {
  const LockTable table = tableOf(R"(#include <condition_variable>
std::mutex m; std::condition_variable cv; bool ready;
void f() {
  std::unique_lock lock(m);
  cv.wait(lock, [] { return ready; });
  cv.wait_for(lock, std::chrono::seconds(1), [] { return ready; });
}
)");
  const std::vector<LockSite> waits = sitesOf(table, SiteRole::wait);
  ASSERT_EQ(waits.size(), 2U) << describe(table);
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(waits[i].line, 5 + i);
    EXPECT_EQ(waits[i].column, 3U);
    EXPECT_EQ(waits[i].function, "f()");
    EXPECT_EQ(waits[i].expression, "m");
    EXPECT_EQ(waits[i].lockName, "m");
  }
}

TEST(LockSites, GuardsMadeInTheLibraryAreAtTheUsersLine) {
  const LockTable table = tableOf(R"(#include <memory>
#include <mutex>
#include <optional>
std::mutex m;
void f() {
  auto guard = std::make_unique<std::lock_guard<std::mutex>>(m);
  std::optional<std::unique_lock<std::mutex>> maybe;
  maybe.emplace(m);
}
)");
  const std::vector<LockSite> acquires = sitesOf(table, SiteRole::acquire);
  ASSERT_EQ(acquires.size(), 2U) << describe(table);
  EXPECT_EQ(acquires[0].line, 6U);
  EXPECT_EQ(acquires[1].line, 8U);
  EXPECT_EQ(acquires[1].expression, "m");
}

TEST(LockSites, NameTheRoutinesThatThreadsStartWith) {
  const LockTable table = tableOf(R"(#include <pthread.h>
#include <threads.h>
static void *worker(void *p) { return p; }
static int other(int *p) { return *p; }
int main(void) {
  pthread_t t; thrd_t u; void *(*unknown)(void *) = worker;
  pthread_create(&t, 0, worker, 0);
  pthread_create(&t, 0, &worker, 0);
  pthread_create(&t, 0, unknown, 0);
  thrd_create(&u, (thrd_start_t)other, 0);
}
)",
                                  Language::c);
  ASSERT_EQ(table.startRoutines.size(), 2U);
  EXPECT_EQ(table.startRoutines[0].mangledName, "worker");
  EXPECT_EQ(table.startRoutines[0].function, "worker(void *)");
  EXPECT_EQ(table.startRoutines[0].file, "input.c");
  EXPECT_EQ(table.startRoutines[0].line, 3U);
  EXPECT_EQ(table.startRoutines[1].mangledName, "other");
}

TEST(LockSites, NameRoutinesHandedToAWrapper) {
  const LockTable table = tableOf("void create(void *(*routine)(void *), void *argument);\n"
                                  "void other(int (*compare)(void *), void *argument);\n"
                                  "static void *worker(void *argument) { return argument; }\n"
                                  "static int compare(void *argument) { return argument != 0; }\n"
                                  "void f(void) { create(worker, 0); other(compare, 0); }\n",
                                  Language::c);
  ASSERT_EQ(table.startRoutines.size(), 1U);
  EXPECT_EQ(table.startRoutines[0].function, "worker(void *)");
  EXPECT_EQ(table.startRoutines[0].line, 3U);
}

TEST(LockTable, KnowsTheLibrarysFunctionsByName) {
  const LockTable table = tableOf("#include <mutex>\nstd::mutex m; void f() { m.lock(); }");
  for (const char *name :
       {"_ZNSt5mutex4lockEv", "_ZNKSt6vectorIiSaIiEE4sizeEv", "_ZSt4lockISt5mutexS0_JEEvRT_RT0_",
        "_ZL20__gthread_mutex_lockP15pthread_mutex_t", "_ZN9__gnu_cxx13new_allocatorIiED2Ev",
        "_ZNSaIcED1Ev", "_ZZNSt11scoped_lockIJSt5mutexS0_EED1EvENKUlDpRT_E_clIJS0_S0_EEEDaS4_",
        "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
        "_ZNSt8__detail11__lock_implISt11unique_lockISt5mutexEJS2_EEEvRiiRT_DpRT0_"})
    EXPECT_TRUE(table.isOpaque(name)) << name;
  for (const char *name :
       {"f", "main", "_Z1fv", "_ZN2Db3getEv", "_ZN5StdioC2Ev", "_ZL6helperSt6vectorIiSaIiEE",
        "_ZZ4mainENK3$_0clEv",
        "_ZNSt18condition_variable4waitIZ4mainE3$_3EEvRSt11unique_lockISt5mutexET_",
        "_ZNSt14default_deleteISt10lock_guardISt5mutexEEclEPS2_",
        "_ZNSt22_Optional_payload_baseISt11unique_lockISt5mutexEE10_M_destroyEv"})
    EXPECT_FALSE(table.isOpaque(name)) << name;
}

TEST(LockTable, FindsByPlaceWhereTheFunctionHasAnotherNumber) {
  const LockTable table = tableOf("#include <mutex>\nstd::mutex m;\n"
                                  "void f() { auto l = [] { m.lock(); }; (void)l; }");
  ASSERT_EQ(table.sites.size(), 1U);
  const std::string callee = "_ZNSt5mutex4lockEv";
  EXPECT_TRUE(table.find(callee, "_ZZ1fvENK3$_7clEv", 3, 28));
  EXPECT_FALSE(table.find(callee, "_ZZ1fvENK3$_0clEv", 3, 29));
  EXPECT_FALSE(table.find("_ZNSt5mutex8try_lockEv", "_ZZ1fvENK3$_0clEv", 3, 28));
}

} // namespace
