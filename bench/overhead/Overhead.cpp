// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a hook costs, beside a mere reading of the time-stamp counter in the same run. The program
// is built twice with the plugin, once for each way of calling the runtime:
//
//   QDADVISE_OPTIONS=enabled=0 bench-overhead-xray
//
// switchedOff    hooks around a lock, recording off, the lock itself taken out
// stampAndStore  the recorder's own work: hooks in a row, so few that no buffer is
//                replayed
// aroundALock    the same around a lock, whose atomic instructions wait for the stores
//                of hooks
// everything     hooks around a lock, with the replay of buffers into the tables
// wrapped        the same for a function that returns with the lock held: two hooks more
//
// Each is the best of many rounds, so that other programs on the machine count little.
#include "qdadvise/profile.h"
#include "runtime/abi/site_record.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>

using namespace qdadvise;

// The sites of this program. The linker defines both ends.
extern "C" SiteRecord __start_qdadvise_sites[] __attribute__((visibility("hidden")));
extern "C" SiteRecord __stop_qdadvise_sites[] __attribute__((visibility("hidden")));

namespace {

std::mutex mutex;
int counter = 0;

void section() {
  const std::lock_guard<std::mutex> guard(mutex);
  benchmark::DoNotOptimize(++counter);
}

/// Returns with the lock held, so that its call is the site.
__attribute__((noinline)) void enter() { pthread_mutex_lock(mutex.native_handle()); }

void wrappedSection() {
  enter();
  benchmark::DoNotOptimize(++counter);
  pthread_mutex_unlock(mutex.native_handle());
}

/// Has no lock operation that the plugin knows.
void plainSection() {
  int (*volatile lock)(pthread_mutex_t *) = pthread_mutex_lock;
  int (*volatile unlock)(pthread_mutex_t *) = pthread_mutex_unlock;
  lock(mutex.native_handle());
  benchmark::DoNotOptimize(++counter);
  unlock(mutex.native_handle());
}

void stamp() {
#if defined(__x86_64__)
  benchmark::DoNotOptimize(__builtin_ia32_rdtsc());
#else
  benchmark::DoNotOptimize(__builtin_readcyclecounter());
#endif
}

constexpr int hooksPerSection = 3;
constexpr int hooksPerWrappedSection = 5;

void stamps() {
  for (int i = 0; i < hooksPerSection; ++i)
    stamp();
}

void nothing() { benchmark::ClobberMemory(); }

bool hasSite(SiteRole role) {
  return std::any_of(__start_qdadvise_sites, __stop_qdadvise_sites,
                     [&](const SiteRecord &site) { return site.role == role; });
}

SiteRecord &siteOf(SiteRole role) {
  for (SiteRecord *site = __start_qdadvise_sites; site != __stop_qdadvise_sites; ++site)
    if (site->role == role)
      return *site;
  std::abort();
}

/// One hook of section(), ready to be called as the plugin calls it.
class Hook {
public:
  Hook(SiteRole role, Instant at)
      : site(&siteOf(role)), instant(static_cast<std::uint32_t>(at)),
        thunk(reinterpret_cast<Thunk>(const_cast<void *>(site->thunks[instant]))) {}

  bool hasThunk() const { return thunk; }
  void callThunk() const { thunk(&mutex); }
  void callRuntime() const { event(site, instant, &mutex); }

private:
  using Thunk = void (*)(void *);
  SiteRecord *site;
  std::uint32_t instant;
  Thunk thunk;
  decltype(&__qdadvise_event) event = &__qdadvise_event;
};

using Clock = std::chrono::steady_clock;

template <typename Function> double nsPerCall(Function function, int calls) {
  const auto from = Clock::now();
  for (int i = 0; i < calls; ++i)
    function();
  const std::chrono::duration<double, std::nano> spent = Clock::now() - from;
  return spent.count() / calls;
}

constexpr int sectionsPerReplay = 80; // fewer than 256 events (recorder.h)
constexpr int fewSections = 25;       // so that most rounds meet no replay
constexpr int manySections = 20000;

/// The best of all rounds, in which four versions take turns: with hooks and without, with time
/// stamps only and without.
template <typename With, typename Without>
void compare(benchmark::State &state, With with, Without without, int calls, int rounds,
             int hooks = hooksPerSection) {
  double best[4] = {1e9, 1e9, 1e9, 1e9};
  for (auto _ : state)
    for (int round = 0; round < rounds; ++round) {
      qdadvise_reset();
      best[0] = std::min(best[0], nsPerCall(with, calls));
      best[1] = std::min(best[1], nsPerCall(without, calls));
      best[2] = std::min(best[2], nsPerCall(stamps, calls));
      best[3] = std::min(best[3], nsPerCall(nothing, calls));
    }
  const double hook = (best[0] - best[1]) / hooks;
  const double bare = (best[2] - best[3]) / hooksPerSection;
  state.counters["hook_ns"] = hook;
  state.counters["stamp_ns"] = bare;
  state.counters["hook_per_stamp"] = hook / bare;
}

void switchedOff(benchmark::State &state) {
  compare(state, section, plainSection, manySections, 50);
}

void stampAndStore(benchmark::State &state) {
  const Hook attempt(SiteRole::acquire, Instant::attempt);
  const Hook acquire(SiteRole::acquire, Instant::acquire);
  const Hook release(SiteRole::release, Instant::release);
  qdadvise_start();
  if (attempt.hasThunk()) {
    const auto row = [=] { attempt.callThunk(), acquire.callThunk(), release.callThunk(); };
    compare(state, row, nothing, fewSections, 2000);
  } else {
    const auto row = [=] { attempt.callRuntime(), acquire.callRuntime(), release.callRuntime(); };
    compare(state, row, nothing, fewSections, 2000);
  }
  qdadvise_stop();
}

void aroundALock(benchmark::State &state) {
  qdadvise_start();
  compare(state, section, plainSection, sectionsPerReplay, 500);
  qdadvise_stop();
}

void everything(benchmark::State &state) {
  qdadvise_start();
  compare(state, section, plainSection, manySections, 50);
  qdadvise_stop();
}

void wrapped(benchmark::State &state) {
  if (!hasSite(SiteRole::wrapper))
    return state.SkipWithError("the plugin did not mark the call");
  qdadvise_start();
  compare(state, wrappedSection, plainSection, manySections, 50, hooksPerWrappedSection);
  qdadvise_stop();
}

} // namespace

BENCHMARK(switchedOff)->Iterations(1);
BENCHMARK(stampAndStore)->Iterations(1);
BENCHMARK(aroundALock)->Iterations(1);
BENCHMARK(everything)->Iterations(1);
BENCHMARK(wrapped)->Iterations(1);
BENCHMARK_MAIN();
