// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The routine that a call starts a thread with, by the call.
#include "unittests/plugin/Sources.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

constexpr const char *prelude = R"(
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>
struct Queue {};
void worker(Queue &, int);
template <typename T> void work(T) {}
struct Server {
  void run(int);
  static void serve();
  void operator()(int) const;
};
using Pair = std::pair<void (*)(Queue &, int), int>;
Queue queue; Server server; std::vector<std::thread> threads; int number;
void (*pointer)(); std::function<void()> any; std::map<int, std::thread> byNumber;
std::thread make(std::function<void()> f) { return std::thread(f); }
)";

struct Row {
  const char *statement;
  const char *function; ///< "": nothing is known
};

TEST(ThreadStarts, NameWhatTheThreadRuns) {
  const Row rows[] = {
      {"std::thread t(worker, std::ref(queue), 1)", "worker(Queue &, int)"},
      {"std::thread t(&worker, std::ref(queue), 1)", "worker(Queue &, int)"},
      {"std::thread t(work<int>, 1)", "work<int>(int)"},
      {"std::jthread t{Server::serve}", "Server::serve()"},
      {"std::thread t(&Server::run, &server, 1)", "Server::run(int)"},
      {"std::thread t(server, 1)", "Server::operator()(int)"},
      {"std::thread t(Server(), 1)", "Server::operator()(int)"},
      {"std::thread t(std::ref(server), 1)", "Server::operator()(int)"},
      {"std::thread t([] { number = 1; })", "::(lambda)"},
      {"std::thread t([](auto i) { number = i; }, 1)", "::(lambda)"},
      {"auto task = [] {}; std::thread t(task)", "::(lambda)"},
      {"auto task = [] {}; std::thread t(std::move(task))", "::(lambda)"},
      {"std::thread t(std::bind(worker, std::ref(queue), 1))", "worker(Queue &, int)"},
      {"std::thread t(std::bind_front(&Server::run, &server), 1)", "Server::run(int)"},
      {"auto bound = std::bind(&Server::run, &server, 1); std::thread t(bound)",
       "Server::run(int)"},
      {"threads.emplace_back(worker, std::ref(queue), 1)", "worker(Queue &, int)"},
      {"threads.push_back(std::thread(&Server::run, &server, 1))", "Server::run(int)"},
      {"threads.emplace(threads.begin(), Server::serve)", "Server::serve()"},
      {"byNumber.try_emplace(1, Server::serve)", "Server::serve()"},
      {"auto t = std::make_unique<std::thread>(worker, std::ref(queue), 1)",
       "worker(Queue &, int)"},
      {"auto t = std::make_shared<std::jthread>(Server::serve)", "Server::serve()"},
      {"auto *t = new std::thread(Server::serve)", "Server::serve()"},
      {"std::optional<std::thread> t; t.emplace(Server::serve)", "Server::serve()"},
      {"threads[0] = std::thread(Server::serve)", "Server::serve()"},
      {"auto f = std::async(worker, std::ref(queue), 1)", "worker(Queue &, int)"},
      {"auto f = std::async(std::launch::async, [] { return 1; })", "::(lambda)"},
      {"auto f = std::async(std::launch::deferred, Server::serve)", ""},
      {"std::thread t(any)", ""},
      {"std::thread t(pointer)", ""},
      {"std::thread t(std::move(threads[0]))", ""},
      {"auto t = make(Server::serve)", ""},
      {"std::vector<Pair> pairs; pairs.emplace_back(worker, 1)", ""},
  };
  std::string source = prelude;
  for (const Row &row : rows)
    source += "void f" + std::to_string(&row - rows) + "() { " + row.statement + "; }\n";
  const LockTable table = tableOf(source);
  for (const Row &row : rows) {
    const std::string number = std::to_string(&row - rows);
    const std::string caller = "_Z" + std::to_string(number.size() + 1) + "f" + number + "v";
    std::string found;
    for (const LockSite &site : sitesOf(table, SiteRole::spawn))
      if (site.inFunction == caller)
        found += site.function;
    const bool isLambda = row.function[0] == ':';
    EXPECT_EQ(found, (isLambda ? "f" + number + "()" : "") + row.function) << row.statement;
  }
}

TEST(ThreadStarts, FindTheRoutineInAStubsArgument) {
  const Row rows[] = {
      {"return a->routine(a->argument);", "8"},
      {"struct Start *s = a; return s->routine(s->argument);", "8"},
      {"return (*((struct Start *)none)->inner.first)(0);", "24"},
      {"((struct Start *)none)->result = ((struct Start *)none)->routine(none); return 0;", "8"},
      {"int first = a->number; (void)first; return a->routine(none);", "8"},
      // A worker that calls what it finds in a queue, and one that tells how far it is.
      {"while (a->number) a->routine(none); return 0;", ""},
      {"return a->two(1, 2);", ""},
      // Somewhere else.
      {"return a->next->routine(none);", ""},
      {"return other.routine(none);", ""},
      {"return plain(none);", ""},
  };
  std::string source = R"(
struct Start { int number; void *(*routine)(void *); void *argument;
  struct { void *(*first)(void *); } inner; struct Start *next; void *result;
  void *(*two)(int, int); } other;
void *plain(void *);
)";
  for (const Row &row : rows)
    source += "static void *f" + std::to_string(&row - rows) +
              "(void *none) { struct Start *a = none; (void)a; " + row.statement + " }\n";
  source += "void *(*all[])(void *) = {";
  for (const Row &row : rows)
    source += "f" + std::to_string(&row - rows) + ", ";
  const LockTable table = tableOf(source + "};", Language::c);
  ASSERT_EQ(table.startRoutines.size(), std::size(rows));
  for (const Row &row : rows) {
    const StartRoutine &found = table.startRoutines[static_cast<std::size_t>(&row - rows)];
    EXPECT_EQ(found.inner ? std::to_string(*found.inner) : "", row.function) << row.statement;
  }
}

} // namespace
