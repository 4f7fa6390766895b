// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/process/MeasuredRun.h"

#include <algorithm>
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

TEST(MeasuredRunTest, severalRunAtOnce) {
  // Each waits for the other one.
  const auto folder =
      std::filesystem::temp_directory_path() / ("qdadvise-runs-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::vector<RunRequest> requests;
  for (const std::string name : {"a", "b"}) {
    requests.push_back(shell("cd " + folder.string() +
                             "; touch $NAME; until [ -e a -a -e b ]; do "
                             "sleep 0.01; done; echo $NAME; test $NAME = a"));
    requests.back().environment = {"NAME=" + name};
  }
  const std::vector<MeasuredRun> runs = measureRuns(requests).value();
  std::filesystem::remove_all(folder);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].output, "a\n");
  EXPECT_EQ(runs[1].output, "b\n");
  EXPECT_EQ(runs[0].status, 0);
  EXPECT_EQ(runs[1].status, 1);
  EXPECT_EQ(runs[0].togetherS, runs[1].togetherS);
  EXPECT_GT(runs[0].togetherS, 0);
  EXPECT_LE(runs[0].togetherS, std::min(runs[0].seconds, runs[1].seconds));
}

TEST(MeasuredRunTest, readsTheRestOfAFile) {
  const auto path =
      std::filesystem::temp_directory_path() / ("qdadvise-input-" + std::to_string(::getpid()));
  std::ofstream(path) << "first\nsecond\n";
  RunRequest request = shell("cat; echo said >&2");
  EXPECT_EQ(measureRun(request).value().output, "said\n") << "there is none";
  request.input = path.string();
  request.inputFrom = 6;
  EXPECT_EQ(measureRun(request).value().output, "second\nsaid\n");
  request.keepsOutput = false;
  EXPECT_EQ(measureRun(request).value().output, "said\n");
  std::filesystem::remove(path);
  EXPECT_THAT(measureRun(request).error().message, HasSubstr("cannot run sh"));
}

TEST(MeasuredRunTest, oneThatCannotRunLeavesNoneRunning) {
  const auto path =
      std::filesystem::temp_directory_path() / ("qdadvise-pid-" + std::to_string(::getpid()));
  std::filesystem::remove(path);
  RunRequest missing;
  missing.command = {"/no/such/program"};
  const RunRequest waiting = shell("sleep 1000 & echo $! > " + path.string() + "; wait");
  EXPECT_THAT(measureRuns({waiting, missing}).error().message, HasSubstr("/no/such/program"));
  // It may not have come to say who it is.
  std::string pid;
  if (std::ifstream(path) >> pid) {
    EXPECT_TRUE(ends(pid));
  }
  std::filesystem::remove(path);
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
