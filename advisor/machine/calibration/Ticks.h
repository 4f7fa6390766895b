// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cheapest clock, for intervals within one thread.
#pragma once

#include "advisor/machine/calibration/Team.h"

#include <cstdint>

namespace qdadvise {

inline std::uint64_t readTicks() {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return static_cast<std::uint64_t>(nowNs());
#endif
}

/// Reads the ticks when all earlier instructions have been executed.
inline std::uint64_t readTicksInOrder() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
  return readTicks();
}

/// Nanoseconds per tick, measured once against the monotonic clock.
double nsPerTick();

} // namespace qdadvise
