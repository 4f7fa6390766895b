// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs to record. Each does a fixed amount of work:
//
//   loop PAIRS                   one thread locks and unlocks one mutex
//   pipeline ITEMS               six stages with queues between them, in the manner of ferret
//   locks ACQUISITIONS WORK      two threads take any of 90 000 mutexes, with WORK steps of
//                                computation in between
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

/// Steps of a computation that the compiler cannot shorten.
std::uint64_t compute(std::uint64_t value, long steps) {
  for (long i = 0; i < steps; ++i)
    value = (value ^ (value >> 29)) * 0x9e3779b97f4a7c15u;
  return value;
}

long keep = 0; ///< keeps the compiler from removing computations

void loop(long pairs) {
  std::mutex mutex;
  for (long i = 0; i < pairs; ++i) {
    const std::lock_guard<std::mutex> guard(mutex);
    ++keep;
  }
}

// --- the pipeline ---

class Queue {
public:
  void put(long item) {
    std::unique_lock<std::mutex> guard(mutex);
    hasRoom.wait(guard, [this] { return items.size() < room; });
    items.push_back(item);
    hasItem.notify_one();
  }
  long take() {
    std::unique_lock<std::mutex> guard(mutex);
    hasItem.wait(guard, [this] { return !items.empty(); });
    const long item = items.front();
    items.pop_front();
    hasRoom.notify_one();
    return item;
  }

private:
  static constexpr std::size_t room = 64;
  std::mutex mutex;
  std::condition_variable hasRoom, hasItem;
  std::deque<long> items;
};

void pipeline(long count) {
  // The times of an item at the stages: ferret's fourth stage, the ranking, is the longest.
  static constexpr long steps[] = {300, 2000, 4000, 8000, 16000, 300};
  constexpr int stages = sizeof steps / sizeof steps[0];
  constexpr long end = -1;
  Queue queues[stages + 1];
  std::vector<std::thread> threads;
  for (int stage = 0; stage < stages; ++stage)
    threads.emplace_back([&, stage] {
      for (;;) {
        const long item = queues[stage].take();
        queues[stage + 1].put(
            item == end
                ? end
                : static_cast<long>(compute(static_cast<std::uint64_t>(item), steps[stage]) >> 1));
        if (item == end)
          return;
      }
    });
  std::thread sink([&] {
    for (long item = 0; item != end; keep ^= item)
      item = queues[stages].take();
  });
  for (long i = 0; i < count; ++i)
    queues[0].put(i);
  queues[0].put(end);
  for (std::thread &thread : threads)
    thread.join();
  sink.join();
}

// --- many locks ---

struct Cell {
  std::mutex mutex;
  std::uint64_t value = 0;
};

void locks(long acquisitions, long steps) {
  constexpr std::size_t count = 90'000;
  const std::unique_ptr<Cell[]> cells(new Cell[count]);
  const auto work = [&](std::uint64_t seed) {
    for (long i = 0; i < acquisitions; ++i) {
      seed = compute(seed, steps);
      Cell &cell = cells[(seed >> 33) % count];
      const std::lock_guard<std::mutex> guard(cell.mutex);
      cell.value += seed;
    }
  };
  std::thread other(work, 1);
  work(2);
  other.join();
}

} // namespace

int main(int count, char **arguments) {
  const auto number = [&](int i) { return i < count ? std::atol(arguments[i]) : 0; };
  const long units = number(2);
  if (count < 3 || units <= 0)
    return 2;
  // The recorder always starts a second thread. Without one, glibc's locks use no atomic
  // operations.
  std::thread([] {}).join();
  if (std::strcmp(arguments[1], "loop") == 0)
    loop(units);
  else if (std::strcmp(arguments[1], "pipeline") == 0)
    pipeline(units);
  else if (std::strcmp(arguments[1], "locks") == 0)
    locks(units / 2, number(3));
  else
    return 2;
  return keep == 42 ? 3 : 0;
}
