// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures what locks cost: an uncontended critical section (`alone`; a second thread is alive,
// since glibc uses no atomic operations without one), sections of two threads with a little
// computation in between (`together`), and how many of these a QD lock delegates, by their length
// (`helped`). Prints at the end how synchronous delegation compares, and fails where it costs too
// much.
#include <benchmark/benchmark.h>
#include <qdadvise/locks/clh_lock.h>
#include <qdadvise/locks/mcs_lock.h>
#include <qdadvise/locks/mrqd_lock.h>
#include <qdadvise/locks/qd_lock.h>
#include <qdadvise/locks/spinlock.h>
#include <qdadvise/locks/ticket_lock.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

namespace {

struct pthread_mutex {
  pthread_mutex_t real = PTHREAD_MUTEX_INITIALIZER;
  void lock() { pthread_mutex_lock(&real); }
  void unlock() { pthread_mutex_unlock(&real); }
};
struct pthread_spin {
  pthread_spinlock_t real;
  pthread_spin() { pthread_spin_init(&real, PTHREAD_PROCESS_PRIVATE); }
  void lock() { pthread_spin_lock(&real); }
  void unlock() { pthread_spin_unlock(&real); }
};
struct pthread_rwlock {
  pthread_rwlock_t real = PTHREAD_RWLOCK_INITIALIZER;
  void lock() { pthread_rwlock_wrlock(&real); }
  void unlock() { pthread_rwlock_unlock(&real); }
  void lock_shared() { pthread_rwlock_rdlock(&real); }
  void unlock_shared() { pthread_rwlock_unlock(&real); }
};

// The ways to run a section under a lock.
constexpr auto locked = [](auto &lock, auto &&section) {
  lock.lock();
  section();
  lock.unlock();
};
constexpr auto shared = [](auto &lock, auto &&section) {
  lock.lock_shared();
  section();
  lock.unlock_shared();
};
constexpr auto delegated = [](auto &lock, auto &&section) { lock.delegate(section); };
constexpr auto detached = [](auto &lock, auto &&section) { lock.delegate_detached(section); };

/// A lock and what it protects, on lines of their own.
template <typename Lock> struct alignas(64) Guarded {
  Lock lock;
  alignas(64) long value = 0;
};

template <typename Lock, typename Way> void alone(benchmark::State &state, Way way) {
  static Guarded<Lock> guarded;
  for (auto _ : state)
    way(guarded.lock, [] { benchmark::DoNotOptimize(++guarded.value); });
}

template <typename Lock, typename Way> void together(benchmark::State &state, Way way) {
  static Guarded<Lock> guarded;
  for (auto _ : state) {
    // A reader does not write.
    way(guarded.lock, [] {
      if constexpr (std::is_same_v<Way, std::remove_const_t<decltype(shared)>>)
        benchmark::DoNotOptimize(guarded.value);
      else
        benchmark::DoNotOptimize(++guarded.value);
    });
    for (int turn = 0; turn < 100; ++turn)
      benchmark::DoNotOptimize(turn);
  }
  state.SetItemsProcessed(state.iterations());
}

/// How many operations of a QD lock, each of so many turns of a loop, the other thread executes.
void helped(benchmark::State &state) {
  static qdadvise::qd_lock lock;
  static thread_local char self;
  std::int64_t byOther = 0;
  const auto spend = [](std::int64_t turns) {
    for (std::int64_t turn = 0; turn < turns; ++turn)
      benchmark::DoNotOptimize(turn);
  };
  for (auto _ : state) {
    lock.delegate([&, asking = &self] {
      spend(state.range(0));
      byOther += asking != &self;
    });
    spend(100);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["delegated"] = {static_cast<double>(byOther) /
                                     static_cast<double>(state.iterations()),
                                 benchmark::Counter::kAvgThreads};
}

template <typename Lock, typename Way> void add(const std::string &name, Way way) {
  benchmark::RegisterBenchmark(("alone/" + name).c_str(), alone<Lock, Way>, way);
  benchmark::RegisterBenchmark(("together/" + name).c_str(), together<Lock, Way>, way)
      ->Threads(2)
      ->UseRealTime();
}

void addAll() {
  add<pthread_mutex>("pthread_mutex", locked);
  add<pthread_spin>("pthread_spin", locked);
  add<pthread_rwlock>("pthread_rwlock", locked);
  add<pthread_rwlock>("pthread_rwlock, reading", shared);
  add<qdadvise::spinlock>("spinlock", locked);
  add<qdadvise::ticket_lock>("ticket_lock", locked);
  add<qdadvise::mcs_lock>("mcs_lock", locked);
  add<qdadvise::clh_lock>("clh_lock", locked);
  add<qdadvise::qd_lock>("qd_lock", locked);
  add<qdadvise::qd_lock>("qd_lock, delegated", delegated);
  add<qdadvise::qd_lock>("qd_lock, detached", detached);
  add<qdadvise::mrqd_lock>("mrqd_lock", locked);
  add<qdadvise::mrqd_lock>("mrqd_lock, reading", shared);
  add<qdadvise::mrqd_lock>("mrqd_lock, delegated", delegated);
  for (const std::int64_t turns : {0, 10, 30, 100, 300})
    benchmark::RegisterBenchmark("helped/qd_lock", helped)
        ->Arg(turns)
        ->ArgName("turns")
        ->Threads(2)
        ->UseRealTime();
}

/// Prints as always, and keeps the medians of the processor times, in which the time of other
/// processes does not count.
class Keeping : public benchmark::ConsoleReporter {
public:
  using benchmark::ConsoleReporter::ConsoleReporter;

  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs)
      if (run.aggregate_name == "median")
        medians[run.run_name.function_name] = run.GetAdjustedCPUTime();
    benchmark::ConsoleReporter::ReportRuns(runs);
  }

  /// 0 where nothing was measured.
  double median(const std::string &name) const {
    const auto found = medians.find(name);
    return found == medians.end() ? 0 : found->second;
  }

private:
  std::map<std::string, double> medians;
};

struct Bound {
  const char *name, *reference;
  double most;
};
constexpr Bound bounds[] = {
    {"alone/qd_lock, delegated", "alone/pthread_mutex", 1.3},
    {"alone/qd_lock, delegated", "alone/spinlock", 2.5},
};

bool keeps(const Keeping &times, const Bound &bound) {
  const double time = times.median(bound.name), reference = times.median(bound.reference);
  if (time == 0 || reference == 0)
    return true;
  std::printf("%s: %.2f of %s (at most %.1f)\n", bound.name, time / reference, bound.reference,
              bound.most);
  return time / reference <= bound.most;
}

} // namespace

int main(int argc, char **argv) {
  // Repetitions take turns, so that a slow moment of the machine affects all alike.
  std::string repetitions = "--benchmark_repetitions=9",
              interleaving = "--benchmark_enable_random_interleaving=true",
              aggregates = "--benchmark_display_aggregates_only=true",
              least = "--benchmark_min_time=0.05";
  std::vector<char *> arguments{argv[0], repetitions.data(), interleaving.data(), aggregates.data(),
                                least.data()};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data()))
    return 2;
  addAll();

  pthread_mutex stay;
  stay.lock();
  std::thread second([&] { stay.lock(); });
  Keeping reporter(benchmark::ConsoleReporter::OO_None);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  stay.unlock();
  second.join();

  bool kept = true;
  for (const Bound &bound : bounds)
    kept = keeps(reporter, bound) && kept;
  return kept ? 0 : 1;
}
