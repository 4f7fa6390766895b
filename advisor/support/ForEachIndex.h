// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace qdadvise {

/// Calls `visit(i)` for 0 <= i < count on `atATime` threads (0: one for each processor), and
/// returns when all calls are over. An exception in `visit` ends the program.
template <typename Visit>
void forEachIndex(std::size_t count, const Visit &visit, std::size_t atATime = 0) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&]() noexcept {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
      visit(i);
  };
  if (atATime == 0)
    atATime = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < std::min(atATime, count))
      others.emplace_back(work);
  } catch (const std::system_error &) {
    // The threads that could be started do the work.
  }
  work();
}

} // namespace qdadvise
