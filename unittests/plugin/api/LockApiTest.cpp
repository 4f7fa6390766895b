// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each function does to its lock, for libstdc++ and the C interfaces.
#include "unittests/plugin/Sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

struct CRow {
  const char *statement; ///< with `m`, `s`, `rw`, `c` and so on declared
  const char *function;
  SiteRole role;
  LockKind kind;
  std::uint32_t flags;
  int argument; ///< -1: no lock
  Success success;
};

constexpr const char *cPrelude = R"(
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
pthread_mutex_t m; pthread_spinlock_t s; pthread_rwlock_t rw; pthread_cond_t c;
pthread_barrier_t b; pthread_t t; sem_t sem; mtx_t mm; cnd_t cc; thrd_t tt; struct timespec at;
)";

constexpr auto acquire = SiteRole::acquire, release = SiteRole::release, wait = SiteRole::wait,
               block = SiteRole::block;
constexpr auto mutex = LockKind::pthreadMutex, spin = LockKind::pthreadSpin,
               rwlock = LockKind::pthreadRwlock, none = LockKind::unknown;
constexpr auto zero = Success::zero, always = Success::always;

const CRow cRows[] = {
    CRow{"pthread_mutex_lock(&m)", "pthread_mutex_lock", acquire, mutex, 0, 0, zero},
    CRow{"pthread_mutex_trylock(&m)", "pthread_mutex_trylock", acquire, mutex, siteTry, 0, zero},
    CRow{"pthread_mutex_timedlock(&m, &at)", "pthread_mutex_timedlock", acquire, mutex, siteTimed,
         0, zero},
    CRow{"pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &at)", "pthread_mutex_clocklock", acquire,
         mutex, siteTimed, 0, zero},
    CRow{"pthread_mutex_unlock(&m)", "pthread_mutex_unlock", release, mutex, 0, 0, always},
    CRow{"pthread_spin_lock(&s)", "pthread_spin_lock", acquire, spin, 0, 0, zero},
    CRow{"pthread_spin_trylock(&s)", "pthread_spin_trylock", acquire, spin, siteTry, 0, zero},
    CRow{"pthread_spin_unlock(&s)", "pthread_spin_unlock", release, spin, 0, 0, always},
    CRow{"pthread_rwlock_wrlock(&rw)", "pthread_rwlock_wrlock", acquire, rwlock, 0, 0, zero},
    CRow{"pthread_rwlock_rdlock(&rw)", "pthread_rwlock_rdlock", acquire, rwlock, siteShared, 0,
         zero},
    CRow{"pthread_rwlock_tryrdlock(&rw)", "pthread_rwlock_tryrdlock", acquire, rwlock,
         siteTry | siteShared, 0, zero},
    CRow{"pthread_rwlock_timedwrlock(&rw, &at)", "pthread_rwlock_timedwrlock", acquire, rwlock,
         siteTimed, 0, zero},
    CRow{"pthread_rwlock_unlock(&rw)", "pthread_rwlock_unlock", release, rwlock, 0, 0, always},
    CRow{"pthread_cond_wait(&c, &m)", "pthread_cond_wait", wait, mutex, 0, 1, always},
    CRow{"pthread_cond_timedwait(&c, &m, &at)", "pthread_cond_timedwait", wait, mutex, siteTimed, 1,
         always},
    CRow{"pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &at)", "pthread_cond_clockwait", wait,
         mutex, siteTimed, 1, always},
    CRow{"pthread_barrier_wait(&b)", "pthread_barrier_wait", block, none, siteBarrier, -1, always},
    CRow{"pthread_join(t, 0)", "pthread_join", block, none, 0, -1, always},
    CRow{"pthread_timedjoin_np(t, 0, &at)", "pthread_timedjoin_np", block, none, siteTimed, -1,
         always},
    CRow{"sem_wait(&sem)", "sem_wait", block, none, 0, -1, always},
    CRow{"sem_timedwait(&sem, &at)", "sem_timedwait", block, none, siteTimed, -1, always},
    CRow{"mtx_lock(&mm)", "mtx_lock", acquire, mutex, 0, 0, zero},
    CRow{"mtx_trylock(&mm)", "mtx_trylock", acquire, mutex, siteTry, 0, zero},
    CRow{"mtx_timedlock(&mm, &at)", "mtx_timedlock", acquire, mutex, siteTimed, 0, zero},
    CRow{"mtx_unlock(&mm)", "mtx_unlock", release, mutex, 0, 0, always},
    CRow{"cnd_wait(&cc, &mm)", "cnd_wait", wait, mutex, 0, 1, always},
    CRow{"thrd_join(tt, 0)", "thrd_join", block, none, 0, -1, always}};

