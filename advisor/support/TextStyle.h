// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emphasis in text for people. Off by default: only a command knows whether a
// terminal is listening.
#pragma once

#include <string>

namespace qdadvise {

struct TextStyle {
  bool colour = false;

  std::string bold(const std::string &text) const { return wrap("1", text); }
  std::string dim(const std::string &text) const { return wrap("2", text); }
  std::string good(const std::string &text) const { return wrap("32", text); }
  std::string warn(const std::string &text) const { return wrap("33", text); }
  std::string bad(const std::string &text) const { return wrap("31", text); }

private:
  std::string wrap(const char *code, const std::string &text) const {
    return colour && !text.empty() ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
  }
};

} // namespace qdadvise
