// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a command has come, for who waits for it.
#pragma once

#include <cstddef>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace qdadvise {

/// One line that is overwritten; nothing where nobody would see it move.
class ProgressBar {
public:
  ProgressBar() : visible(::isatty(STDERR_FILENO) == 1) {}
  ~ProgressBar() { clear(); }

  void show(double done, const std::string &what) const {
    if (!visible)
      return;
    constexpr int width = 30;
    const auto filled = static_cast<std::size_t>(done * width);
    fmt::print(stderr, "\r\033[K[{}{}] {:3.0f}% {}", std::string(filled, '='),
               std::string(width - filled, ' '), done * 100, what);
    std::fflush(stderr);
  }
  void clear() const {
    if (visible)
      fmt::print(stderr, "\r\033[K");
  }

private:
  bool visible;
};

} // namespace qdadvise
