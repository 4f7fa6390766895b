// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that are no more, by their class and traffic: as many as a program makes and
// destroys, in bounded space.
#pragma once

#include "runtime/base/hash_index.h"

#include <cstdint>

namespace qdadvise::runtime {

struct LockTraffic {
  std::uint64_t acquisitions;
  std::uint64_t contended;
  double heldNs;
  double waitNs;

  void add(const LockTraffic &other) {
    acquisitions += other.acquisitions;
    contended += other.contended;
    heldNs += other.heldNs;
    waitNs += other.waitNs;
  }
};

/// Locks of a class with 2^bucket to 2^(bucket + 1) - 1 acquisitions.
struct Instances {
  std::uint32_t lockClass;
  std::uint32_t bucket;
  std::uint64_t instances;
  LockTraffic traffic;
};

class Distribution {
public:
  /// One more lock; false when out of memory. One that was never taken is none.
  bool add(Arena &arena, std::uint32_t lockClass, const LockTraffic &traffic) {
    if (traffic.acquisitions == 0)
      return true;
    const auto bucket = static_cast<std::uint32_t>(63 - __builtin_clzll(traffic.acquisitions));
    return add(arena, {lockClass, bucket, 1, traffic});
  }

  bool add(Arena &arena, const Instances &more) {
    const std::uint64_t hash = mixHash(more.lockClass, more.bucket);
    std::uint32_t at = index.find(hash, [&](std::uint32_t i) {
      return rows[i].lockClass == more.lockClass && rows[i].bucket == more.bucket;
    });
    if (at == format::none) {
      Instances *const made = rows.append(arena);
      at = rows.size() - 1;
      if (!made || !index.insert(arena, hash, at))
        return false;
      made->lockClass = more.lockClass;
      made->bucket = more.bucket;
    }
    rows[at].instances += more.instances;
    rows[at].traffic.add(more.traffic);
    return true;
  }

  BlockArray<Instances> rows;

private:
  HashIndex index;
};

} // namespace qdadvise::runtime
