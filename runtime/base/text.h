// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text in fixed buffers and on standard error, safe in a signal handler.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unistd.h>

namespace qdadvise::runtime {

/// A line under construction; what does not fit is cut off.
template <std::size_t size> class Text {
public:
  Text &add(const char *text) { return add(text, std::strlen(text)); }
  Text &add(const char *text, std::size_t bytes) {
    const std::size_t room = size - 1 - length;
    if (bytes > room) {
      bytes = room;
      cut = true;
    }
    std::memcpy(buffer + length, text, bytes);
    length += bytes;
    buffer[length] = '\0';
    return *this;
  }
  Text &addNumber(std::uint64_t value, unsigned base = 10) {
    char digits[24];
    std::size_t at = sizeof digits;
    do {
      digits[--at] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    return add(digits + at, sizeof digits - at);
  }
  const char *c_str() const { return buffer; }
  bool wasCut() const { return cut; }

private:
  char buffer[size] = {};
  std::size_t length = 0;
  bool cut = false;
};

/// What is written here and is too large (RLIMIT_FSIZE) is an error of ours, not the program's end.
class SizeSignalHeldBack {
public:
  SizeSignalHeldBack() {
    sigset_t pending;
    sigemptyset(&sizeSignal);
    sigaddset(&sizeSignal, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &sizeSignal, &before);
    sigpending(&pending);
    wasPending = sigismember(&pending, SIGXFSZ) == 1;
  }
  ~SizeSignalHeldBack() {
    const timespec now{};
    if (!wasPending)
      sigtimedwait(&sizeSignal, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  SizeSignalHeldBack(const SizeSignalHeldBack &) = delete;
  SizeSignalHeldBack &operator=(const SizeSignalHeldBack &) = delete;

private:
  sigset_t sizeSignal, before;
  bool wasPending;
};

/// One line on standard error: "qdadvise: <kind>: <message>".
inline void say(const char *kind, const char *message) {
  Text<5000> line;
  line.add("qdadvise: ").add(kind).add(": ").add(message).add("\n");
  const char *at = line.c_str();
  std::size_t rest = std::strlen(at);
  const SizeSignalHeldBack heldBack;
  while (rest != 0) {
    const ssize_t written = write(STDERR_FILENO, at, rest);
    if (written <= 0)
      return;
    at += written;
    rest -= static_cast<std::size_t>(written);
  }
}
inline void warn(const char *message) { say("warning", message); }

} // namespace qdadvise::runtime
