// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What people read: the lock as written, its declaration, its type, the function.
#include "unittests/plugin/Sources.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

struct Row {
  const char *statement;
  const char *expression;
  const char *lockName; ///< "": the declaration says nothing
  const char *lockType;
};

template <typename Rows>
void expectRows(const std::string &prelude, const std::string &head, const Rows &rows,
                Language language) {
  std::string source = prelude;
  for (const Row &row : rows)
    source += head + " { " + row.statement + "; }\n";
  // Every statement stands in a function of its own, on a line of its own.
  unsigned line = 1;
  for (const char c : prelude)
    line += c == '\n';
  for (std::size_t i = 0, at; (at = source.find("NUMBER")) != std::string::npos; ++i)
    source.replace(at, 6, std::to_string(i));
  const LockTable table = tableOf(source, language);
  for (const Row &row : rows) {
    SCOPED_TRACE(row.statement);
    const LockSite *last = nullptr;
    for (const LockSite &site : table.sites)
      if (site.line == line && (!last || site.column > last->column))
        last = &site;
    ++line;
    ASSERT_TRUE(last);
    EXPECT_EQ(last->expression, row.expression);
    EXPECT_EQ(last->lockName, row.lockName);
    EXPECT_EQ(last->lockType, row.lockType);
    EXPECT_EQ(last->declLine != 0, !last->lockName.empty());
    EXPECT_EQ(last->declFile.empty(), last->lockName.empty());
  }
}

TEST(LockNames, OfC) {
  const std::string prelude = R"(#include <pthread.h>
#define mutex_lock(x) pthread_mutex_lock(x)
#define STATS_LOCK() pthread_mutex_lock(&stats_lock)
#define LOCK_NTH(i) pthread_mutex_lock(&item_locks[i])
#define hashmask(n) ((1u << (n)) - 1)
static pthread_mutex_t *item_locks; pthread_mutex_t stats_lock, lru[4]; pthread_spinlock_t spin;
unsigned power;
typedef struct { pthread_mutex_t lock; struct { pthread_mutex_t deep; } in; } thread_t;
struct tagged { pthread_mutex_t lock; pthread_spinlock_t spin; };
thread_t *threads;
)";
  const Row rows[] = {
      {"pthread_mutex_lock(&stats_lock)", "stats_lock", "stats_lock", "pthread_mutex_t"},
      {"pthread_mutex_lock((&(stats_lock)))", "stats_lock", "stats_lock", "pthread_mutex_t"},
      {"mutex_lock(&item_locks[hv & hashmask(power)])", "item_locks[hv & hashmask(power)]",
       "item_locks", "pthread_mutex_t"},
      {"STATS_LOCK()", "stats_lock", "stats_lock", "pthread_mutex_t"},
      {"LOCK_NTH(3)", "item_locks[3]", "item_locks", "pthread_mutex_t"},
      {"pthread_mutex_lock(&me->lock)", "me->lock", "thread_t::lock", "pthread_mutex_t"},
      {"pthread_mutex_lock(&threads[hv].lock)", "threads[hv].lock", "thread_t::lock",
       "pthread_mutex_t"},
      {"pthread_mutex_lock(&me->in.deep)", "me->in.deep", "thread_t::deep", "pthread_mutex_t"},
      {"pthread_mutex_lock(&other->lock)", "other->lock", "tagged::lock", "pthread_mutex_t"},
      {"pthread_spin_lock(&other->spin)", "other->spin", "tagged::spin", "pthread_spinlock_t"},
      {"pthread_mutex_lock(lru + 1)", "lru + 1", "lru", "pthread_mutex_t"},
      {"pthread_mutex_lock((pthread_mutex_t *)item_locks)", "item_locks", "item_locks",
       "pthread_mutex_t"},
      {"pthread_mutex_lock(given)", "given", "", "pthread_mutex_t"},
      {"pthread_mutex_t *l = lru; pthread_mutex_lock(l)", "l", "", "pthread_mutex_t"},
      {"static pthread_mutex_t s; pthread_mutex_lock(&s)", "s",
       "function14(unsigned int, thread_t *, struct tagged *, pthread_mutex_t *)::s",
       "pthread_mutex_t"},
  };
  expectRows(prelude,
             "void functionNUMBER(unsigned hv, thread_t *me, struct tagged *other, pthread_mutex_t "
             "*given)",
             rows, Language::c);
}

