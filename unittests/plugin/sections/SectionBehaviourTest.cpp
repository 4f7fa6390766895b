// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the analysis says of a critical section, by the section.
#include "unittests/plugin/Sources.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

constexpr std::pair<SectionFact, const char *> names[] = {
    {factReturns, "returns"},
    {factThrows, "throws"},
    {factJumps, "jumps"},
    {factCallsPointer, "pointer"},
    {factCallsUnknown, "unknown"},
    {factWaits, "waits"},
    {factDoesIo, "io"},
    {factTakesLock, "lock"},
    {factThreadLocal, "threadlocal"},
    {factOneIntegerUpdate, "integer"},
    {factEmpty, "empty"},
};

/// `returns io`; `not known`.
std::string describeFacts(SectionFactBits facts) {
  if (!(facts & factsKnown))
    return facts ? "facts of nothing known" : "not known";
  std::string text;
  for (const auto &[fact, name] : names)
    if (facts & fact)
      text += (text.empty() ? "" : " ") + std::string(name);
  return text;
}

/// The facts of the first site of a role in the last function that has any.
std::string factsOf(const std::string &source, Language language, SiteRole role) {
  const LockTable table = tableOf(source, language);
  const std::vector<LockSite> sites = sitesOf(table, role);
  if (sites.empty())
    return "no site";
  const LockSite &site =
      *llvm::find_if(sites, [&](const LockSite &s) { return s.function == sites.back().function; });
  for (const ShownFact &shown : site.shownFacts)
    EXPECT_TRUE(shown.location.isValid());
  return describeFacts(site.facts);
}

struct Row {
  const char *body, *facts;
};

constexpr const char *cppBegin = R"(
namespace std {
template <typename M> struct lock_guard { M &m; explicit lock_guard(M &); ~lock_guard(); };
struct try_to_lock_t {}; struct defer_lock_t {};
template <typename M> struct unique_lock {
  M *m; bool owns; explicit unique_lock(M &); unique_lock(M &, try_to_lock_t);
  unique_lock(M &, defer_lock_t) noexcept; ~unique_lock(); void lock(); void unlock();
  bool owns_lock() const noexcept; explicit operator bool() const noexcept; };
struct condition_variable { template <typename L> void wait(L &); };
template <typename F> void for_each_of(F f) { f(); }
template <typename T> struct vector { void push_back(T); int size() const noexcept; };
template <typename C> struct basic_ostream { basic_ostream &operator<<(int); };
template <typename C> struct basic_ostringstream : basic_ostream<C> {};
inline basic_ostream<char> cout;
namespace this_thread { void sleep_for(int); }
}
extern "C" { int printf(const char *, ...); void *memcpy(void *, const void *, unsigned long);
void abort() __attribute__((noreturn)); int *__errno_location() noexcept; }
struct Mutex { void lock(); void unlock(); bool try_lock(); };
struct Base { virtual void call(); virtual ~Base(); void plain() {} };
struct Last final : Base { void call() override {} };
Mutex m, n; int x, y; int a[8]; thread_local int t; volatile int v; int *p; void (*pointer)();
void unknown(); void nothrow() noexcept; int known() { return x; } void thrower() { throw 1; }
void locker() { std::lock_guard<Mutex> g(n); x = 2; }
void catcher() { try { thrower(); } catch (...) {} }
void even(int i); void odd(int i) { if (i) even(i - 1); unknown(); }
void even(int i) { if (i) odd(i - 1); }
struct Item { int count; int bits : 3; Item *next; ~Item() { unknown(); } };
struct Plain { int count; Plain *next; };
)";

std::string factsOfCpp(const std::string &function, SiteRole role = SiteRole::acquire) {
  return factsOf(cppBegin + ("\n" + function + "\n"), Language::cpp, role);
}

