// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Advice: one entry per lock site, as `advise` writes it and the plugin prints it
// (`advice.toml`). This library knows nothing else of the project, throws nothing
// and needs no run-time type information: the plugin links it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

struct Advice {
  // Where: survives edits above it (function, expression, ordinal), the hash tells of edits in it.
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
};

struct AdviceFile {
  std::string program, machine, date;
  std::string machineSource; ///< measured, published or assumed
  int threads = 0, cores = 0;
  std::vector<Advice> advice;
};

/// Either a file or an error (`file:line:column: error: …`, or what else is wrong and what to do).
struct AdviceResult {
  AdviceFile file;
  std::string error; ///< empty: success
};

AdviceResult parseAdvice(const std::string &toml, const std::string &name);
AdviceResult readAdvice(const std::string &path);
std::string printAdvice(const AdviceFile &file);

/// `8.2 us`, `450 ns`, `1.3 ms`: two significant digits at least, as in every message.
std::string formatDuration(double ns);
/// The texts of a diagnostic, as fixed in the documentation; the reporter only places them.
std::string adviceMessage(const Advice &advice);
/// `mean waiting time at 16 threads: pthread mutex 8.2 us, spinlock 9.1 us, QD lock 1.1 us`;
/// empty where no waiting time is known.
std::string waitNote(const Advice &advice);

/// `71%`, `0.4%`, `less than 0.1%` of a share between 0 and 1.
std::string formatPercent(double share);
/// `2.3x`, `1.08x`: as many digits as tell a small gain from none. `like` sets the digits
/// (the middle of an interval, for its ends).
std::string formatFactor(double factor, double like);
inline std::string formatFactor(double factor) { return formatFactor(factor, factor); }
/// `16 threads`, `1 thread`.
std::string formatThreads(int threads);
/// `a QD lock`, `an adaptive lock`.
std::string withArticle(const std::string &label);

} // namespace qdadvise
