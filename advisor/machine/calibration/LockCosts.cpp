// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/calibration/LockCosts.h"

#include "advisor/machine/calibration/Team.h"
#include "advisor/machine/calibration/Ticks.h"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <pthread.h>
#include <qdadvise/locks/all_locks.h>
#include <random>

namespace qdadvise {
namespace {

/// An empty critical section that the optimiser does not remove.
inline void nothing() { asm volatile("" ::: "memory"); }

/// Computes without touching memory, so that it takes the same time on every core.
void compute(int steps) {
  unsigned long value = 1;
  for (int i = 0; i < steps; ++i) {
    value = value * 3 + 1;
    asm volatile("" : "+r"(value));
  }
}

/// How many steps of `compute` take so long. It takes the quickest of some tries, since
/// interruptions only make them slower.
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

/// Waits without the processor's pause, which may last as long as what is measured. It yields after
/// a while, in case the other thread has no core.
template <typename Condition> void awaitQuickly(Condition condition) {
  for (unsigned turns = 0; !condition(); ++turns)
    if (turns > 10000)
      sched_yield();
}

/// The shipped locks, on lines of their own.
struct Locks {
#define SHIPPED_LOCK(kind, number, name, label, lock, ...) alignas(128) qdadvise::lock kind;
#include "runtime/abi/LockAlgorithms.def"
};

/// Calls `function` with the algorithm and the lock.
template <typename Function> void forEachLock(Locks &locks, Function function) {
#define SHIPPED_LOCK(kind, ...) function(algorithmOf(LockKind::kind), locks.kind);
#include "runtime/abi/LockAlgorithms.def"
}

template <typename Lock>
concept Delegating = requires(Lock &lock) { lock.delegate([] {}); };

} // namespace

FigureByKind measureLockOverheads(Effort effort) {
  // glibc uses no atomic operations while a process has only one thread.
  std::mutex gate;
  gate.lock();
  std::thread second([&] { const std::lock_guard guard(gate); });

  std::map<LockKind, std::vector<double>> samples;
  const auto sample = [&](LockKind kind, auto &&operation) {
    samples[kind].push_back(perOperation(2000, operation));
  };
  const auto locking = [](auto &lock) {
    return [&lock] {
      lock.lock();
      nothing();
      lock.unlock();
    };
  };
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  Locks locks;
  for (int i = 0; i < effort.samples; ++i) {
    sample(LockKind::pthreadMutex, [&] {
      pthread_mutex_lock(&mutex);
      nothing();
      pthread_mutex_unlock(&mutex);
    });
    sample(LockKind::pthreadRwlock, [&] {
      pthread_rwlock_wrlock(&rwlock);
      nothing();
      pthread_rwlock_unlock(&rwlock);
    });
    forEachLock(locks, [&]<typename Lock>(const LockAlgorithm &algorithm, Lock &lock) {
      if constexpr (Delegating<Lock>)
        sample(algorithm.kind, [&] { lock.delegate([] { nothing(); }); });
      else
        sample(algorithm.kind, locking(lock));
    });
  }
  gate.unlock();
  second.join();
  pthread_mutex_destroy(&mutex);
  pthread_rwlock_destroy(&rwlock);
  FigureByKind overheads;
  for (auto &[kind, all] : samples)
    overheads[kind] = *summarize(std::move(all));
  return overheads;
}

namespace {

constexpr std::size_t lineSize = 64;

/// A line of its own, which neighbours are not fetched with.
struct alignas(2 * lineSize) Line {
  std::atomic<unsigned> value{0};
};

/// Half a round trip of two threads that compare-exchange one line in turn.
double transferNs(Team &pair) {
  constexpr unsigned rounds = 400;
  Line line;
  const double elapsed = pair.run([&](int index) {
    for (auto turn = static_cast<unsigned>(index); turn < 2 * rounds; turn += 2)
      awaitQuickly([&] {
        unsigned seen = turn;
        return line.value.compare_exchange_strong(seen, turn + 1, std::memory_order_acq_rel);
      });
  });
  return elapsed / (2 * rounds);
}

/// The time per update of a line that all threads update as fast as they can.
double updateNs(Team &team) {
  constexpr unsigned updates = 2000;
  Line line;
  const double elapsed = team.run([&](int) {
    while (line.value.fetch_add(1, std::memory_order_relaxed) < updates)
      ;
  });
  return elapsed / updates;
}

/// The mean time from the beginning of an update until others can see it. The threads of the team
/// take turns.
double turnNs(Team &team, const std::function<void()> &update) {
  constexpr unsigned turns = 40;
  Line flag;
  std::array<std::uint64_t, 2> ticks{};
  team.run([&](int index) {
    std::uint64_t mine = 0;
    for (auto turn = static_cast<unsigned>(index); turn < turns;
         turn += static_cast<unsigned>(team.size())) {
      awaitQuickly([&] { return flag.value.load(std::memory_order_acquire) == turn; });
      const std::uint64_t begin = readTicksInOrder();
      update();
      std::atomic_thread_fence(std::memory_order_seq_cst);
      mine += readTicksInOrder() - begin;
      flag.value.store(turn + 1, std::memory_order_release);
    }
    ticks[static_cast<std::size_t>(index)] = mine;
  });
  return static_cast<double>(ticks[0] + ticks[1]) * nsPerTick() / turns;
}

/// The median of differences that only chance puts below zero.
Figure medianAboveZero(std::vector<double> samples) {
  Figure figure = *summarize(std::move(samples));
  figure.value = std::max(0.0, figure.value);
  return figure;
}

} // namespace

Figure measureTransfer(std::array<int, 2> processors, Effort effort) {
  Team pair({processors[0], processors[1]});
  std::vector<double> samples;
  for (int sample = 0; sample < effort.samples; ++sample)
    samples.push_back(transferNs(pair));
  return *summarize(std::move(samples));
}

Figure measureUpgrade(std::array<int, 2> processors, Effort effort) {
  std::array<Line, 2> lines;
  Line &line = lines.front();
  const auto write = [&] { line.value.fetch_add(1, std::memory_order_relaxed); };
  const auto readAndWrite = [&] {
    // Where it is written follows from what was read, which is far below 2^31: the read is first.
    unsigned seen = line.value.load(std::memory_order_relaxed);
    asm volatile("" : "+r"(seen));
    lines[seen >> 31].value.fetch_add(1, std::memory_order_relaxed);
  };
  Team pair({processors[0], processors[1]}), one({processors[0]});
  std::vector<double> samples;
  for (int sample = 0; sample < effort.samples; ++sample) {
    const double together = turnNs(pair, readAndWrite) - turnNs(pair, write);
    samples.push_back(together - (turnNs(one, readAndWrite) - turnNs(one, write)));
  }
  return medianAboveZero(std::move(samples));
}

Figure measureKept(std::array<int, 2> processors, Effort effort) {
  Team pair({processors[0], processors[1]}), one({processors[0]});
  std::vector<double> samples;
  for (int sample = 0; sample < effort.samples; ++sample) {
    // One of the two has the line for the time of a transfer, then the other one.
    const double updates = transferNs(pair) / updateNs(pair);
    samples.push_back((updates - 1) * updateNs(one));
  }
  return medianAboveZero(std::move(samples));
}

Figure measureMovedLines(std::array<int, 2> processors, int lines, bool chained, Effort effort) {
  struct alignas(lineSize) Element {
    int value = 0;
    Element *next = nullptr;
  };
  std::vector<Element> data(static_cast<std::size_t>(lines));
  std::vector<Element *> order;
  for (Element &element : data)
    order.push_back(&element);
  std::shuffle(order.begin(), order.end(), std::minstd_rand(1));
  for (std::size_t i = 1; i < order.size(); ++i)
    order[i - 1]->next = order[i];
  const auto updateOne = [](Element &element) {
    ++element.value;
    asm volatile("" : "+m"(element.value)); // keeps the compiler from joining two updates
  };
  const auto update = [&] {
    if (chained)
      for (Element *element = order.front(); element; element = element->next)
        updateOne(*element);
    else
      for (Element &element : data)
        updateOne(element);
  };
  Team pair({processors[0], processors[1]}), one({processors[0]});
  std::vector<double> samples;
  for (int sample = 0; sample < effort.samples; ++sample) {
    const double together = turnNs(pair, update);
    turnNs(one, update); // brings all lines here
    samples.push_back(together - turnNs(one, update));
  }
  return medianAboveZero(std::move(samples));
}

namespace {

constexpr int handoffRounds = 100;
/// How long a thread stays away after a release, over the mean.
using Absences = std::array<double, handoffRounds>;

/// The time from the end of a section to the beginning of the next, by algorithm, of those that are
/// meant and do not delegate. Sections take about `sectionNs`; a thread stays away for
/// `absenceNs(kind)` after a release, on the mean.
template <typename IsMeant, typename AbsenceNs>
FigureByKind handoffsAfter(double sectionNs, IsMeant isMeant, AbsenceNs absenceNs,
                           const Absences &absences, const std::vector<int> &processors,
                           Effort effort) {
  // The sections differ a little. With equal ones, a release would always meet a waiter at the same
  // point of its pause, and only that point would be measured.
  const int shortest = stepsFor(sectionNs), variation = std::max(1, stepsFor(0.2 * sectionNs));
  std::array<int, handoffRounds> sections{};
  std::minstd_rand random(1);
  for (int &section : sections)
    section = shortest + static_cast<int>(random() % static_cast<unsigned>(variation));
  const auto present = static_cast<double>(processors.size());
  Team team(processors);
  Locks locks;
  std::map<LockKind, std::vector<double>> samples;
  for (int i = 0; i < effort.samples; ++i) {
    const double alone = team.run([&](int) {
      for (const int section : sections)
        compute(section);
    });
    forEachLock(locks, [&]<typename Lock>(const LockAlgorithm &algorithm, Lock &lock) {
      if constexpr (!Delegating<Lock>) {
        if (!isMeant(algorithm))
          return;
        std::array<int, handoffRounds> away{};
        for (std::size_t at = 0; at < away.size(); ++at)
          away[at] = stepsFor(absenceNs(algorithm.kind) * absences[at]);
        const double together = team.run([&](int) {
          for (std::size_t at = 0; at < sections.size(); ++at) {
            lock.lock();
            compute(sections[at]);
            lock.unlock();
            compute(away[at]);
          }
        });
        samples[algorithm.kind].push_back((together / present - alone) / handoffRounds);
      }
    });
  }
  FigureByKind handoffs;
  for (auto &[kind, all] : samples) {
    Figure &figure = handoffs[kind] = *summarize(std::move(all));
    figure.value = std::max(0.0, figure.value);
  }
  return handoffs;
}

} // namespace

FigureByKind measureHandoffs(const std::vector<int> &processors, Effort effort) {
  // All waiters are quiet again before the release. The absence is longer than a handoff, so that
  // another thread gets the lock, and shorter than the section of that thread.
  const double sectionNs = KindCosts::longSectionNs(static_cast<double>(processors.size()));
  Absences even;
  even.fill(1);
  return handoffsAfter(
      sectionNs, [](const LockAlgorithm &) { return true; },
      [&](LockKind) { return 0.4 * sectionNs; }, even, processors, effort);
}

FigureByKind measureShortHandoffs(const std::vector<int> &processors, const FigureByKind &afterLong,
                                  Effort effort) {
  // Absences are random. If they were equal, threads would always return at the same moment of a
  // handoff.
  Absences absences{};
  std::minstd_rand random(2);
  std::exponential_distribution<> distribution;
  for (double &absence : absences)
    absence = distribution(random);
  // After short sections a handoff takes two to three times as long.
  const auto absenceNs = [&](LockKind kind) { return 3 * afterLong.at(kind).value; };
  const auto waitsApart = [](const LockAlgorithm &algorithm) { return algorithm.waitsApart; };
  auto handoffs =
      handoffsAfter(50, std::not_fn(waitsApart), absenceNs, absences, processors, effort);
  handoffs.merge(handoffsAfter(1, waitsApart, absenceNs, absences, processors, effort));
  return handoffs;
}

namespace {

template <Delegating Lock>
Figure delegationOf(Lock &lock, const std::vector<int> &processors, Effort effort) {
  const auto waiting = static_cast<std::uint32_t>(processors.size() - 1);
  // After this time the last of the counted requests is in its slot as well.
  const int settle = stepsFor(300);
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
      awaitQuickly([&] { return (lock.word() & Lock::count_mask) >= queued; });
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

} // namespace

FigureByKind measureDelegations(const std::vector<int> &processors, Effort effort) {
  FigureByKind delegations;
  Locks locks;
  forEachLock(locks, [&]<typename Lock>(const LockAlgorithm &algorithm, Lock &lock) {
    if constexpr (Delegating<Lock>)
      delegations[algorithm.kind] = delegationOf(lock, processors, effort);
  });
  return delegations;
}

} // namespace qdadvise
