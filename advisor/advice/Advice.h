// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Advice on one lock site. The plugin links this library: it throws nothing and needs no run-time
// type information.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

struct Advice {
  // The place: function, expression and ordinal survive edits above it, the hash tells of edits
  // in it.
  std::string file, function, expression;
  std::uint32_t line = 0, column = 0, ordinal = 0;
  std::uint64_t sectionHash = 0;

  std::string lock;    ///< name of the lock class, e.g. `Db::m`
  std::string today;   ///< algorithm, a key of the table (`pthread_mutex`)
  std::string advised; ///< algorithm; equal to `today` for advice to keep
  std::string label;   ///< of `advised`, for people (`QD lock`)
  bool keep = true;
  int threads = 0;
  double contentionRate = 0; ///< predicted with today's lock at `threads`
  /// Whole program's throughput, 95 % interval: this change on top of the other locks' advice.
  double speedup = 1, low = 1, high = 1;
  std::vector<std::pair<std::string, double>> waitNs; ///< label ("pthread mutex") and mean wait
  std::vector<std::string> reasons, obstacles;
  std::vector<std::string> whatIfs; ///< what changes to the sections would gain, for people
  /// What `qdadvise apply` makes of it: `yes`, or the name of a gate that is in the way; "": it was
  /// not asked.
  std::string apply;
  /// Sections per second of the whole program, predicted, with this lock as it is today and as
  /// advised, on top of the other locks' advice. Ascending by threads; empty for advice to keep.
  struct Scaling {
    int threads = 0;
    double today = 0, advised = 0;
  };
  std::vector<Scaling> scaling;
};

} // namespace qdadvise
