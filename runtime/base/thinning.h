// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts as they would be if one in 2^shift had been counted.
#pragma once

#include <cstdint>

namespace qdadvise::runtime {

/// Whether of so few it is less than one that is left.
constexpr bool isTooFew(std::uint64_t count, unsigned shift) {
  return count != 0 && count >> shift == 0;
}

/// One count, to the nearest. What has been seen stays seen.
constexpr std::uint64_t thinned(std::uint64_t count, unsigned shift) {
  const std::uint64_t half = (std::uint64_t{1} << shift) / 2;
  const std::uint64_t left = (count + half) >> shift;
  return left == 0 && count != 0 ? 1 : left;
}

/// Counts one after the other. What one has too little of goes to the next, so that of their sum
/// is left what `thinned` says.
class Thinning {
public:
  Thinning(unsigned by, std::uint64_t sum) : shift(by), carry((std::uint64_t{1} << by) / 2) {
    if (sum != 0 && sum < carry)
      carry = 2 * carry - sum;
  }
  std::uint64_t of(std::uint64_t count) {
    carry += count;
    const std::uint64_t left = carry >> shift;
    carry -= left << shift;
    return left;
  }

private:
  unsigned shift;
  std::uint64_t carry;
};

} // namespace qdadvise::runtime