TEST(LockNames, OfCpp) {
  const std::string prelude = R"(#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>
namespace db {
template <typename T> struct Cache { std::mutex lock; T t; };
struct Own { void lock(); void unlock(); };
struct Store {
  std::mutex m_; Cache<int> cache_; static std::mutex shared; Own own;
  std::mutex slots[4]; std::array<std::mutex, 4> fixed; std::vector<std::mutex> many;
  std::unique_ptr<std::mutex> owned; std::map<int, std::mutex> byKey; std::mutex *pointer;
  std::mutex &get(); template <int n> void run(std::mutex &given, int i, Store *that);
};
}
std::mutex global;
std::unique_lock<std::mutex> make();
using Alias = std::mutex; Alias aliased;
)";
  const Row rows[] = {
      {"m_.lock()", "m_", "db::Store::m_", "std::mutex"},
      {"this->m_.lock()", "this->m_", "db::Store::m_", "std::mutex"},
      {"this->cache_.lock.lock()", "this->cache_.lock", "db::Cache<int>::lock", "std::mutex"},
      {"std::lock_guard<std::mutex> g(cache_.lock)", "cache_.lock", "db::Cache<int>::lock",
       "std::mutex"},
      {"shared.lock()", "shared", "db::Store::shared", "std::mutex"},
      {"own.lock()", "own", "db::Store::own", "db::Own"},
      {"slots[i + 1].lock()", "slots[i + 1]", "db::Store::slots", "std::mutex"},
      {"fixed[2].lock()", "fixed[2]", "db::Store::fixed", "std::mutex"},
      {"many.at(1).lock()", "many.at(1)", "db::Store::many", "std::mutex"},
      {"owned->lock()", "*owned", "db::Store::owned", "std::mutex"},
      {"(*owned).lock()", "*owned", "db::Store::owned", "std::mutex"},
      {"byKey[3].lock()", "byKey[3]", "db::Store::byKey", "std::mutex"},
      {"pointer->lock()", "*pointer", "db::Store::pointer", "std::mutex"},
      {"(pointer + 1)->lock()", "*(pointer + 1)", "db::Store::pointer", "std::mutex"},
      {"that->m_.lock()", "that->m_", "db::Store::m_", "std::mutex"},
      {"::global.lock()", "::global", "global", "std::mutex"},
      {"aliased.lock()", "aliased", "aliased", "std::mutex"},
      {"get().lock()", "get()", "", "std::mutex"},
      {"given.lock()", "given", "", "std::mutex"},
      {"auto &r = m_; r.lock()", "r", "", "std::mutex"},
      {"auto &[a, b] = cache_; a.lock()", "a", "db::Cache<int>::lock", "std::mutex"},
      {"std::unique_lock u(m_, std::defer_lock); u.lock()", "m_", "db::Store::m_", "std::mutex"},
      {"std::unique_lock u(m_); auto v = std::move(u); v.unlock()", "m_", "db::Store::m_",
       "std::mutex"},
      {"auto u = ::make(); u.unlock()", "u", "", "std::mutex"},
  };
  expectRows(prelude,
             "template <> void db::Store::run<NUMBER>(std::mutex &given, int i, Store *that)", rows,
             Language::cpp);
}

TEST(LockNames, OfFunctions) {
  const LockTable table = tableOf(R"(#include <mutex>
#include <string>
std::mutex m;
namespace a { inline namespace v1 { struct Db { void get(int, const std::string &) const {
  m.lock(); } }; } }
template <typename K> struct Map { template <typename V> void put(K, V) { m.lock(); } };
namespace { void hidden(int, ...) { m.lock(); } }
void f() { Map<int>().put(1, 'c'); hidden(1); [] { m.lock(); }(); }
struct Local { void g() { struct In { void h() { m.lock(); } }; In().h(); } };
auto atStart = [] { m.lock(); return 1; }();
)");
  std::vector<std::string> names;
  for (const LockSite &site : sitesOf(table, SiteRole::acquire))
    names.push_back(site.function);
  const std::vector<std::string> expected = {"a::Db::get(int, const std::string &)",
                                             "Map<int>::put<char>(int, char)",
                                             "hidden(int, ...)",
                                             "f()::(lambda)",
                                             "Local::g()::In::h()",
                                             "(lambda)"};
  EXPECT_EQ(names, expected);
}

TEST(LockNames, AreOnOneLine) {
  const LockTable table = tableOf("#include <mutex>\nstd::mutex m[4];\n"
                                  "void f(int i) { m[i\n     +\n  1].lock(); }");
  ASSERT_EQ(table.sites.size(), 1U);
  EXPECT_EQ(table.sites[0].expression, "m[i + 1]");
}

TEST(LockNames, SayWhereTheLockIsDeclared) {
  const LockTable table = tableOf("#include <mutex>\nstruct Db {\n  std::mutex m;\n};\n"
                                  "void f(Db &d) { d.m.lock(); }");
  ASSERT_EQ(table.sites.size(), 1U);
  EXPECT_EQ(table.sites[0].declFile, "input.cc");
  EXPECT_EQ(table.sites[0].declLine, 3U);
  EXPECT_EQ(table.sites[0].declColumn, 14U);
}

} // namespace
