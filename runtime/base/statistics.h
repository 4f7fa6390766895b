// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Count, mean, spread and distribution of a time, cheap to add to.
#pragma once

#include "runtime/abi/profile_format.h"
#include "runtime/base/arena.h"
#include "runtime/base/thinning.h"

#include <bit>
#include <cstdint>

namespace qdadvise::runtime {

/// Moments of a sample, kept as sums about its first value: an addition costs no
/// division, and nothing cancels unless the first value is far from all others.
struct Sample {
  std::uint64_t count = 0;
  double origin = 0;
  double sum = 0;     ///< of x - origin
  double squares = 0; ///< of (x - origin)^2
  double min = 0;
  double max = 0;

  __attribute__((always_inline)) void add(double value) {
    if (__builtin_expect(count == 0, 0))
      origin = min = max = value;
    const double distance = value - origin;
    ++count;
    sum += distance;
    squares += distance * distance;
    if (__builtin_expect(value < min, 0))
      min = value;
    if (__builtin_expect(value > max, 0))
      max = value;
  }

  void merge(const Sample &other) {
    if (other.count == 0)
      return;
    if (count == 0) {
      *this = other;
      return;
    }
    const double shift = other.origin - origin;
    const double n = static_cast<double>(other.count);
    squares += other.squares + 2 * shift * other.sum + n * shift * shift;
    sum += other.sum + n * shift;
    count += other.count;
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
  }

  /// As it would be of one value in 2^shift. Where that is less than one, one is left that has
  /// their part of the time. True then: the longest stays known.
  bool thin(unsigned shift) {
    const std::uint64_t left = thinned(count, shift);
    const auto before = static_cast<double>(count);
    if (isTooFew(count, shift)) {
      origin = (before * origin + sum) / static_cast<double>(std::uint64_t{1} << shift);
      min = origin < min ? origin : min;
      sum = squares = 0;
      count = 1;
      return true;
    }
    const double share = count != 0 ? static_cast<double>(left) / before : 0;
    sum *= share;
    squares *= share;
    count = left;
    return false;
  }

  /// These values and as many zeros as make it `total` values.
  Sample withZeros(std::uint64_t total) const {
    Sample all;
    if (total > count) {
      all.count = total - count;
      all.merge(*this);
      return all;
    }
    return *this;
  }