void check(llvm::ArrayRef<Row> rows, const std::string &before, const std::string &after,
           SiteRole role = SiteRole::acquire) {
  for (const Row &row : rows)
    EXPECT_EQ(factsOfCpp(before + row.body + after, role), row.facts) << row.body;
}

TEST(SectionFacts, OfAGuard) {
  const Row rows[] = {
      {"", "empty"},
      {"x = y;", ""},
      {"return x;", "returns"},
      {"if (x) return 1; y = x;", "returns"},
      {"{ x = 1; } y = 2;", ""},
      {"while (x) { if (y) break; --x; }", ""},
      {"switch (x) { case 1: y = 2; break; default: y = 3; }", ""},
      {"again: if (x) { --x; goto again; }", ""},
      {"throw 1;", "throws"},
      {"try { throw 1; } catch (...) { x = y; }", ""},
      {"try { throw 1; } catch (int) { x = y; }", "throws"},
      {"unknown();", "throws unknown"},
      {"nothrow();", "unknown"},
      {"known(); x = y;", ""},
      {"catcher(); x = y;", ""},
      {"thrower();", "throws"},
      {"even(2);", "throws unknown"},
      {"pointer();", "throws pointer"},
      {"[](Base &b) { b.call(); }(*(Base *)p);", "throws pointer"},
      {"Last l; l.call(); x = y;", "unknown"}, // its base's destructor is not in sight
      {"((Last *)p)->call();", ""},
      {"((Base *)p)->plain();", ""},
      {"((Base *)p)->Base::call();", "throws unknown"},
      {"delete (Base *)p;", "pointer"},
      {"Item item; x = y;", "unknown"},
      {"locker();", "lock"},
      {"std::lock_guard<Mutex> h(n); x = y;", "lock"},
      {"printf(\"%d\", x);", "io"},
      {"std::cout << x << y;", "throws io"},
      {"std::basic_ostringstream<char> s; s << x << y;", "throws"},
      {"memcpy(a, p, 4);", ""},
      {"std::vector<int> *w = (std::vector<int> *)p; w->push_back(1);", "throws"},
      {"std::for_each_of([] { unknown(); });", "throws unknown"},
      {"auto later = [] { unknown(); return 1; }; x = y;", ""},
      {"std::this_thread::sleep_for(1);", "waits"},
      {"t = 1; x = y;", "threadlocal"},
      {"x = *__errno_location() + y;", "threadlocal"},
      {"if (x) abort(); y = x;", ""},
      {"x = sizeof(t) + y;", ""},
      {"asm volatile(\"\" ::: \"memory\"); x = y;", ""},
      {"asm volatile(\"nop\"); x = y;", "unknown"},
  };
  check(rows, "int f() { { std::lock_guard<Mutex> g(m);\n", "\n} unknown(); return 0; }");
}

TEST(SectionFacts, JumpsLeaveTheLoopAround) {
  const Row rows[] = {
      {"if (x) break; y = x;", "jumps"},
      {"if (x) continue; y = x;", "jumps"},
      {"if (x) goto out; y = x;", "jumps"},
      {"if (x) goto before; y = x;", "jumps"},
      {"for (;;) break; y = x;", ""},
      {"break;", "jumps"},
      {"while (x) { while (y) --y; } if (x) break; y = x;", "jumps"},
      {"{ { { while (y) { while (x) --x; } } } } if (x) continue; y = x;", "jumps"},
      {"while (x) { switch (y) { case 1: --x; } } if (x) break; y = x;", "jumps"},
  };
  check(rows, "void f() { before: for (;;) { std::lock_guard<Mutex> g(m);\n",
        "\n} out: unknown(); }");
}