/// All statements, each in a function of its own, named by its number.
template <typename Rows> std::string functionsOf(const Rows &rows) {
  std::string source;
  int number = 0;
  for (const auto &row : rows)
    source += "void f" + std::to_string(number++) + "(void) { " + row.statement + "; }\n";
  return source;
}

TEST(CApi, HasARowForEveryFunction) {
  const LockTable table = tableOf(cPrelude + functionsOf(cRows), Language::c);
  EXPECT_EQ(table.sites.size(), std::size(cRows)) << describe(table);
  for (const CRow &row : cRows) {
    SCOPED_TRACE(row.function);
    const auto operation = table.operations.find(row.function);
    ASSERT_NE(operation, table.operations.end());
    EXPECT_EQ(operation->second.role, row.role);
    EXPECT_EQ(operation->second.kind, row.kind);
    EXPECT_EQ(operation->second.flags, row.flags);
    EXPECT_EQ(operation->second.success, row.success);
    if (row.argument < 0) {
      EXPECT_TRUE(operation->second.locks.empty());
      continue;
    }
    ASSERT_EQ(operation->second.locks.size(), 1U);
    EXPECT_EQ(operation->second.locks[0].argument, static_cast<unsigned>(row.argument));
    EXPECT_TRUE(operation->second.locks[0].loads.empty());
  }
}

TEST(CApi, KnowsAFunctionByItsLinkageNotByItsName) {
  EXPECT_TRUE(tableOf("static int pthread_mutex_lock(int *x) { return *x; }\n"
                      "int f(int x) { return pthread_mutex_lock(&x); }",
                      Language::c)
                  .operations.empty());
  const LockTable table = tableOf("namespace mine { void pthread_mutex_lock(int *); }\n"
                                  "void f(int x) { mine::pthread_mutex_lock(&x); }");
  EXPECT_FALSE(table.operations.contains("pthread_mutex_lock"));
  EXPECT_TRUE(sitesOf(table, SiteRole::acquire).empty()) << describe(table);
}

TEST(CApi, NamesAFunctionAsTheAssemblerDoes) {
  const LockTable table =
      tableOf("typedef struct { int x; } pthread_mutex_t;\n"
              "int pthread_mutex_lock(pthread_mutex_t *) __asm__(\"locked64\");\n"
              "pthread_mutex_t m; void f(void) { pthread_mutex_lock(&m); }",
              Language::c);
  EXPECT_TRUE(table.operations.contains("locked64"));
}

struct CppRow {
  const char *name; ///< of the test
  const char *statement;
  const char *callee; ///< how its mangled name begins
  SiteRole role;
  LockKind kind;
  std::uint32_t flags;
  std::vector<std::pair<unsigned, std::vector<std::uint64_t>>> locks; ///< argument and loads
  Success success = Success::always;
  bool onlyIfOwned = false;
};

constexpr const char *cppPrelude = R"(
#include <barrier>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
struct Own { void lock(); void unlock(); bool try_lock(); };
struct OwnShared { void lock_shared(); void unlock_shared(); bool try_lock_shared(); };
std::mutex m, m2; std::recursive_mutex r; std::timed_mutex t; std::recursive_timed_mutex rt;
std::shared_mutex s; Own own; OwnShared ownShared;
std::condition_variable cv; std::condition_variable_any any; std::chrono::seconds second(1);
auto when = std::chrono::steady_clock::now();
)";

using Locks = std::vector<std::pair<unsigned, std::vector<std::uint64_t>>>;
const Locks self = {{0, {}}}, given = {{1, {}}}, held = {{0, {0}}}, noLock = {};

