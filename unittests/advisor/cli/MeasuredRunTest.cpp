// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/process/MeasuredRun.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace qdadvise;
using testing::HasSubstr;

namespace {

RunRequest shell(const std::string &script) {
  RunRequest request;
  request.command = {"sh", "-c", script};
  return request;
}

bool isAlive(const std::string &pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string word;
  for (int field = 0; field < 3; ++field)
    if (!(file >> word))
      return false;
  return word != "Z";
}

/// A killed process is there until it has run once more.
bool ends(const std::string &pid) {
  for (int wait = 0; wait < 100 && isAlive(pid); ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return !isAlive(pid);
}

} // namespace

TEST(MeasuredRunTest, keepsOutputStatusAndTime) {
  const MeasuredRun run = measureRun(shell("echo out; echo err >&2; sleep 0.2; exit 3")).value();
  EXPECT_EQ(run.output, "out\nerr\n");
  EXPECT_EQ(run.status, 3);
  EXPECT_GE(run.seconds, 0.2);
  EXPECT_LT(run.seconds, 10);
  EXPECT_EQ(run.interruption, 0);
}

TEST(MeasuredRunTest, aSignalIsAStatus) {
  EXPECT_EQ(measureRun(shell("kill -SEGV $$")).value().status, 128 + SIGSEGV);
}

TEST(MeasuredRunTest, whatCannotRunIsSaid) {
  RunRequest request;
  request.command = {"/no/such/program"};
  EXPECT_THAT(measureRun(request).error().message, HasSubstr("cannot run /no/such/program"));
}

TEST(MeasuredRunTest, pinsToProcessors) {
  RunRequest request = shell("nproc");
  const MeasuredRun all = measureRun(request).value();
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  int first = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(first), &set))
    ++first;
  request.processors = {first};
  EXPECT_EQ(measureRun(request).value().output, "1\n");
  EXPECT_EQ(measureRun(shell("nproc")).value().output, all.output) << "it was undone";
}

TEST(MeasuredRunTest, atTheLimitAllOfItIsKilled) {
  RunRequest request = shell("trap '' INT TERM; sleep 1000 & echo $!; wait; sleep 1000");
  request.limit = std::chrono::milliseconds(300);
  const MeasuredRun run = measureRun(request).value();
  EXPECT_TRUE(run.isTimedOut);
  EXPECT_LT(run.seconds, 60);
  EXPECT_TRUE(ends(run.output.substr(0, run.output.find('\n'))));
}

TEST(MeasuredRunTest, whatIsLeftBehindIsKilled) {
  const MeasuredRun run = measureRun(shell("sleep 1000 & echo $!")).value();
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(ends(run.output.substr(0, run.output.size() - 1)));
}

TEST(MeasuredRunTest, whatIsToEndUsEndsIt) {
  std::thread interrupter([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ::kill(::getpid(), SIGINT);
  });
  const MeasuredRun run = measureRun(shell("trap '' INT; sleep 1000 & wait; sleep 1000")).value();
  interrupter.join();
  EXPECT_EQ(run.interruption, SIGINT);
  EXPECT_EQ(run.status, 128 + SIGKILL) << "it takes no notice of SIGINT";
}

TEST(MeasuredRunTest, tellsItsOwnProcessorTimeFromThatOfOthers) {
  constexpr const char *busyFor =
      "import time; e = time.monotonic() + 0.3\nwhile time.monotonic() < e: pass";
  RunRequest request;
  request.command = {"python3", "-c", busyFor};
  const MeasuredRun run = measureRun(request).value();
  EXPECT_GT(run.ownS, 0);
  EXPECT_LT(run.ownS, run.seconds * 1.1);
  // Somebody else is at work all the time.
  std::atomic<bool> isDone = false;
  std::thread other([&] {
    while (!isDone)
      continue;
  });
  const MeasuredRun idle = measureRun(shell("sleep 1")).value();
  isDone = true;
  other.join();
  EXPECT_GT(idle.othersS, 0);
  EXPECT_LT(idle.ownS, idle.seconds / 2);
}
