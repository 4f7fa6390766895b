// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench-movement: sections that update lines of shared data, in an array or in a list in which each
// line names the next. Measures how long they hold their lock with one thread and with two, on two
// cores. Prints the prediction of the latter from the former, the footprint and the cost of lines
// on the machine (docs/theory/data-movement.md).
#include "advisor/machine/Machine.h"
#include "advisor/machine/calibration/Calibrate.h"
#include "advisor/machine/calibration/Team.h"
#include "advisor/machine/calibration/Ticks.h"
#include "advisor/machine/calibration/Topology.h"
#include "advisor/model/Predict.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <numeric>
#include <pthread.h>
#include <qdadvise/locks/mcs_lock.h>
#include <qdadvise/locks/spinlock.h>
#include <random>

namespace {

using namespace qdadvise;

struct alignas(64) Line {
  long value = 0;
  Line *next = nullptr;
};

struct Mutex {
  pthread_mutex_t real = PTHREAD_MUTEX_INITIALIZER;
  void lock() { pthread_mutex_lock(&real); }
  void unlock() { pthread_mutex_unlock(&real); }
};

/// Lines in an array, which are also a list in random order.
class Data {
public:
  explicit Data(std::size_t count, bool list) : isList(list), lines(count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::minstd_rand(1));
    for (std::size_t i = 0; i + 1 < count; ++i)
      lines[order[i]].next = &lines[order[i + 1]];
    first = &lines[order.front()];
  }
  /// Updates all lines, until other cores can see it.
  void update() {
    if (isList)
      for (Line *at = first; at; at = at->next)
        ++at->value;
    else
      for (Line &at : lines) {
        ++at.value;
        asm volatile("" : "+m"(at.value));
      }
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

private:
  bool isList;
  std::vector<Line> lines;
  Line *first;
};

/// Computes without touching memory.
void compute(long steps) {
  unsigned long value = 1;
  for (long i = 0; i < steps; ++i) {
    value = value * 3 + 1;
    asm volatile("" : "+r"(value));
  }
}

struct Measured {
  double holdNs = 0;  ///< mean
  double changes = 0; ///< the share of sections before which another thread was inside
};

/// Each thread runs `sections` sections, each followed by an exponential number of computation
/// steps.
template <typename Lock>
Measured measure(Team &team, std::size_t lines, bool list, double meanSteps, int sections) {
  struct Shared {
    alignas(128) Lock lock;
    alignas(128) int last = -1;
  } shared;
  struct alignas(128) Seen {
    std::vector<double> holdTicks;
    double changes = 0;
  };
  std::vector<Seen> seen(static_cast<std::size_t>(team.size()));
  Data data(lines, list);
  team.run([&](int self) {
    std::mt19937_64 random(static_cast<std::uint64_t>(self));
    std::exponential_distribution<> steps(1 / meanSteps);
    Seen &mine = seen[static_cast<std::size_t>(self)];
    mine.holdTicks.reserve(static_cast<std::size_t>(sections));
    for (int i = 0; i < sections; ++i) {
      const long away = std::lround(steps(random));
      shared.lock.lock();
      const std::uint64_t begin = readTicksInOrder();
      data.update();
      const std::uint64_t end = readTicksInOrder();
      mine.changes += std::exchange(shared.last, self) != self ? 1 : 0;
      shared.lock.unlock();
      mine.holdTicks.push_back(static_cast<double>(end - begin));
      compute(away);
    }
  });
  Measured result;
  std::vector<double> all;
  for (const Seen &one : seen) {
    all.insert(all.end(), one.holdTicks.begin(), one.holdTicks.end());
    result.changes += one.changes / sections / team.size();
  }
  // The longest hundredth is left out: interrupts, and times without a core.
  std::sort(all.begin(), all.end());
  all.resize(all.size() - all.size() / 100);
  result.holdNs =
      std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size()) * nsPerTick();
  return result;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A network of one lock with only this section.
Network networkOf(double holdNs, double localNs, double lines, bool list) {
  Network network;
  network.locks.push_back({"lock", LockKind::spinlock, 1, {}});
  network.sections.emplace_back();
  network.sections[0].name = "update";
  network.sections[0].hold = {holdNs, 0};
  network.sections[0].footprint = Footprint{{}, {{0, lines}}, list ? 1.0 : 0.0};
  network.classes.push_back({"worker"});
  network.transitions.emplace_back();
  network.transitions[0].probability = 1;
  network.transitions[0].local = {localNs, 1};
  return network;
}

template <typename Lock> bool compare(LockKind kind, const Machine &machine, int rounds) {
  const auto &processors = readTopology().processors;
  Team one({processors[0].id}), two({processors[0].id, processors[1].id});
  constexpr long tried = 1'000'000;
  double start = nowNs();
  compute(tried);
  const double stepNs = (nowNs() - start) / tried;
  for (const bool list : {false, true})
    for (const std::size_t lines : {1u, 4u, 16u, 64u, 256u}) {
      const double roughNs = measure<Lock>(one, lines, list, 1, 1000).holdNs;
      const double localNs = 3 * (roughNs + 100); // in the mean, between two sections
      const int sections = static_cast<int>(std::clamp(4e6 / (roughNs + localNs), 100.0, 20'000.0));
      std::vector<double> alone, together, changes;
      for (int round = 0; round < rounds; ++round) {
        alone.push_back(measure<Lock>(one, lines, list, localNs / stepNs, sections).holdNs);
        const Measured both = measure<Lock>(two, lines, list, localNs / stepNs, sections);
        together.push_back(both.holdNs);
        changes.push_back(both.changes);
      }
      const double holdNs = median(alone), truth = median(together);
      const Network network = networkOf(holdNs, localNs, static_cast<double>(lines), list);
      const auto prediction = predict(network, {kind}, machine, 2);
      if (!prediction) {
        fmt::print(stderr, "bench-movement: error: {}\n", prediction.error().message);
        return false;
      }
      const double predicted = holdNs + prediction->locks[0].coherenceMissNs;
      fmt::print("| `{}` | {} | {} | {:.0f} | {:.0f} | {:.2f} | {:.0f} | {:+.0f} |\n", nameOf(kind),
                 list ? "list" : "array", lines, holdNs, truth, median(changes), predicted,
                 100 * (predicted / truth - 1));
    }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  int rounds = 11;
  CLI::App app{"How long sections hold a lock whose data move between two cores, and predictions"};
  app.add_option("--rounds", rounds, "Interleaved runs, of which the medians are printed")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (readTopology().processors.size() < 2) {
    fmt::print(stderr, "bench-movement: error: this needs two cores\n");
    return 2;
  }
  const Machine machine = calibrate({false, 2, {}}).machine;
  fmt::print("A line takes {:.0f} ns", machine.lineTransfer().sameSocketNs);
  for (const auto &[key, curve] : {std::pair("moved_ns", &machine.movedLines),
                                   std::pair("chained_ns", &machine.chainedLines)}) {
    fmt::print("; `{}`:", key);
    for (const auto &[lines, ns] : curve->rows)
      fmt::print(" {:.0f}: {:.0f}", lines, ns);
  }
  fmt::print("\n\n");
  fmt::print(
      "| lock | data | lines | 1 thread, ns | 2 threads, ns | changes | predicted, ns | off, "
      "% |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  return compare<spinlock>(LockKind::spinlock, machine, rounds) &&
                 compare<mcs_lock>(LockKind::mcs, machine, rounds) &&
                 compare<Mutex>(LockKind::pthreadMutex, machine, rounds)
             ? 0
             : 1;
}