const CppRow mutexes[] = {
    CppRow{"MutexLock", "m.lock()", "_ZNSt5mutex4lockEv", acquire, mutex, 0, self},
    CppRow{"MutexUnlock", "m.unlock()", "_ZNSt5mutex6unlockEv", release, mutex, 0, self},
    CppRow{"MutexTry", "m.try_lock()", "_ZNSt5mutex8try_lockEv", acquire, mutex, siteTry, self,
           Success::nonZero},
    CppRow{"Recursive", "r.lock()", "_ZNSt15recursive_mutex4lockEv", acquire, mutex, siteRecursive,
           self},
    CppRow{"Timed", "t.lock()", "_ZNSt11timed_mutex4lockEv", acquire, mutex, 0, self},
    CppRow{"TimedFor", "t.try_lock_for(second)", "_ZNSt11timed_mutex12try_lock_for", acquire, mutex,
           siteTimed, self, Success::nonZero},
    CppRow{"TimedUntil", "rt.try_lock_until(when)", "_ZNSt21recursive_timed_mutex14try_lock_until",
           acquire, mutex, siteTimed | siteRecursive, self, Success::nonZero},
    CppRow{"Shared", "s.lock_shared()", "_ZNSt12shared_mutex11lock_sharedEv", acquire, rwlock,
           siteShared, self},
    CppRow{"SharedUnlock", "s.unlock_shared()", "_ZNSt12shared_mutex13unlock_sharedEv", release,
           rwlock, siteShared, self},
    CppRow{"SharedExclusive", "s.lock()", "_ZNSt12shared_mutex4lockEv", acquire, rwlock, 0, self},
    CppRow{"OwnLock", "own.lock()", "_ZN3Own4lockEv", acquire, none, 0, self},
    CppRow{"OwnTry", "own.try_lock()", "_ZN3Own8try_lockEv", acquire, none, siteTry, self,
           Success::nonZero},
    CppRow{"OwnUnlock", "own.unlock()", "_ZN3Own6unlockEv", release, none, 0, self},
    CppRow{"OwnShared", "ownShared.lock_shared()", "_ZN9OwnShared11lock_sharedEv", acquire, none,
           siteShared, self}};

const CppRow guards[] = {
    CppRow{"LockGuard", "std::lock_guard g(m)", "_ZNSt10lock_guardISt5mutexEC2ERS0_", acquire,
           mutex, 0, given},
    CppRow{"LockGuardCompleteObject", "std::lock_guard g(m)", "_ZNSt10lock_guardISt5mutexEC1ERS0_",
           acquire, mutex, 0, given},
    CppRow{"LockGuardEnd", "std::lock_guard g(m)", "_ZNSt10lock_guardISt5mutexED2Ev", release,
           mutex, 0, held},
    CppRow{"LockGuardOfOwn", "std::lock_guard g(own)", "_ZNSt10lock_guardI3OwnEC2ERS0_", acquire,
           none, 0, given},
    CppRow{"LockGuardOfRecursive", "std::lock_guard g(r)",
           "_ZNSt10lock_guardISt15recursive_mutexEC2ERS0_", acquire, mutex, siteRecursive, given},
    CppRow{"UniqueLock", "std::unique_lock g(m)", "_ZNSt11unique_lockISt5mutexEC2ERS0_", acquire,
           mutex, 0, given},
    CppRow{"UniqueLockTry", "std::unique_lock g(m, std::try_to_lock)",
           "_ZNSt11unique_lockISt5mutexEC2ERS0_St13try_to_lock_t", acquire, mutex, siteTry, given,
           Success::ownsField},
    CppRow{"UniqueLockFor", "std::unique_lock g(t, second)",
           "_ZNSt11unique_lockISt11timed_mutexEC2IlSt5ratio", acquire, mutex, siteTimed, given,
           Success::ownsField},
    CppRow{"UniqueLockUntil", "std::unique_lock g(t, when)",
           "_ZNSt11unique_lockISt11timed_mutexEC2INSt6chrono", acquire, mutex, siteTimed, given,
           Success::ownsField},
    CppRow{"UniqueLockLock", "std::unique_lock g(m); g.lock()",
           "_ZNSt11unique_lockISt5mutexE4lockEv", acquire, mutex, 0, held},
    CppRow{"UniqueLockTryLock", "std::unique_lock g(m); g.try_lock()",
           "_ZNSt11unique_lockISt5mutexE8try_lockEv", acquire, mutex, siteTry, held,
           Success::nonZero},
    CppRow{"UniqueLockTryFor", "std::unique_lock g(t); g.try_lock_for(second)",
           "_ZNSt11unique_lockISt11timed_mutexE12try_lock_for", acquire, mutex, siteTimed, held,
           Success::nonZero},
    CppRow{"UniqueLockUnlock", "std::unique_lock g(m); g.unlock()",
           "_ZNSt11unique_lockISt5mutexE6unlockEv", release, mutex, 0, held},
    CppRow{"UniqueLockEnd", "std::unique_lock g(m)", "_ZNSt11unique_lockISt5mutexED2Ev", release,
           mutex, siteConditional, held, Success::always, true},
    CppRow{"UniqueLockMoveAssignment", "std::unique_lock g(m)",
           "_ZNSt11unique_lockISt5mutexEaSEOS1_", release, mutex, siteConditional, held,
           Success::always, true},
    CppRow{"ScopedLockOfOne", "std::scoped_lock g(m)", "_ZNSt11scoped_lockIJSt5mutexEEC2ERS0_",
           acquire, mutex, 0, given},
    CppRow{"ScopedLockOfOneEnd", "std::scoped_lock g(m)", "_ZNSt11scoped_lockIJSt5mutexEED2Ev",
           release, mutex, 0, held},
    CppRow{"ScopedLockOfMany", "std::scoped_lock g(m, s, own)",
           "_ZNSt11scoped_lockIJSt5mutexSt12shared_mutex3OwnEEC2ERS0_", acquire, none, 0,
           Locks{{1, {}}, {2, {}}, {3, {}}}},
    CppRow{"ScopedLockOfManyEnd", "std::scoped_lock g(m, s, own)",
           "_ZNSt11scoped_lockIJSt5mutexSt12shared_mutex3OwnEED2Ev", release, none, 0,
           Locks{{0, {16}}, {0, {8}}, {0, {0}}}},
    CppRow{"ScopedLockOfTwins", "std::scoped_lock g(m, m2)",
           "_ZNSt11scoped_lockIJSt5mutexS0_EED2Ev", release, mutex, 0, Locks{{0, {0}}, {0, {8}}}},
    CppRow{"SharedLock", "std::shared_lock g(s)", "_ZNSt11shared_lockISt12shared_mutexEC2ERS0_",
           acquire, rwlock, siteShared, given},
    CppRow{"SharedLockEnd", "std::shared_lock g(s)", "_ZNSt11shared_lockISt12shared_mutexED2Ev",
           release, rwlock, siteShared | siteConditional, held, Success::always, true},
    CppRow{"StdLock", "std::unique_lock g(m, std::defer_lock); std::lock(g, m2)", "_ZSt4lockI",
           acquire, mutex, 0, Locks{{0, {0}}, {1, {}}}},
    CppRow{"StdTryLock", "std::try_lock(m, m2)", "_ZSt8try_lockI", acquire, mutex, siteTry,
           Locks{{0, {}}, {1, {}}}, Success::minusOne}};

