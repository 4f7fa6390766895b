// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a hook costs. Built twice with the plugin, once for each way of calling the
// runtime; the same loop runs with recording off and on, next to a bare reading of
// the time-stamp counter. Compare the medians of one run:
//
//   QDADVISE_OPTIONS=enabled=0 bench-overhead-xray --benchmark_repetitions=9
//
// `hook_ns` is the time of one hook, the lock itself taken out (three hooks a
// section). `storing` runs so few sections that no buffer is replayed.
#include "qdadvise/profile.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <mutex>

namespace {

std::mutex mutex;
int counter = 0;

void section() {
  const std::lock_guard<std::mutex> guard(mutex);
  benchmark::DoNotOptimize(++counter);
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

using Clock = std::chrono::steady_clock;

template <typename Function> double bestNsPerCall(Function function, int calls, int rounds) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto from = Clock::now();
    for (int i = 0; i < calls; ++i)
      function();
    const std::chrono::duration<double, std::nano> spent = Clock::now() - from;
    best = std::min(best, spent.count() / calls);
  }
  return best;
}

constexpr int fewSections = 300; // fewer than 1024 events
constexpr double hooksPerSection = 3;

void report(benchmark::State &state, double sectionNs, double plainNs, double stampNs) {
  const double hook = (sectionNs - plainNs) / hooksPerSection;
  state.counters["hook_ns"] = hook;
  state.counters["stamp_ns"] = stampNs;
  state.counters["hook_per_stamp"] = hook / stampNs;
}

void switchedOff(benchmark::State &state) {
  qdadvise_stop();
  for (auto _ : state)
    report(state, bestNsPerCall(section, 20000, 20), bestNsPerCall(plainSection, 20000, 20),
           bestNsPerCall(stamp, 20000, 20));
}

void stampAndStore(benchmark::State &state) {
  const double plain = bestNsPerCall(plainSection, fewSections, 200);
  const double stampNs = bestNsPerCall(stamp, fewSections, 200);
  qdadvise_start();
  for (auto _ : state) {
    double best = 1e9;
    for (int round = 0; round < 200; ++round) {
      qdadvise_reset(); // empties the buffer
      best = std::min(best, bestNsPerCall(section, fewSections, 1));
    }
    report(state, best, plain, stampNs);
  }
  qdadvise_stop();
}

void everything(benchmark::State &state) {
  const double plain = bestNsPerCall(plainSection, 20000, 20);
  const double stampNs = bestNsPerCall(stamp, 20000, 20);
  qdadvise_start();
  for (auto _ : state)
    report(state, bestNsPerCall(section, 20000, 50), plain, stampNs);
  qdadvise_stop();
}

} // namespace

BENCHMARK(switchedOff)->Iterations(1);
BENCHMARK(stampAndStore)->Iterations(1);
BENCHMARK(everything)->Iterations(1);
BENCHMARK_MAIN();
