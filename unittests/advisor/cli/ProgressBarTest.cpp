// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is seen of a progress bar on a terminal, and that nothing is elsewhere.

#include "advisor/cli/ProgressBar.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

using namespace qdadvise;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

/// What `work` writes to standard error, which is `file` meanwhile; what goes there can be
/// read from `reader`, which `work` is given.
std::string errorsOf(int file, int reader, const std::function<void(int)> &work) {
  const int before = ::dup(STDERR_FILENO);
  ::dup2(file, STDERR_FILENO);
  work(reader);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(file); // then reading ends
  std::string text, some(1000, '\0');
  for (ssize_t size = 0; (size = ::read(reader, some.data(), some.size())) > 0;)
    text += some.substr(0, static_cast<std::size_t>(size));
  ::close(reader);
  return text;
}

std::string onTerminal(const std::function<void(int)> &work) {
  int reader = -1, terminal = -1;
  EXPECT_EQ(::openpty(&reader, &terminal, nullptr, nullptr, nullptr), 0);
  return errorsOf(terminal, reader, work);
}

constexpr std::chrono::hours never{1};
constexpr std::chrono::milliseconds soon{1};

TEST(ProgressBar, ShowsHowFarItHasComeAndLeavesNothing) {
  const std::string text = onTerminal([](int) { ProgressBar().show(0.5, "halfway"); });
  EXPECT_THAT(text, HasSubstr("===               ]  50% halfway"));
  EXPECT_THAT(text, ::testing::EndsWith("\r\033[K"));
}

TEST(ProgressBar, OfWhatIsOverSoonNothingIsSeen) {
  EXPECT_THAT(onTerminal([](int) {
                ProgressBar bar(never);
                bar.show(0.5, "halfway");
                bar.clear();
              }),
              IsEmpty());
}

TEST(ProgressBar, AppearsInTheMiddleOfAStep) {
  const std::string text = onTerminal([](int reader) {
    ProgressBar bar(soon);
    bar.show(0.25, "long step");
    pollfd shown = {reader, POLLIN, 0};
    ::poll(&shown, 1, -1);
  });
  EXPECT_THAT(text, HasSubstr(" 25% long step"));
}

TEST(ProgressBar, IsForTerminals) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_THAT(errorsOf(ends[1], ends[0],
                       [](int) {
                         ProgressBar bar, late(soon);
                         bar.show(0.5, "halfway");
                         late.show(0.5, "halfway");
                       }),
              IsEmpty());
}

} // namespace