const CppRow waits[] = {
    CppRow{"Wait", "std::unique_lock g(m); cv.wait(g)",
           "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", wait, mutex, 0,
           Locks{{1, {0}}}},
    CppRow{"WaitFor", "std::unique_lock g(m); cv.wait_for(g, second)",
           "_ZNSt18condition_variable8wait_forI", wait, mutex, siteTimed, Locks{{1, {0}}}},
    CppRow{"WaitUntil", "std::unique_lock g(m); cv.wait_until(g, when)",
           "_ZNSt18condition_variable10wait_untilI", wait, mutex, siteTimed, Locks{{1, {0}}}},
    CppRow{"WaitPredicate", "std::unique_lock g(m); cv.wait(g, [] { return true; })",
           "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", wait, mutex, 0,
           Locks{{1, {0}}}},
    CppRow{"AnyWait", "std::shared_lock g(s); any.wait(g)",
           "_ZNSt3_V222condition_variable_any4waitISt11shared_lock", wait, rwlock,
           siteShared | siteAnyLock, Locks{{1, {0}}}},
    CppRow{"AnyWaitOwn", "any.wait(own)", "_ZNSt3_V222condition_variable_any4waitI3OwnE", wait,
           none, siteAnyLock, Locks{{1, {}}}},
    CppRow{"ThreadJoin", "std::thread().join()", "_ZNSt6thread4joinEv", block, none, 0, noLock},
    CppRow{"JthreadEnd", "std::jthread j", "_ZNSt7jthreadD2Ev", block, none, 0, noLock},
    CppRow{"Latch", "std::latch l(1); l.wait()", "_ZNKSt5latch4waitEv", block, none, 0, noLock},
    CppRow{"Barrier", "std::barrier<> b(1); b.arrive_and_wait()",
           "_ZNSt7barrierISt18__empty_completionE15arrive_and_waitEv", block, none, siteBarrier,
           noLock},
    CppRow{"Semaphore", "std::counting_semaphore<3> c(1); c.acquire()",
           "_ZNSt18counting_semaphoreILl3EE7acquireEv", block, none, 0, noLock},
    CppRow{"SemaphoreFor", "std::counting_semaphore<3> c(1); c.try_acquire_for(second)",
           "_ZNSt18counting_semaphoreILl3EE15try_acquire_forI", block, none, siteTimed, noLock}};

