// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unittests/exploration/ExploredLocks.h"
#include "unittests/exploration/LockUse.h"

#include "runtime/locks/models/glibc_mutex.h"
#include "runtime/locks/models/glibc_rwlock.h"

#include <qdadvise/locks/all_locks.h>

#include <algorithm>

namespace qdadvise::sim {

namespace {

/// All threads have the same place, where threads have places by their number.
template <typename Memory> struct OnePlace : Memory {
  static unsigned thread_index() noexcept { return 0; }
};

/// All shipped locks. Queues of one and two places are soon full, and closed. One of two nodes is
/// the last holder's.
template <typename Memory> std::vector<ExploredLock> tableOfLocks() {
  return {
      exploredLock<basic_spinlock<Memory>>("spinlock"),
      exploredLock<basic_ticket_lock<Memory>>("ticket"),
      exploredLock<basic_mcs_lock<Memory>>("mcs"),
      exploredLock<basic_clh_lock<60, Memory>>("clh"),
      exploredLock<basic_clh_lock<2, Memory>>("clh-2"),
      exploredLock<models::glibc_mutex<Memory>>("glibc-mutex"),
      exploredLock<models::glibc_rwlock<Memory>>("glibc-rwlock"),
      exploredLock<basic_qd_lock<1, Memory>>("qd-1"),
      exploredLock<basic_qd_lock<2, Memory>>("qd-2"),
      exploredLock<basic_qd_lock<64, Memory>>("qd"),
      exploredLock<basic_mrqd_lock<1, Memory>>("mrqd-1"),
      exploredLock<basic_mrqd_lock<64, Memory>>("mrqd"),
      exploredLock<basic_mrqd_lock<64, OnePlace<Memory>>>("mrqd-one-place"),
  };
}

/// A memory with weaker orders than it is asked for.
template <bool WithoutAcquire> struct WeakMemory : SimulatedMemory {
  static constexpr std::memory_order weakened(std::memory_order order) {
    constexpr auto kept = WithoutAcquire ? std::memory_order_release : std::memory_order_acquire;
    if (order == std::memory_order_acq_rel || order == std::memory_order_seq_cst)
      return kept;
    return order == kept ? kept : std::memory_order_relaxed;
  }
  static constexpr std::memory_order ofLoad(std::memory_order order) {
    return weakened(order) == std::memory_order_acquire ? std::memory_order_acquire
                                                        : std::memory_order_relaxed;
  }
  static constexpr std::memory_order ofStore(std::memory_order order) {
    return weakened(order) == std::memory_order_release ? std::memory_order_release
                                                        : std::memory_order_relaxed;
  }

  template <typename T> class atomic : public SimulatedAtomic<T> {
    using base = SimulatedAtomic<T>;
    using order_type = std::memory_order;
    static constexpr order_type strongest = std::memory_order_seq_cst;

  public:
    using base::base;
    T load(order_type order = strongest) const noexcept { return base::load(ofLoad(order)); }
    void store(T desired, order_type order = strongest) noexcept {
      base::store(desired, ofStore(order));
    }
    T exchange(T desired, order_type order = strongest) noexcept {
      return base::exchange(desired, weakened(order));
    }
    bool compare_exchange_strong(T &expected, T desired, order_type success,
                                 order_type failure) noexcept {
      return base::compare_exchange_strong(expected, desired, weakened(success), ofLoad(failure));
    }
    bool compare_exchange_strong(T &expected, T desired, order_type order = strongest) noexcept {
      return compare_exchange_strong(expected, desired, order,
                                     order == std::memory_order_release ? std::memory_order_relaxed
                                                                        : order);
    }
    bool compare_exchange_weak(T &expected, T desired, order_type success,
                               order_type failure) noexcept {
      return compare_exchange_strong(expected, desired, success, failure);
    }
    bool compare_exchange_weak(T &expected, T desired, order_type order = strongest) noexcept {
      return compare_exchange_strong(expected, desired, order);
    }
    T fetch_add(T argument, order_type order = strongest) noexcept {
      return base::fetch_add(argument, weakened(order));
    }
    T fetch_sub(T argument, order_type order = strongest) noexcept {
      return base::fetch_sub(argument, weakened(order));
    }
    T fetch_and(T argument, order_type order = strongest) noexcept {
      return base::fetch_and(argument, weakened(order));
    }
    T fetch_or(T argument, order_type order = strongest) noexcept {
      return base::fetch_or(argument, weakened(order));
    }
    T fetch_xor(T argument, order_type order = strongest) noexcept {
      return base::fetch_xor(argument, weakened(order));
    }
  };
};

void add(MixesResult &sum, const Mix &mix, const ExplorationResult &result) {
  ++sum.mixes;
  sum.schedules += result.schedules;
  sum.cut += result.cut;
  sum.steps += result.steps;
  sum.complete &= result.complete;
  if (result.failure)
    sum.failed = MixesResult::Failed{mix, *result.failure};
}

} // namespace

const std::vector<ExploredLock> &exploredLocks() {
  static const auto table = tableOfLocks<SimulatedMemory>();
  return table;
}

const std::vector<ExploredLock> &locksWithoutAcquire() {
  static const auto table = tableOfLocks<WeakMemory<true>>();
  return table;
}

const std::vector<ExploredLock> &locksWithoutRelease() {
  static const auto table = tableOfLocks<WeakMemory<false>>();
  return table;
}

const ExploredLock *lockOfName(std::string_view name) {
  const auto &locks = exploredLocks();
  const auto found = std::find_if(locks.begin(), locks.end(),
                                  [&](const ExploredLock &lock) { return lock.name == name; });
  return found == locks.end() ? nullptr : &*found;
}

std::vector<Mix> everyMix(const ExploredLock &lock, unsigned threads, unsigned operations) {
  std::vector<std::string> scripts{""};
  for (unsigned i = 0; i < operations; ++i) {
    std::vector<std::string> longer;
    for (const std::string &script : scripts)
      for (const char letter : lock.operations)
        if (letter != 'x')
          longer.push_back(script + letter);
    scripts = std::move(longer);
  }
  std::sort(scripts.begin(), scripts.end());
  std::vector<Mix> mixes = scripts;
  for (unsigned i = 1; i < threads; ++i) {
    std::vector<Mix> longer;
    for (const Mix &mix : mixes)
      for (const std::string &script : scripts)
        if (mix.substr(mix.size() - operations) <= script)
          longer.push_back(mix + ' ' + script);
    mixes = std::move(longer);
  }
  return mixes;
}

Mix randomMix(const ExploredLock &lock, unsigned threads, unsigned operations, std::uint64_t seed) {
  Mix mix;
  for (unsigned thread = 0; thread < threads; ++thread) {
    mix += thread == 0 ? "" : " ";
    for (unsigned i = 0; i < operations; ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      mix += lock.operations[(seed >> 33) % lock.operations.size()];
    }
  }
  return mix;
}

MixesResult exploreEveryMix(const ExploredLock &lock, unsigned threads, unsigned operations,
                            const ExhaustiveOptions &options) {
  MixesResult sum;
  for (const Mix &mix : everyMix(lock, threads, operations)) {
    add(sum, mix, exploreAll(lock.program(mix), options));
    if (sum.failed)
      break;
  }
  return sum;
}

MixesResult exploreRandomMixes(const ExploredLock &lock, unsigned threads, unsigned operations,
                               std::uint64_t seed, std::uint64_t schedules) {
  MixesResult sum;
  while (sum.schedules < schedules && !sum.failed) {
    RandomOptions options;
    options.seed = seed + sum.schedules;
    options.schedules = std::min<std::uint64_t>(1000, schedules - sum.schedules);
    const Mix mix = randomMix(lock, threads, operations, options.seed);
    add(sum, mix, exploreRandomly(lock.program(mix), options));
  }
  sum.complete = false;
  return sum;
}

} // namespace qdadvise::sim
