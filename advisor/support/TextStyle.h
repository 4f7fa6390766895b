// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text for people: emphasis, and the screen that it is for. Without emphasis and for 80 columns by
// default: only a command knows whether a terminal is listening, and how large it is.
#pragma once

#include "advisor/support/Format.h"

#include <cstddef>
#include <string>

namespace qdadvise {

struct TextStyle {
  bool colour = false;
  std::size_t width = textWidth; ///< columns
  std::size_t height = 24;       ///< lines of a screen

  std::string bold(const std::string &text) const { return emphasised("1", text); }
  std::string dim(const std::string &text) const { return emphasised("2", text); }
  std::string good(const std::string &text) const { return emphasised("32", text); }
  std::string warn(const std::string &text) const { return emphasised("33", text); }
  std::string bad(const std::string &text) const { return emphasised("31", text); }

  std::string wrapped(const std::string &text, std::size_t indent) const {
    return qdadvise::wrapped(text, indent, width);
  }
  std::string rule() const { return std::string(width, '-') + "\n"; }
  /// The same screen without emphasis.
  TextStyle plain() const { return {false, width, height}; }

private:
  /// Each line by itself: a pager that begins in the middle has to see it, too.
  std::string emphasised(const char *code, const std::string &text) const;
};

} // namespace qdadvise
