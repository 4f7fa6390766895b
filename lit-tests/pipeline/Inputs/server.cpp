// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serves until a signal ends it; with an argument by a handler of its own.
#include <csignal>
#include <cstdio>
#include <mutex>
#include <unistd.h>

static std::mutex table;
static long served;

static void serve() {
  std::lock_guard<std::mutex> guard(table);
  ++served;
}

int main(int count, char **) {
  if (count > 1)
    std::signal(SIGTERM, [](int) {
      const char text[] = "goodbye, once\n";
      _exit(write(2, text, sizeof text - 1) > 0 ? 3 : 4);
    });
  for (int i = 0;; ++i) {
    serve();
    if (i == 1000) {
      std::puts("serving");
      std::fflush(stdout);
    }
    if (i > 1000)
      usleep(1000);
  }
}
