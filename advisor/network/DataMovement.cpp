// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/DataMovement.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

DataMovement::DataMovement(const Machine &machine)
    : linesNs(machine.movedLinesNs()), chainedNs(machine.chainedLinesNs()),
      transfer(machine.lineTransfer()) {}

MovementTimes DataMovement::operator()(const Footprint &footprint, double visitors,
                                       double threads) const {
  const double caches = std::min<double>(visitors, transfer.cores);
  if (!(caches > 1))
    return {};
  // The probability that an execution was on another core: of any thread, and of another thread.
  const double elsewhere = 1 - 1 / caches;
  const double next = std::min(1.0, elsewhere * visitors / (visitors - 1));
  double lines = 0, free = 0, handed = 0, same = 0;
  for (const Footprint::Lines &row : footprint.read) {
    // The executions that have read the line since, and the one that wrote it, were elsewhere.
    const double all = std::pow(elsewhere, row.readers);
    lines += row.lines;
    free += row.lines * all * elsewhere;
    handed += row.lines * all * next;
  }
  for (const Footprint::Lines &row : footprint.written) {
    // At least one of them was elsewhere.
    const double none = std::pow(1 - elsewhere, row.readers);
    lines += row.lines;
    free += row.lines * (1 - none * (1 - elsewhere));
    handed += row.lines * (1 - none * (1 - next));
    same += row.lines * (1 - none);
  }
  if (!(lines > 0))
    return {};
  const double chained = footprint.chained * lines;
  const double allNs = linesNs(lines - chained) + chainedNs(chained);
  const double perLineNs = allNs / lines * transfer.spread(threads);
  return {free * perLineNs, handed * perLineNs, same * perLineNs};
}

double evenVisitors(const std::vector<Visitors> &classes) {
  double all = 0, squares = 0;
  for (const Visitors &one : classes) {
    all += one.visits;
    squares += one.visits * one.visits / std::max(1.0, one.threads);
  }
  return squares > 0 ? all * all / squares : 0;
}

} // namespace qdadvise
