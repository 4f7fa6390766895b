// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time-stamp counter, and how long its ticks are.
#pragma once

#include "runtime/events/recording_mode.h"

#include <cstdint>
#include <ctime>

namespace qdadvise::runtime {

#if defined(__x86_64__)
inline std::uint64_t readStamp() { return __builtin_ia32_rdtsc(); }

/// The halves as the processor gives them: putting them together first takes longer.
inline void storeStamp(std::uint64_t &into) {
  std::uint32_t halves[2];
  __asm__ volatile("rdtsc" : "=a"(halves[0]), "=d"(halves[1]));
  __builtin_memcpy(&into, halves, sizeof into);
}
#elif defined(__aarch64__)
inline std::uint64_t readStamp() {
  std::uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}

inline void storeStamp(std::uint64_t &into) { into = readStamp(); }
#else
#error "QDAdvise's runtime knows the time-stamp counters of x86-64 and AArch64"
#endif

/// How many locks have ended. It takes the place of stamps in a memory trace, which has no times:
/// it is all that the order of events between threads matters for.
extern constinit std::uint64_t endedLocks;

/// The stamp of an event that happens now.
inline std::uint64_t readEventStamp() {
  return tracesMemory() ? __atomic_load_n(&endedLocks, __ATOMIC_RELAXED) : readStamp();
}
inline void storeEventStamp(std::uint64_t &into) {
  if (__builtin_expect(tracesMemory(), 0))
    into = __atomic_load_n(&endedLocks, __ATOMIC_RELAXED);
  else
    storeStamp(into);
}

inline std::uint64_t clockNs(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// Processor time of a thread of this process, by its kernel id; 0 where there is none.
inline std::uint64_t threadCpuNs(std::uint32_t id) {
  constexpr clockid_t schedulersOfThread = 6; // as the kernel counts clocks
  return clockNs(static_cast<clockid_t>(~id << 3) | schedulersOfThread);
}

/// The stamp and the monotonic clock at one instant.
struct Clocks {
  std::uint64_t stamp;
  std::uint64_t ns;
};
Clocks readClocks();

/// Ticks per nanosecond, of the time since then; waits until that is two milliseconds.
/// What the processor says of itself is not asked: virtual machines hide it.
double ticksPerNsSince(const Clocks &from);

/// Median cost of one reading in a row of them, in ticks.
double calibrateStampTicks();

/// Median of an array, which it reorders; 0 for an empty one.
double medianOf(double *values, unsigned count);

} // namespace qdadvise::runtime
