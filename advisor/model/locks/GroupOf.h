// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks of one algorithm, each an object that answers StationGroup's questions for itself. Its rate
// is that of visits to this lock, and its cycle lasts from one visit of a thread to the next.
#pragma once

#include "advisor/model/locks/Station.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace qdadvise {

template <typename Lock> class GroupOf : public StationGroup {
public:
  /// `lockOf` makes a lock from its StationLoad.
  template <typename LockOf> GroupOf(std::span<const LockStation> stations, const LockOf &lockOf) {
    members.reserve(stations.size());
    for (const LockStation &at : stations)
      members.push_back({lockOf(at.load), at.visits, 1 / at.visits});
  }
  std::size_t size() const override { return members.size(); }
  bool sleeps() const override { return Lock::sleeps; }
  void residenceNs(double *result) const override {
    for (const Member &at : members)
      *result++ = at.lock.residenceNs();
  }
  void occupancyNs(double *result) const override {
    for (const Member &at : members)
      *result++ = at.lock.occupancyNs();
  }
  void contention(double cycle, double *result) const override {
    for (const Member &at : members)
      *result++ = at.lock.contention(cycle * at.betweenVisits);
  }
  void meetings(PairMeetings *result) const override {
    if constexpr (Lock::sleeps)
      for (const Member &at : members)
        *result++ = at.lock.meetings();
  }
  void elsewhere(double *result) const override {
    for (const Member &at : members)
      *result++ = at.lock.elsewhere();
  }
  void changes(double cycle, std::optional<double> *result) const override {
    if constexpr (Lock::sleeps)
      for (const Member &at : members)
        *result++ = at.lock.changes(cycle * at.betweenVisits);
  }
  void foundTaken(std::optional<double> *result) const override {
    if constexpr (Lock::sleeps)
      for (const Member &at : members)
        *result++ = at.lock.foundTaken();
  }
  bool forgets() const override {
    return std::all_of(members.begin(), members.end(),
                       [](const Member &at) { return at.lock.forgets(); });
  }
  bool canPassOver() const override {
    return std::all_of(members.begin(), members.end(),
                       [](const Member &at) { return at.lock.canPassOver(); });
  }
  void passOver(const LeftOut &over) override {
    const double *contention = over.contention;
    for (Member &at : members) {
      if constexpr (Lock::hasHistory)
        at.lock.passOver({over.threads, at.visits, over.rate, {contention, over.rate.size()}});
      contention += over.rate.size();
    }
  }
  void sleptNs(const double *residence, double *result) const override {
    if constexpr (Lock::sleeps)
      for (const Member &at : members)
        *result++ = at.lock.sleptNs(*residence++);
    else
      StationGroup::sleptNs(residence, result);
  }
  void asleepNs(const double *residence, double *result) const override {
    if constexpr (Lock::sleeps)
      for (const Member &at : members)
        *result++ = at.lock.asleepNs(*residence++);
    else
      StationGroup::asleepNs(residence, result);
  }
  void nextAwake(double cycle, const double *residence, NextAwake *result) const override {
    if constexpr (Lock::sleeps)
      for (const Member &at : members)
        *result++ = at.lock.nextAwake(std::max(0.0, cycle * at.betweenVisits - *residence++));
    else
      StationGroup::nextAwake(cycle, residence, result);
  }
  void update(const Population &before) override {
    std::size_t i = 0;
    for (Member &at : members) {
      at.lock.update({before.threads, before.rate * at.visits, before.cycleNs * at.betweenVisits,
                      before.residenceNs[i], before.sleptNs[i], before.visitors[i],
                      before.nearby[i], before.meanNs[i], before.meets[i]});
      ++i;
    }
  }

private:
  struct Member {
    Lock lock;
    double visits;        ///< per cycle
    double betweenVisits; ///< cycles from visit to visit
  };
  std::vector<Member> members;
};

template <typename LockOf>
std::unique_ptr<StationGroup> groupOf(std::span<const LockStation> stations, const LockOf &lockOf) {
  return std::make_unique<GroupOf<decltype(lockOf(StationLoad()))>>(stations, lockOf);
}

} // namespace qdadvise
