// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ideal locks: first come, first served, without overhead (docs/theory/mva.md, equations (MV3) to
// (MV5)). The residual work in service is Reiser's (1979); for c2 = 1 it is that of an exponential
// time, and exact. For a larger c2 it may have few threads wait for longer than there is work. A
// section keeps at most all others waiting.
#pragma once

#include "advisor/model/locks/Station.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace qdadvise {

/// R = s + s (Q - U) + U s (1 + c2) / 2, at most n s. There is an array for each symbol, so that
/// one instruction computes several locks.
class FcfsGroup : public StationGroup {
public:
  explicit FcfsGroup(std::span<const LockStation> stations)
      : service(stations.size()), regular(service), visits(service), queue(service), busy(service) {
    for (std::size_t i = 0; i < stations.size(); ++i) {
      const StationLoad &load = stations[i].load;
      service[i] = load.holdNs;
      regular[i] = load.holdNs * (1 - load.cv2) / 2;
      visits[i] = stations[i].visits;
    }
  }
  std::size_t size() const override { return service.size(); }
  bool sleeps() const override { return false; }
  void residenceNs(double *result) const override {
    for (std::size_t i = 0; i < service.size(); ++i)
      result[i] = std::min(service[i] * (1 + queue[i]) - std::min(busy[i], queue[i]) * regular[i],
                           service[i] * threads);
  }
  void occupancyNs(double *result) const override {
    std::copy(service.begin(), service.end(), result);
  }
  void contention(double, double *result) const override {
    std::copy(busy.begin(), busy.end(), result);
  }
  void elsewhere(double *result) const override { std::fill_n(result, size(), 0.0); }
  void changes(double, std::optional<double> *) const override {}
  bool forgets() const override { return true; }
  bool canPassOver() const override { return true; }
  void update(const Population &before) override {
    threads = before.threads + 1;
    for (std::size_t i = 0; i < service.size(); ++i) {
      queue[i] = before.rate * visits[i] * before.residenceNs[i];
      busy[i] = std::min(1.0, before.rate * visits[i] * service[i]);
    }
  }

private:
  std::vector<double> service, regular, visits, queue, busy;
  double threads = 1;
};

} // namespace qdadvise