TEST(SectionFacts, OfLockAndUnlock) {
  const Row rows[] = {
      {"m.lock(); x = y; m.unlock(); unknown(); return 1;", ""},
      {"unknown(); m.lock(); m.unlock(); unknown();", "empty"},
      {"m.lock(); if (x) { m.unlock(); return 1; } y = x; m.unlock();", "returns"},
      {"m.lock(); if (x) { m.unlock(); unknown(); } else { y = x; m.unlock(); } unknown();", ""},
      {"m.lock(); if (x) m.unlock(); unknown(); if (!x) m.unlock();", "returns throws unknown"},
      {"m.lock(); if (x) goto out; y = x; out: m.unlock();", ""},
      {"m.lock(); if (x) goto fail; m.unlock(); return 0; fail: m.unlock();", "jumps"},
      {"m.lock(); x = y; n.unlock(); m.unlock();", ""},
      {"m.lock(); n.lock(); x = y; n.unlock(); m.unlock();", "lock"},
      {"for (;;) { m.lock(); if (x) break; m.unlock(); } m.unlock();", "jumps"},
      {"for (;;) if (m.try_lock()) break; x = y; m.unlock();", ""},
      {"if (!m.try_lock()) return 1; x = y; m.unlock();", ""},
      {"if (m.try_lock()) { x = y; m.unlock(); } else unknown();", ""},
      {"if (m.try_lock() && x) { y = x; m.unlock(); } else unknown();", ""},
      {"bool ok = m.try_lock(); if (!ok) return 1; x = y; m.unlock();", ""},
      {"while (!m.try_lock()) unknown(); x = y; m.unlock();", ""},
      {"do { m.lock(); } while (0); x = y; do { m.unlock(); } while (0); unknown();", ""},
      {"do { m.lock(); } while (0); ++x; do { m.unlock(); } while (0); unknown();", "integer"},
      {"m.lock(); while (x) { m.unlock(); unknown(); m.lock(); } y = x; m.unlock();", ""},
      {"switch (x) { case 1: m.lock(); y = x; m.unlock(); break; default: unknown(); }", ""},
      {"std::unique_lock<Mutex> l(m, std::defer_lock_t()); l.lock(); x = y; l.unlock(); unknown();",
       ""},
      {"{ std::unique_lock<Mutex> l(m, std::defer_lock_t()); l.lock(); x = y; } unknown();", ""},
      {"{ std::unique_lock<Mutex> l(m, std::try_to_lock_t()); if (!l) return 1; x = y; } "
       "unknown();",
       ""},
      {"{ std::unique_lock<Mutex> l(m, std::try_to_lock_t()); if (!l.owns_lock()) return 1; ++x; }",
       "integer"},
      {"{ std::unique_lock<Mutex> l(m); x = y; l.unlock(); unknown(); }", ""},
      {"if (std::lock_guard<Mutex> g(m); x) return 1; else y = x; unknown();", "returns"},
      {"std::lock_guard<Mutex>{m}; unknown();", "empty"},
      {"auto g = new std::lock_guard<Mutex>(m); unknown();", "not known"},
      {"m.lock(); unknown();", "not known"},
  };
  check(rows, "int f() {", "\nreturn 0; }");
}

TEST(SectionFacts, OfAWait) {
  const std::string before =
      "std::condition_variable c; void f() { std::unique_lock<Mutex> l(m);\n";
  EXPECT_EQ(factsOfCpp(before + "while (!x) c.wait(l); y = x; }"), "waits");
  EXPECT_EQ(factsOfCpp(before + "unknown(); c.wait(l); y = x; }", SiteRole::wait), "");
  EXPECT_EQ(factsOfCpp(before + "while (!x) c.wait(l); y = x; }", SiteRole::wait), "waits");
  const std::string wrapped = "std::condition_variable c;\n"
                              "void w(std::unique_lock<Mutex> &l) { c.wait(l); }\n"
                              "void f() { std::unique_lock<Mutex> l(m);\n";
  EXPECT_EQ(factsOfCpp(wrapped + "while (!x) w(l); y = x; }"), "waits");
  EXPECT_EQ(factsOfCpp(wrapped + "unknown(); w(l); y = x; }", SiteRole::wrapper), "");
  EXPECT_EQ(factsOfCpp(wrapped + "while (!x) w(l); y = x; }", SiteRole::wrapper), "waits");
}

