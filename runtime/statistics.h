// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Count, mean, spread and distribution of a time, cheap to add to.
#pragma once

#include "runtime/arena.h"
#include "runtime/profile_format.h"

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

/// Log-scale histogram. A power of two gets memory when something falls into it: a cell of 32 bits
/// a bucket, and the rare one that is full carries over into another histogram.
class Histogram {
public:
  static constexpr unsigned bucketsPerPage = 1u << format::bucketSubBits;
  /// Up to 2^44 ns, five hours; what is longer counts in the last bucket.
  static constexpr unsigned pageCount = 40;

  /// False when there is no memory left for it.
  __attribute__((always_inline)) bool add(Arena &arena, double ns) {
    const Cell cell = cellOf(bucketOf(ns));
    Count *&page = pages[cell.page];
    if (__builtin_expect(!page, 0) && !(page = arena.allocateArray<Count>(bucketsPerPage)))
      return false;
    if (__builtin_expect(++page[cell.at] == 0, 0))
      return carry(arena, cell, 1);
    return true;
  }

  /// The same, `times` times.
  bool addToBucket(Arena &arena, std::uint32_t bucket, std::uint64_t times) {
    const Cell cell = cellOf(bucket);
    Count *&page = pages[cell.page];
    if (!page && !(page = arena.allocateArray<Count>(bucketsPerPage)))
      return false;
    const std::uint64_t sum = page[cell.at] + times;
    page[cell.at] = static_cast<Count>(sum);
    return sum >> countBits == 0 || carry(arena, cell, sum >> countBits);
  }

  /// Calls `visit(bucket, count)` for every bucket that is not empty, in order.
  template <typename Visit> void forEach(Visit visit) const {
    for (unsigned p = 0; p < pageCount; ++p)
      for (unsigned b = 0; pages[p] && b < bucketsPerPage; ++b)
        if (const std::uint64_t count = countAt({p, b}))
          visit(p * bucketsPerPage + b, count);
  }

  bool merge(Arena &arena, const Histogram &other) {
    bool complete = true;
    other.forEach([&](std::uint32_t bucket, std::uint64_t times) {
      complete &= addToBucket(arena, bucket, times);
    });
    return complete;
  }

private:
  using Count = std::uint32_t;
  static constexpr unsigned countBits = 32;

  struct Cell {
    unsigned page, at;
  };
  static constexpr Cell cellOf(std::uint32_t bucket) {
    constexpr std::uint32_t last = pageCount * bucketsPerPage - 1;
    bucket = bucket < last ? bucket : last;
    return {bucket / bucketsPerPage, bucket % bucketsPerPage};
  }

  bool carry(Arena &arena, Cell cell, std::uint64_t times) {
    if (!carried && !(carried = arena.allocateArray<Histogram>(1)))
      return false;
    return carried->addToBucket(arena, cell.page * bucketsPerPage + cell.at, times);
  }
  std::uint64_t countAt(Cell cell) const {
    const std::uint64_t low = pages[cell.page] ? pages[cell.page][cell.at] : 0;
    return carried ? low + (carried->countAt(cell) << countBits) : low;
  }

  Count *pages[pageCount] = {};
  Histogram *carried = nullptr; ///< what every 2^countBits count for
};

} // namespace qdadvise::runtime
