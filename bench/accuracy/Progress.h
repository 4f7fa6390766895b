// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A progress bar on standard error. A terminal shows one bar that grows; elsewhere there is a line
// for every twentieth of the work.
#pragma once

#include <chrono>
#include <cstddef>
#include <fmt/format.h>
#include <mutex>
#include <string>
#include <unistd.h>

namespace qdadvise::accuracy {

class Progress {
public:
  explicit Progress(std::size_t steps) : steps(steps) {}

  /// May be called from any thread.
  void step() {
    const std::lock_guard lock(mutex);
    ++done;
    const auto now = Clock::now();
    const bool last = done == steps;
    if (terminal ? !last && now - drawn < std::chrono::milliseconds(200)
                 : done * 20 / steps == (done - 1) * 20 / steps)
      return;
    drawn = now;
    const std::chrono::duration<double> spent = now - begun;
    const double left =
        spent.count() / static_cast<double>(done) * static_cast<double>(steps - done);
    const std::size_t filled = done * width / steps;
    fmt::print(stderr, "{}[{}{}] {} of {} simulations, {} left{}", terminal ? "\r" : "",
               std::string(filled, '='), std::string(width - filled, ' '), done, steps,
               duration(left), terminal && !last ? "\033[K" : "\n");
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t width = 30;

  static std::string duration(double seconds) {
    return seconds < 120    ? fmt::format("{:.0f} s", seconds)
           : seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60)
                            : fmt::format("{:.1f} h", seconds / 3600);
  }

  const std::size_t steps;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  std::mutex mutex;
  std::size_t done = 0;
  Clock::time_point begun = Clock::now(), drawn{};
};

} // namespace qdadvise::accuracy
