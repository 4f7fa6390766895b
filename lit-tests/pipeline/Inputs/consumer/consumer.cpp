// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <qdadvise/locks/qd_lock.h>

#include <thread>

int main() {
  qdadvise::qd_lock lock;
  int counter = 0;
  auto count = [&] {
    for (int i = 0; i < 10000; ++i)
      lock.delegate([&] { return ++counter; });
  };
  std::thread other(count);
  count();
  other.join();
  return counter == 20000 ? 0 : 1;
}
