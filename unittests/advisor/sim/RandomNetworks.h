// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks for tests of the simulator.
#pragma once

#include "advisor/network/Network.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace qdadvise::test {

/// `holds.size()` locks with one section each, visited with the given probabilities whatever
/// came before; `local` between two of them.
inline Network networkOf(const std::vector<Duration> &holds,
                         const std::vector<double> &probabilities, const Duration &local) {
  Network network;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    Lock lock;
    lock.name = "lock" + std::to_string(i);
    lock.kind = LockKind::pthreadMutex;
    network.locks.push_back(lock);
    Section section;
    section.name = "section" + std::to_string(i);
    section.lock = i;
    section.hold = holds[i];
    network.sections.push_back(section);
  }
  network.classes.push_back({"worker"});
  for (std::size_t from = 0; from < holds.size(); ++from)
    for (std::size_t to = 0; to < holds.size(); ++to) {
      Transition transition;
      transition.from = from;
      transition.to = to;
      transition.probability = probabilities[to];
      transition.local = local;
      network.transitions.push_back(transition);
    }
  return network;
}

/// 1 to 4 locks held for 200 to 10,000 ns, 100 to 30,000 ns between two sections, all
/// exponential; means log-uniform.
inline Network randomNetwork(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](double low, double high) {
    const double part = static_cast<double>(random() >> 11) * 0x1p-53;
    return low * std::pow(high / low, part);
  };
  std::vector<Duration> holds(1 + random() % 4);
  std::vector<double> probabilities;
  double sum = 0;
  for (Duration &hold : holds) {
    hold.mean = std::round(draw(200, 10'000));
    probabilities.push_back(draw(1, 5));
    sum += probabilities.back();
  }
  for (double &probability : probabilities)
    probability /= sum;
  return networkOf(holds, probabilities, {std::round(draw(100, 30'000)), 1});
}

} // namespace qdadvise::test