  format::Moments moments() const {
    if (count == 0)
      return {};
    const double n = static_cast<double>(count);
    const double m2 = squares - sum * sum / n;
    return {count, origin + sum / n, m2 > 0 ? m2 : 0, min, max};
  }
};

/// The bucket of a time (profile_format.h says which buckets there are): the parts of a power
/// of two are the first bits of a mantissa.
constexpr std::uint32_t bucketOf(double ns) {
  constexpr unsigned sub = format::bucketSubBits, mantissaBits = 52;
  constexpr std::uint64_t bias = 1023;
  if (!(ns >= 1u << sub))
    return ns > 0 ? static_cast<std::uint32_t>(ns) : 0;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(ns) >> (mantissaBits - sub);
  return static_cast<std::uint32_t>(bits - ((bias + sub - 1) << sub));
}

/// Log-scale histogram, of 2^subBits buckets to a power of two. One that something falls into
/// gets memory: a cell of 32 bits a bucket, and the rare one that is full carries over into
/// another histogram.
template <unsigned subBits> class Histogram {
public:
  static_assert(subBits <= format::bucketSubBits);
  /// Up to 2^44 ns, five hours; what is longer counts in the last bucket.
  static constexpr unsigned powers = 40;
  static constexpr unsigned bucketsPerPower = 1u << subBits;

  /// False when there is no memory left for it.
  __attribute__((always_inline)) bool add(Arena &arena, double ns) {
    const Cell cell = cellOf(bucketOf(ns));
    if (__builtin_expect(pages[cell.power] == 0, 0) && !addPage(arena, cell.power))
      return false;
    return __builtin_expect(++countAt(cell) != 0, 1) || carry(arena, cell, 1);
  }

  /// Adds `times` values of one of the profile's buckets.
  bool addToBucket(Arena &arena, std::uint32_t bucket, std::uint64_t times) {
    return addTo(arena, cellOf(bucket), times);
  }

  /// Calls `visit(bucket, count)` for every bucket that is not empty, in order. Of the profile's
  /// buckets, which may be finer, the middle one.
  template <typename Visit> void forEach(Visit visit) const {
    for (unsigned power = 0; power < powers; ++power)
      for (unsigned at = 0; pages[power] != 0 && at < bucketsPerPower; ++at)
        if (const std::uint64_t count = total({power, at}))
          visit(((power * bucketsPerPower + at) << coarser) + (1u << coarser) / 2, count);
  }

  bool merge(Arena &arena, const Histogram &other) {
    bool complete = true;
    other.forEach([&](std::uint32_t bucket, std::uint64_t times) {
      complete &= addToBucket(arena, bucket, times);
    });
    return complete;
  }

  /// One value instead of all. False when there is no memory left for it.
  bool replaceBy(Arena &arena, double ns) {
    for (unsigned power = 0; power < powers; ++power)
      for (unsigned at = 0; pages[power] != 0 && at < bucketsPerPower; ++at)
        set({power, at}, 0);
    return add(arena, ns);
  }

  /// As it would be of one value in 2^shift.
  void thin(unsigned shift) {
    std::uint64_t sum = 0;
    forEach([&](std::uint32_t, std::uint64_t times) { sum += times; });
    Thinning thinning(shift, sum);
    for (unsigned power = 0; power < powers; ++power)
      for (unsigned at = 0; pages[power] != 0 && at < bucketsPerPower; ++at)
        set({power, at}, thinning.of(total({power, at})));
  }

private:
  using Count = std::uint32_t;
  static constexpr unsigned countBits = 32;
  static constexpr unsigned coarser = format::bucketSubBits - subBits;

  struct Cell {
    unsigned power, at;
  };
  static constexpr Cell cellOf(std::uint32_t bucket) {
    constexpr std::uint32_t last = powers * bucketsPerPower - 1;
    bucket >>= coarser;
    bucket = bucket < last ? bucket : last;
    return {bucket / bucketsPerPower, bucket % bucketsPerPower};
  }
  Count &countAt(Cell cell) const {
    return counts[(pages[cell.power] - 1u) * bucketsPerPower + cell.at];
  }
  std::uint64_t total(Cell cell) const {
    if (pages[cell.power] == 0)
      return 0;
    return countAt(cell) + (carried ? carried->total(cell) << countBits : 0);
  }

  /// No more than there is.
  void set(Cell cell, std::uint64_t times) {
    countAt(cell) = static_cast<Count>(times);
    if (carried && carried->pages[cell.power] != 0)
      carried->set(cell, times >> countBits);
  }

  bool addTo(Arena &arena, Cell cell, std::uint64_t times) {
    if (pages[cell.power] == 0 && !addPage(arena, cell.power))
      return false;
    const std::uint64_t sum = countAt(cell) + times;
    countAt(cell) = static_cast<Count>(sum);
    return sum >> countBits == 0 || carry(arena, cell, sum >> countBits);
  }

  bool carry(Arena &arena, Cell cell, std::uint64_t times) {
    if (!carried)
      carried = arena.allocateArray<Histogram>(1);
    return carried && carried->addTo(arena, cell, times);
  }

  bool addPage(Arena &arena, unsigned power) {
    if (used == room) {
      const unsigned more = room == 0 ? 2 : 2u * room;
      Count *const bigger = arena.allocateArray<Count>(std::size_t{more} * bucketsPerPower);
      if (!bigger)
        return false;
      for (unsigned i = 0; i < used * bucketsPerPower; ++i)
        bigger[i] = counts[i];
      if (counts)
        arena.recycleArray(counts, std::size_t{room} * bucketsPerPower);
      counts = bigger;
      room = static_cast<std::uint8_t>(more);
    }
    pages[power] = ++used;
    return true;
  }

  Count *counts = nullptr;      ///< of the powers that have any, in the order of their coming
  Histogram *carried = nullptr; ///< what every 2^countBits count for
  std::uint8_t used = 0, room = 0;
  std::uint8_t pages[powers] = {}; ///< place in `counts`, plus one; 0: none
};

} // namespace qdadvise::runtime
