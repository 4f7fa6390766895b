// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sleeping lock of glibc as a station (docs/theory/mutex.md and rwlock.md).
#pragma once

#include "advisor/model/locks/LinePlace.h"
#include "advisor/model/locks/SleepingModel.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace qdadvise {

/// A lock by its SleepingModel. What it costs depends on the time that threads are away and asleep.
/// The recursion takes both from the state with one thread less. That is close enough, and for a
/// single lock the time away is exact.
class SleepingStation {
public:
  static constexpr bool sleeps = true, hasHistory = false;
  SleepingStation(double heldNs, double lockOverheadNs, const LinePlace &line,
                  std::unique_ptr<SleepingModel> model)
      : line(line), overhead(lockOverheadNs), held(heldNs + overhead), model(std::move(model)) {}
  double residenceNs() const { return threads > 1 ? model->residenceNs(costs) : held; }
  double occupancyNs() const {
    return threads > 2 && !costs.shared ? costs.occupancyNs(threads) : 0;
  }
  double contention(double cycle) const { return costs.contention(held, threads, cycle); }
  std::optional<double> foundTaken() const { return costs.foundTaken; }
  PairMeetings meetings() const { return {costs.taken * costs.failureNs, costs.meeting}; }
  double elsewhere() const { return line.elsewhere(); }
  std::optional<double> changes(double cycle) const { return costs.changes(cycle); }
  bool forgets() const { return !costs.shared; }
  bool canPassOver() const { return true; }
  double sleptNs(double residence) const { return model->sleptNs(residence, held, costs); }
  double asleepNs(double residence) const {
    return std::max(0.0, residence - held - (1 - costs.taken) * costs.transferNs);
  }
  NextAwake nextAwake(double awayNs) const {
    NextAwake next = costs.saturated.next;
    next.awayNs = model->elsewhereNs(awayNs);
    return next;
  }
  void update(const PopulationAtLock &before) {
    threads = before.threads + 1;
    line.update(threads, before.rate, before.residenceNs, before.cycleNs, before.nearby);
    // Readers that are never away would leave writers no gap (NST11).
    const double atLockNs = model->sharesReads() ? before.meanNs : before.residenceNs;
    costs = model->costs(threads,
                         {.awayNs = std::max(0.0, before.cycleNs - atLockNs),
                          .residenceNs = atLockNs,
                          .sleptNs = before.sleptNs,
                          .visitors = before.visitors,
                          .elsewhere = line.elsewhere(),
                          .meets = before.meets},
                         costs);
    held = costs.saturated.holdNs + overhead;
  }

private:
  LinePlace line;
  double overhead, held;
  std::unique_ptr<SleepingModel> model;
  SleepingModel::Costs costs;
  int threads = 1;
};

} // namespace qdadvise
