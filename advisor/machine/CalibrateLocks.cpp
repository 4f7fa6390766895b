// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What taking, handing over and delegating cost.
#include "advisor/machine/Measurements.h"
#include "advisor/machine/Team.h"
#include "advisor/machine/Ticks.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <pthread.h>
#include <qdadvise/locks/qd_lock.h>
#include <qdadvise/locks/spinlock.h>
#include <random>

namespace qdadvise {
namespace {

/// A critical section with nothing in it, which the optimiser must leave there.
inline void nothing() { asm volatile("" ::: "memory"); }

/// Computation that touches no memory, so that it lasts the same on every core.
void compute(int steps) {
  unsigned long value = 1;
  for (int i = 0; i < steps; ++i) {
    value = value * 3 + 1;
    asm volatile("" : "+r"(value));
  }
}

/// How many steps of `compute` take so long; the quickest of some tries, since what
/// comes between only makes it slower.
int stepsFor(double ns) {
  static const double perStep = [] {
    constexpr int steps = 10000;
    double quickest = 1e9;
    for (int attempt = 0; attempt < 50; ++attempt) {
      const double start = nowNs();
      compute(steps);
      quickest = std::min(quickest, (nowNs() - start) / steps);
    }
    return quickest;
  }();
  return std::max(1, static_cast<int>(ns / perStep));
}

template <typename Operation> double perOperation(int count, Operation operation) {
  const double start = nowNs();
  for (int i = 0; i < count; ++i)
    operation();
  return (nowNs() - start) / count;
}

/// Waits without the processor's pause, which may last as long as what is measured; but
/// lets others run where whoever is waited for has no core.
template <typename Condition> void awaitQuickly(Condition condition) {
  for (unsigned turns = 0; !condition(); ++turns)
    if (turns > 10000)
      sched_yield();
}

} // namespace

LockOverheads measureLockOverheads(Effort effort) {
  // glibc leaves the atomics out while a process has one thread only.
  std::mutex gate;
  gate.lock();
  std::thread second([&] { const std::lock_guard guard(gate); });

  constexpr int batch = 2000;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  spinlock spin;
  qd_lock qd;
  std::vector<double> mutexNs, spinNs, qdNs;
  for (int sample = 0; sample < effort.samples; ++sample) {
    mutexNs.push_back(perOperation(batch, [&] {
      pthread_mutex_lock(&mutex);
      nothing();
      pthread_mutex_unlock(&mutex);
    }));
    spinNs.push_back(perOperation(batch, [&] {
      spin.lock();
      nothing();
      spin.unlock();
    }));
    qdNs.push_back(perOperation(batch, [&] { qd.delegate([] { nothing(); }); }));
  }
  gate.unlock();
  second.join();
  pthread_mutex_destroy(&mutex);
  return {*summarize(std::move(mutexNs)), *summarize(std::move(spinNs)),
          *summarize(std::move(qdNs))};
}

Figure measureTransfer(int processor, int otherProcessor, Effort effort) {
  constexpr int rounds = 400;
  struct alignas(128) Line {
    std::atomic<int> turn{0};
  } line;
  Team team({processor, otherProcessor});
  std::vector<double> samples;
  for (int sample = 0; sample < effort.samples; ++sample) {
    line.turn = 0;
    const double elapsed = team.run([&](int index) {
      for (int turn = index; turn < 2 * rounds; turn += 2) {
        awaitQuickly([&] { return line.turn.load(std::memory_order_acquire) == turn; });
        line.turn.store(turn + 1, std::memory_order_release);
      }
    });
    samples.push_back(elapsed / (2 * rounds));
  }
  return *summarize(std::move(samples));
}

Figure measureSpinlockHandover(const std::vector<int> &processors, Effort effort) {
  // The absence is longer than a hand-over, so that another thread gets the lock, and
  // shorter than its section, so that the releaser is back. The sections differ a
  // little: with equal ones a release keeps meeting a waiter at the same point of its
  // pause, and the cost is that point's.
  constexpr double sectionNs = 500, variationNs = 100, absenceNs = 200;
  constexpr int rounds = 100;
  const int absence = stepsFor(absenceNs), variation = stepsFor(variationNs);
  std::array<int, rounds> sections{};
  std::minstd_rand random(1);
  for (int &section : sections)
    section = stepsFor(sectionNs) + static_cast<int>(random() % static_cast<unsigned>(variation));
  struct alignas(128) Padded {
    spinlock lock;
  };
  const std::size_t most = std::min<std::size_t>(processors.size(), 8);
  // Least squares through the origin, of the extra time against (j − 1)/2.
  std::vector<double> products(static_cast<std::size_t>(effort.samples));
  double squares = 0;
  for (std::size_t present = 2; present <= most; ++present) {
    Team team({processors.begin(), processors.begin() + static_cast<std::ptrdiff_t>(present)});
    std::vector<Padded> own(present);
    Padded shared;
    const double x = static_cast<double>(present - 1) / 2;
    squares += x * x;
    for (double &product : products) {
      const double alone = team.run([&](int index) {
        spinlock &lock = own[static_cast<std::size_t>(index)].lock;
        for (const int section : sections) {
          const std::lock_guard guard(lock);
          compute(section);
        }
      });
      const double together = team.run([&](int) {
        for (const int section : sections) {
          {
            const std::lock_guard guard(shared.lock);
            compute(section);
          }
          compute(absence);
        }
      });
      product += x * (together / static_cast<double>(present) - alone) / rounds;
    }
  }
  for (double &product : products)
    product /= squares;
  Figure figure = *summarize(std::move(products));
  figure.value = std::max(0.0, figure.value);
  return figure;
}

Figure measureDelegation(const std::vector<int> &processors, Effort effort) {
  const auto waiting = static_cast<std::uint32_t>(processors.size() - 1);
  // Until the last of the counted requests is in its slot as well.
  const int settle = stepsFor(300);
  qd_lock lock;
  alignas(128) std::atomic<int> round{0};
  Team team(processors);
  std::vector<double> baseline, withQueue;
  const auto samples = static_cast<std::size_t>(effort.samples);
  baseline.reserve(samples);
  withQueue.reserve(samples);

  const auto helperRound = [&](std::uint32_t queued, std::vector<double> &results) {
    std::uint64_t start = 0;
    lock.delegate([&] {
      if (queued != 0)
        round.fetch_add(1, std::memory_order_release);
      awaitQuickly([&] { return (lock.word() & qd_lock::count_mask) >= queued; });
      compute(settle);
      start = readTicksInOrder();
    });
    results.push_back(static_cast<double>(readTicksInOrder() - start) * nsPerTick());
  };

  nsPerTick();
  team.run([&](int index) {
    for (int number = 1; number <= effort.samples; ++number)
      if (index == 0) {
        helperRound(0, baseline);
        helperRound(waiting, withQueue);
      } else {
        awaitQuickly([&] { return round.load(std::memory_order_acquire) >= number; });
        lock.delegate([] { nothing(); });
      }
  });
  const Figure without = *summarize(std::move(baseline));
  Figure figure = *summarize(std::move(withQueue));
  figure.value = std::max(0.0, figure.value - without.value);
  return figure;
}

} // namespace qdadvise
