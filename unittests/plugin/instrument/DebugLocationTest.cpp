// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every call of an operation that Clang's code generation emits finds its site: the
// source is compiled to IR, as far as the hook inserter sees it, and asked.
#include "unittests/plugin/Sources.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

/// Releases may be implicit (a guard's destructor), and so is ~jthread.
bool mayLackSite(const IrCall &call) {
  return call.role == SiteRole::release || call.role == SiteRole::lifetime ||
         call.role == SiteRole::wrapper || call.callee.find("jthreadD") != std::string::npos;
}

std::vector<IrCall> checkedCallsOf(const std::string &source, Language language) {
  std::vector<IrCall> calls = irCallsOf(source, language);
  for (const IrCall &call : calls)
    EXPECT_TRUE(call.site || mayLackSite(call))
        << call.callee << " in " << call.inFunction << " at " << call.line << ':' << call.column;
  return calls;
}

std::size_t withSite(const std::vector<IrCall> &calls) {
  std::size_t count = 0;
  for (const IrCall &call : calls)
    count += call.site.has_value();
  return count;
}

TEST(DebugLocations, OfC) {
  const std::vector<IrCall> calls = checkedCallsOf(R"(#include <pthread.h>
#define LOCK(x) pthread_mutex_lock(x)
#define BODY() pthread_mutex_lock(&m)
#define DO(x) x
#define TWICE(x) do { pthread_mutex_lock(x); pthread_mutex_unlock(x); } while (0)
pthread_mutex_t m, n[4]; pthread_cond_t c; int ready;
int f(int i) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock
    (&n[i]);
  LOCK(&m); BODY(); DO(pthread_mutex_lock(&m)); DO(DO(LOCK(&n[0])));
  TWICE(&m);
  int r = pthread_mutex_trylock(&m) + (pthread_mutex_lock)(&m);
  if (pthread_mutex_trylock(&m) == 0 && LOCK(&n[1]) == 0) r = 1;
  while (!ready) pthread_cond_wait(&c, &m);
  return r ? pthread_mutex_lock(&m) : pthread_mutex_unlock(&m);
}
)",
                                                   Language::c);
  EXPECT_EQ(calls.size(), 15U);
  EXPECT_EQ(withSite(calls), calls.size()); // C hides nothing
}

TEST(DebugLocations, OfCpp) {
  const std::vector<IrCall> calls = checkedCallsOf(R"(#include <mutex>
#include <thread>
#define DO(x) x
std::mutex m, n; bool ready;
int byDefault(int x = (m.lock(), 1), int y = (m.try_lock(), 1)) { return x + y; }
struct Defaulted { Defaulted(int = (m.lock(), 1)) {} };
struct Member { std::unique_lock<std::mutex> held{m}; int i = (n.lock(), 1); Member() {}
                Member(int) : Member() {} Member(char) : held(n) {} };
struct Implicit { std::unique_lock<std::mutex> held{m}; };
struct Aggregate { std::unique_lock<std::mutex> held; int i; };
template <typename M> struct Box { M own; void f() { std::lock_guard<M> g(own); own.lock(); } };
std::unique_lock<std::mutex> make() { return std::unique_lock<std::mutex>(m); }
std::unique_lock<std::mutex> make(int) { std::unique_lock l(m); return l; }
std::lock_guard<std::mutex> global(n);
void f(std::mutex *p) {
  std::lock_guard<std::mutex> guard(m);
  std::lock_guard<std::mutex>
      far
      (m);
  auto copied = std::unique_lock(m);
  std::unique_lock<std::mutex> braced{m, std::try_to_lock};
  { std::lock_guard<std::mutex>{m}; }
  DO(m.lock()); DO(std::lock_guard<std::mutex> inMacro(m);)
  p
    ->lock();
  (*p).lock(); m.lock(), n.lock();
  const int k = m.try_lock() ? 1 : 2;
  if (std::lock_guard g(m); k) copied = std::unique_lock<std::mutex>(m);
  for (std::lock_guard g(m); ready; m.lock()) m.lock();
  while (m.try_lock()) {}
  auto *heap = new std::lock_guard<std::mutex>(m);
  delete heap;
  std::scoped_lock both(m, n);
  std::lock(m, n); std::try_lock(m, n);
  byDefault(); byDefault(1); Defaulted defaulted; Defaulted{};
  Member member; Member other(1); Member third('c'); Implicit implicit; new Implicit;
  Aggregate aggregate{std::unique_lock(m), (m.lock(), 1)};
  Box<std::mutex>().f();
  make().unlock();
  auto unused = [] { n.lock(); };
  auto lambda = [held = std::unique_lock(n)](auto) { m.lock(); std::lock_guard g(n); };
  lambda(1); lambda('c');
  std::thread([] { std::lock_guard g(m); m.lock(); }).join();
  static std::unique_lock<std::mutex> once(m);
  try { m.lock(); } catch (...) { n.lock(); throw; }
  switch (k) { case 1: m.lock(); break; default: n.lock(); }
}
)",
                                                   Language::cpp);
  EXPECT_GT(withSite(calls), 50U);
}

TEST(DebugLocations, InsideTheLibrary) {
  const std::vector<IrCall> calls = checkedCallsOf(R"(#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
std::mutex m; std::shared_mutex s; std::condition_variable cv; std::condition_variable_any any;
bool ready; bool isReady() { return ready; }
void f() {
  auto unused = [] { m.lock(); };
  std::unique_lock lock(m);
  cv.wait(lock, [] { return ready; });
  cv.wait(lock, [] { return !ready; });
  cv.wait_for(lock, std::chrono::seconds(1), [] { return ready; });
  cv.wait_until(lock, std::chrono::steady_clock::now(), isReady);
  std::shared_lock shared(s);
  any.wait(shared, [] { return ready; });
  any.wait_for(shared, std::chrono::seconds(1), [] { return ready; });
  auto guard = std::make_unique<std::lock_guard<std::mutex>>(m);
  std::optional<std::unique_lock<std::mutex>> maybe;
  maybe.emplace(m);
}
)",
                                                   Language::cpp);
  std::vector<unsigned> waits;
  for (const IrCall &call : calls)
    if (call.role == SiteRole::wait) {
      ASSERT_TRUE(call.site);
      waits.push_back(call.site->line);
      EXPECT_EQ(call.site->line, call.line); // each has the line of its own call
    }
  std::sort(waits.begin(), waits.end());
  EXPECT_EQ(waits, (std::vector<unsigned>{11, 12, 13, 14, 16, 17}));
}

} // namespace
