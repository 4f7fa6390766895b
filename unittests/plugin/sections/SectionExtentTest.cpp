// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash of a section changes with its tokens and with nothing else.
#include "unittests/plugin/Sources.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

/// The hash of the first site of a function with that body.
std::uint64_t hashOf(const std::string &body, const std::string &before = "") {
  const LockTable table = tableOf(R"(
#define SET(a, b) a = b
#define LOCKED(code) m.lock(); code; m.unlock()
struct Mutex { void lock(); void unlock(); bool try_lock(); };
namespace std {
template <typename M> struct lock_guard { M &m; explicit lock_guard(M &); ~lock_guard(); };
}
Mutex m, n; int x, y;
)" + before + "\nvoid f() {" + body +
                                  "}\n");
  const std::vector<LockSite> sites = sitesOf(table, SiteRole::acquire);
  EXPECT_FALSE(sites.empty());
  return sites.empty() ? 0 : sites.front().sectionHash;
}

struct Pair {
  const char *what, *first, *second;
};

TEST(SectionHash, StaysWhere) {
  const Pair rows[] = {
      {"comments and white space change", "std::lock_guard g(m); x = 1;",
       "\n  std::lock_guard  g(m); // why\n\n  x /* so */ =\n1;\n"},
      {"code before the section changes", "x = 1; m.lock(); y = 2; m.unlock();",
       "x = 2; y = 3; m.lock(); y = 2; m.unlock();"},
      {"code after the unlock changes", "m.lock(); y = 2; m.unlock(); x = 1;",
       "m.lock(); y = 2; m.unlock(); x = 7; y = 8;"},
      {"code after the guard's scope changes", "{ std::lock_guard g(m); x = 1; } y = 1;",
       "{ std::lock_guard g(m); x = 1; } y = 2;"},
      {"code after the statement of a temporary changes", "std::lock_guard<Mutex>{m}; x = 1;",
       "std::lock_guard<Mutex>{m}; x = 2;"},
      {"the section moves into another scope", "m.lock(); y = 2; m.unlock();",
       "if (x) { m.lock(); y = 2; m.unlock(); }"},
  };
  for (const Pair &row : rows)
    EXPECT_EQ(hashOf(row.first), hashOf(row.second)) << row.what;
  EXPECT_EQ(hashOf("m.lock(); x = 1; m.unlock();"),
            hashOf("m.lock(); x = 1; m.unlock();", "int other() {\n return 3;\n}\n\n"));
}

TEST(SectionHash, ChangesWhere) {
  const Pair rows[] = {
      {"a token in a guard's scope changes", "std::lock_guard g(m); x = 1;",
       "std::lock_guard g(m); x = 2;"},
      {"a token before the unlock changes", "m.lock(); x = 1; m.unlock();",
       "m.lock(); x = 2; m.unlock();"},
      {"a statement is added", "m.lock(); x = 1; m.unlock();",
       "m.lock(); x = 1; y = 1; m.unlock();"},
      {"the lock changes", "m.lock(); x = 1; m.unlock();", "n.lock(); x = 1; n.unlock();"},
      {"another lock's unlock comes first", "m.lock(); n.unlock(); x = 1; m.unlock();",
       "m.lock(); n.unlock(); x = 2; m.unlock();"},
      {"there is no unlock and the end of the scope changes", "m.lock(); x = 1; if (y) m.unlock();",
       "m.lock(); x = 1; if (x) m.unlock();"},
      {"a token is cut in two", "m.lock(); x = y ++ + x; m.unlock();",
       "m.lock(); x = y + + + x; m.unlock();"},
      {"a macro's argument changes", "m.lock(); SET(x, 1); m.unlock();",
       "m.lock(); SET(x, 2); m.unlock();"},
      {"a macro that is the whole section has another argument", "LOCKED(x = 1);",
       "LOCKED(x = 2);"},
      {"the code under a try changes", "if (m.try_lock()) { x = 1; m.unlock(); }",
       "if (m.try_lock()) { x = 2; m.unlock(); }"},
  };
  for (const Pair &row : rows)
    EXPECT_NE(hashOf(row.first), hashOf(row.second)) << row.what;
}

TEST(SectionHash, IsTheSameForEveryVersion) {
  // XXH3 with 64 bits of `m . lock ( ) ; x = 1 ; m . unlock ( )`, a line feed after each token.
  EXPECT_EQ(hashOf("m.lock(); x = 1; m.unlock();"), 15195626566295149845U);
}

TEST(SectionHash, IsOfAcquisitionsAndWaitsOnly) {
  const LockTable table = tableOf("struct Mutex { void lock(); void unlock(); } m;\n"
                                  "void f() { m.lock(); m.unlock(); }");
  for (const LockSite &site : table.sites)
    EXPECT_EQ(site.sectionHash == 0, site.role == SiteRole::release);
}

} // namespace