TEST(SectionFacts, OneIntegerUpdate) {
  const Row rows[] = {
      {"++x;", "integer"},
      {"x--;", "integer"},
      {"x += 3;", "integer"},
      {"x |= i;", "integer"},
      {"x = i;", "integer"},
      {"x = x + 1;", "integer"},
      {"p = nullptr;", "integer"},
      {"a[i] -= i;", "integer"},
      {"q->count += i;", "integer"},
      {"return ++x;", "returns integer"},
      {"int old = x++;", "integer"},
      {"int old = x; x += i;", "integer"},
      {"int old = y; x += i;", ""},
      {"int old = x; x += old;", ""},
      {"x *= 2;", ""},
      {"x = y;", ""},
      {"x += y;", ""},
      {"x = x * 2;", ""},
      {"++i;", ""},
      {"++v;", ""},
      {"q->next->count++;", ""},
      {"a[x]++;", ""},
      {"((Item *)p)->bits++;", ""},
      {"++x; ++y;", ""},
      {"if (i) ++x;", ""},
      {"while (i--) ++x;", ""},
      {"x += known();", ""},
  };
  check(rows, "int f(int i, Plain *q) { { std::lock_guard<Mutex> g(m);\n", "\n} return 0; }");
}

TEST(SectionFacts, ExceptionsAreOfCppOnly) {
  const std::string c = R"(
typedef struct { int x; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
void unknown(void); long write(int, const void *, unsigned long); int x;
pthread_mutex_t m;
)";
  const Row rows[] = {
      {"pthread_mutex_lock(&m); unknown(); pthread_mutex_unlock(&m);", "unknown"},
      {"if (pthread_mutex_lock(&m) != 0) return 1; x++; pthread_mutex_unlock(&m);", "integer"},
      {"int r = pthread_mutex_trylock(&m); if (r) return r; x++; pthread_mutex_unlock(&m);",
       "integer"},
      {"if (pthread_mutex_trylock(&m) == 16) return 1; x++; pthread_mutex_unlock(&m);", "integer"},
      {"pthread_mutex_lock(&m); write(1, &x, 4); pthread_mutex_unlock(&m);", "io"},
      {"pthread_mutex_lock(&m); if (x) return x; pthread_mutex_unlock(&m);", "returns"},
      {"return pthread_mutex_lock(&m);", "not known"},
      {"int r; r = pthread_mutex_lock(&m); if (r) return r; x++; pthread_mutex_unlock(&m);",
       "integer"},
  };
  for (const Row &row : rows)
    EXPECT_EQ(
        factsOf(c + "int f(void) {" + row.body + " return 0; }", Language::c, SiteRole::acquire),
        row.facts)
        << row.body;
}

TEST(SectionFacts, AreNotKnownWhereTheSectionIsNotInSight) {
  EXPECT_EQ(factsOfCpp("struct Held { std::lock_guard<Mutex> g; Held() : g(m) {} };"), "not known");
}

TEST(SectionFacts, PointAtWhatShowsThem) {
  const LockTable table = tableOf("struct M { void lock(); void unlock(); } m; int x;\n"
                                  "int f() {\n"
                                  "  m.lock();\n"
                                  "  if (x) {\n"
                                  "    m.unlock();\n"
                                  "    return 1;\n"
                                  "  }\n"
                                  "  m.unlock();\n"
                                  "  return 0;\n"
                                  "}\n");
  const std::vector<LockSite> sites = sitesOf(table, SiteRole::acquire);
  ASSERT_EQ(sites.size(), 1u);
  ASSERT_EQ(sites.front().shownFacts.size(), 1u);
  EXPECT_EQ(sites.front().shownFacts.front().fact, factReturns);
  EXPECT_STREQ(sites.front().shownFacts.front().what, "'return'");
}

} // namespace
