// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts by the module (executable or shared library) that something was done in. The memory is
// bounded and nobody waits for anybody, so that it may be used at every lock and in signal
// handlers.
#pragma once

#include "runtime/base/thinning.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace qdadvise::runtime {

class CountedModules {
public:
  static constexpr unsigned mostModules = 128; ///< those beyond are counted together
  static constexpr unsigned mostPath = 512;    ///< of a longer path the end is kept
  static constexpr unsigned shards = 16; ///< of the counts, so that threads do not share lines

  /// Counts once more for a module. A thread best has one shard.
  void count(const char *path, unsigned shard) {
    __atomic_fetch_add(&counts[shard % shards][find(path)], 1, __ATOMIC_RELAXED);
  }

  /// Calls `visit(path, count)` for each module that something was counted for; the path is null
  /// for those beyond mostModules. A path may come twice.
  template <typename Visit> void forEach(Visit visit) const {
    for (unsigned module = 0; module <= mostModules; ++module) {
      std::uint64_t count = 0;
      for (const auto &shard : counts)
        count += __atomic_load_n(&shard[module], __ATOMIC_RELAXED);
      if (count != 0)
        visit(module == mostModules ? nullptr : modules[module].path, count);
    }
  }

  /// Leaves one in 2^shift. What is counted meanwhile may stay whole.
  void thin(unsigned shift) {
    for (unsigned module = 0; module <= mostModules; ++module) {
      std::uint64_t count = 0;
      for (auto &shard : counts)
        count += __atomic_exchange_n(&shard[module], 0, __ATOMIC_RELAXED);
      __atomic_fetch_add(&counts[0][module], thinned(count, shift), __ATOMIC_RELAXED);
    }
  }

  void forget() {
    for (auto &shard : counts)
      for (std::uint64_t &count : shard)
        __atomic_store_n(&count, 0, __ATOMIC_RELAXED);
  }

private:
  enum State : std::uint32_t { unused, beingNamed, named };
  struct Module {
    std::uint32_t state; ///< State
    std::uint32_t hash;
    char path[mostPath];
  };

  static std::uint32_t hashOf(const char *path, std::size_t size) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
    std::uint64_t hash = size;
    for (; size >= sizeof hash; size -= sizeof hash, path += sizeof hash) {
      std::uint64_t part;
      std::memcpy(&part, path, sizeof part);
      hash = (hash ^ part) * factor;
      hash ^= hash >> 32;
    }
    for (; size != 0; --size, ++path)
      hash = (hash ^ static_cast<unsigned char>(*path)) * factor;
    return static_cast<std::uint32_t>(hash >> 32);
  }

  /// The module's number; mostModules where there is no room for it.
  unsigned find(const char *path) {
    std::size_t size = std::strlen(path);
    if (size >= mostPath) {
      path += size - (mostPath - 1);
      size = mostPath - 1;
    }
    const std::uint32_t hash = hashOf(path, size);
    for (unsigned step = 0; step < mostModules; ++step) {
      const unsigned at = (hash + step) % mostModules;
      Module &module = modules[at];
      std::uint32_t state = __atomic_load_n(&module.state, __ATOMIC_ACQUIRE);
      if (state == unused && __atomic_compare_exchange_n(&module.state, &state, beingNamed, false,
                                                         __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        module.hash = hash;
        std::memcpy(module.path, path, size + 1);
        __atomic_store_n(&module.state, named, __ATOMIC_RELEASE);
        return at;
      }
      if (state == named && module.hash == hash && std::strcmp(module.path, path) == 0)
        return at;
      // One that is being named may be the same: it has two rows then. To wait for it might take
      // forever, in a signal handler.
    }
    return mostModules;
  }

  Module modules[mostModules] = {};
  alignas(64) std::uint64_t counts[shards][mostModules + 1 + 7] = {}; ///< whole cache lines
};
static_assert(sizeof(std::uint64_t) * (CountedModules::mostModules + 8) % 64 == 0);

} // namespace qdadvise::runtime