/// A message for each expectation that the table does not meet.
template <typename Rows> void expectRows(const Rows &rows) {
  const LockTable table = tableOf(cppPrelude + functionsOf(rows));
  for (const CppRow &row : rows) {
    SCOPED_TRACE(std::string(row.name) + ": " + row.statement);
    const LockOperation *operation = operationNamed(table, row.callee);
    ASSERT_TRUE(operation) << describe(table);
    EXPECT_EQ(operation->role, row.role);
    EXPECT_EQ(operation->kind, row.kind);
    EXPECT_EQ(operation->flags, row.flags);
    EXPECT_EQ(operation->success, row.success);
    EXPECT_EQ(operation->onlyIfOwned, row.onlyIfOwned);
    if (row.success == Success::ownsField || row.onlyIfOwned) {
      EXPECT_EQ(operation->ownsOffset, 8U);
    }
    ASSERT_EQ(operation->locks.size(), row.locks.size());
    for (std::size_t i = 0; i < row.locks.size(); ++i) {
      EXPECT_EQ(operation->locks[i].argument, row.locks[i].first);
      EXPECT_THAT(operation->locks[i].loads, ::testing::ElementsAreArray(row.locks[i].second));
      EXPECT_EQ(operation->locks[i].plus, 0U);
    }
  }
}

TEST(CppApi, KnowsMutexesAndLockableTypesOfTheUsersOwn) { expectRows(mutexes); }
TEST(CppApi, ReducesGuardsToTheirLocks) { expectRows(guards); }
TEST(CppApi, KnowsWhereThreadsWait) { expectRows(waits); }

struct NoSite {
  const char *name, *statement;
};

const NoSite noSites[] = {
    NoSite{"Defer", "std::unique_lock g(m, std::defer_lock)"},
    NoSite{"Adopt", "std::unique_lock g(m, std::adopt_lock)"},
    NoSite{"GuardAdopt", "std::lock_guard g(m, std::adopt_lock)"},
    NoSite{"ScopedAdopt", "std::scoped_lock g(std::adopt_lock, m, m2)"},
    NoSite{"ScopedOfNone", "std::scoped_lock<> g"},
    NoSite{"Move", "std::unique_lock<std::mutex> v(std::move(u))"},
    NoSite{"Empty", "std::unique_lock<std::mutex> v"},
    NoSite{"Swap", "std::unique_lock<std::mutex> v; v.swap(u)"},
    NoSite{"ReleaseMember", "u.release()"},
    NoSite{"WeakPointer", "std::weak_ptr<int> w; w.lock()"},
    NoSite{"LockReturnsValue", "Value v; v.lock()"},
    NoSite{"NoUnlock", "Half h; h.lock()"},
    NoSite{"Static", "Class::lock()"},
    NoSite{"Argument", "Argument a; a.lock(1)"},
    NoSite{"Private", "Private p; p.g()"},
    NoSite{"Unevaluated", "using T = decltype(m.lock()); (void)sizeof(m.try_lock())"}};

TEST(CppApi, LeavesAloneWhatIsNoOperation) {
  const LockTable table = tableOf(cppPrelude + std::string(R"(
#include <memory>
struct Value { int lock(); void unlock(); };
struct Half { void lock(); };
struct Class { static void lock(); static void unlock(); };
struct Argument { void lock(int); void unlock(); };
class Private { void lock(); void unlock(); public: void g() { lock(); } };
std::unique_lock<std::mutex> u;
)") + functionsOf(noSites));
  // What has the name of an operation and not its form may be a wrapper all the same.
  EXPECT_EQ(sitesOf(table, SiteRole::wrapper).size(), table.sites.size()) << describe(table);
}

TEST(CppApi, KnowsInheritedAndVirtualMembers) {
  const LockTable table =
      tableOf("struct Own { void lock(); void unlock(); };\n"
              "struct Derived : Own {};\n"
              "struct Virtual { virtual void lock() = 0;\n"
              "  virtual void unlock() = 0; };\n"
              "struct Impl : Virtual { void lock() override {}\n"
              "  void unlock() override {} };\n"
              "void f(Impl &i, Derived &d) { i.lock(); i.unlock(); d.lock(); }");
  EXPECT_TRUE(operationNamed(table, "_ZN4Impl4lockEv"));
  EXPECT_TRUE(operationNamed(table, "_ZN7Virtual6unlockEv"));
  EXPECT_EQ(table.sites.size(), 3U) << describe(table);
}

} // namespace
