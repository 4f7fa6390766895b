// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How well a recording knows its locks, and so how much of it can be spared.
#pragma once

#include "runtime/tables/tables.h"

#include <cstdint>

namespace qdadvise::runtime {

/// The locks of a class are known if the standard error of the time for which they were held and
/// waited for is a hundredth of it, or a thousandth of what it is for all locks. Times are taken to
/// spread as exponential ones do. What they really do tells too much of other programs, who take a
/// processor now and then for very long.
class KnownLocks {
public:
  static constexpr double largestError = 0.01;
  /// The least share of all that counts for more than that.
  static constexpr double smallShare = 0.1;
  /// As many observations as a single site needs.
  static constexpr std::uint64_t wanted = 10'000;

  /// Adds the tables of one thread.
  void add(const Tables &tables);
  /// The largest shift, `most` at most, after which all are known if one observation in 2^shift is
  /// left. 0 where they are not known in the first place.
  unsigned sparableShift(unsigned most) const;

private:
  struct Class {
    double ns;
    double variance; ///< ns squared
  };

  bool areKnown(unsigned shift) const;

  Arena arena;
  BlockArray<Class> classes;
  Class others{}; ///< sections whose class is not known
  double ns = 0;  ///< of all
};

} // namespace qdadvise::runtime
