// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/threads/processor_time.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <sched.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace qdadvise::runtime;

namespace {

std::uint32_t ownId() { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

/// Computes until `left` threads, this one among them, have waited for a processor. A thread that
/// has waited goes on computing, so that the others still have somebody to wait for.
void waitForAProcessor(std::atomic<int> &left) {
  while (processorTimeOf(ownId()).waitedNs < 1'000'000) {
  }
  --left;
  while (left > 0) {
  }
}

} // namespace

TEST(ProcessorTime, IsReadFromALineOfTheKernel) {
  EXPECT_EQ(parseSchedstat("123456 789 4\n").ranNs, 123456u);
  EXPECT_EQ(parseSchedstat("123456 789 4\n").waitedNs, 789u);
  for (const char *const none : {"", "\n", "123", "123 ", "x 1 2", "1 x"}) {
    EXPECT_EQ(parseSchedstat(none).ranNs, 0u) << none;
    EXPECT_EQ(parseSchedstat(none).waitedNs, 0u) << none;
  }
}

TEST(ProcessorTime, OfAThreadThatIsNotThereIsZero) {
  const ProcessorTime none = processorTimeOf(0xffffffffu);
  EXPECT_EQ(none.ranNs, 0u);
  EXPECT_EQ(none.waitedNs, 0u);
}

TEST(ProcessorTime, TellsThatTwoThreadsSharedAProcessor) {
  if (!std::ifstream("/proc/thread-self/schedstat"))
    GTEST_SKIP() << "this kernel counts no delays";
  cpu_set_t all, one;
  CPU_ZERO(&one);
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all))
      CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::atomic<int> left = 2;
  std::thread other(waitForAProcessor, std::ref(left)); // inherits where it may run
  waitForAProcessor(left);
  other.join();
  EXPECT_GT(processorTimeOf(ownId()).ranNs, 0u);
  EXPECT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}
