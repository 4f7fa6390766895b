// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line on the terminal that shows how far a command has come.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <fmt/format.h>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>

namespace qdadvise {

/// The patience for work that is usually over at once: then no line appears.
inline constexpr std::chrono::milliseconds aWhile{1000};

/// One line that is overwritten. Prints nothing where standard error is no terminal.
class ProgressBar {
public:
  /// With patience, the line appears after that time, whether or not a step ends then.
  explicit ProgressBar(std::chrono::milliseconds patience = {})
      : visible(::isatty(STDERR_FILENO) == 1), waiting(visible && patience.count() > 0) {
    if (waiting)
      appearance = std::thread([this, patience] { appearAfter(patience); });
  }
  ~ProgressBar() {
    {
      const std::lock_guard guard(mutex);
      waiting = false;
      draw("");
    }
    over.notify_one();
    if (appearance.joinable())
      appearance.join();
  }
  ProgressBar(const ProgressBar &) = delete;
  ProgressBar &operator=(const ProgressBar &) = delete;

  void show(double done, const std::string &what) {
    constexpr int width = 30;
    const auto filled = static_cast<std::size_t>(done * width);
    const std::lock_guard guard(mutex);
    draw(fmt::format("[{}{}] {:3.0f}% {}", std::string(filled, '='),
                     std::string(width - filled, ' '), done * 100, what));
  }
  void clear() {
    const std::lock_guard guard(mutex);
    draw("");
  }

private:
  void draw(std::string text) {
    line = std::move(text);
    if (!visible || waiting || (line.empty() && !drawn))
      return;
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    drawn = !line.empty();
  }
  void appearAfter(std::chrono::milliseconds patience) {
    std::unique_lock guard(mutex);
    if (over.wait_for(guard, patience, [this] { return !waiting; }))
      return;
    waiting = false;
    draw(line);
  }

  const bool visible;
  std::mutex mutex; ///< guards what follows
  bool waiting, drawn = false;
  std::string line;
  std::condition_variable over;
  std::thread appearance;
};

} // namespace qdadvise
