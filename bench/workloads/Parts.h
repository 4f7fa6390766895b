// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts from which generators build networks.
#pragma once

#include "advisor/network/Network.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise::workloads {

/// Rounds to so many decimals, for people.
inline double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

inline Duration exponential(double mean) { return {mean, 1, Distribution::exponential}; }
inline Duration deterministic(double mean) { return {mean, 0, Distribution::deterministic}; }
inline Duration uniform(double mean, double cv) { return {mean, cv, Distribution::uniform}; }
inline Duration lognormal(double mean, double cv) { return {mean, cv, Distribution::lognormal}; }

class NetworkBuilder {
public:
  struct Step {
    std::size_t to;
    double probability;
    Duration local;
  };

  /// Today's algorithm is a pthread mutex everywhere.
  std::size_t addLock(std::string name, std::uint32_t instances = 1,
                      std::vector<double> shares = {}) {
    Lock lock;
    lock.name = std::move(name);
    lock.kind = LockKind::pthreadMutex;
    lock.instances = instances;
    lock.shares = std::move(shares);
    network.locks.push_back(std::move(lock));
    return network.locks.size() - 1;
  }
  std::size_t addSection(std::string name, std::size_t lock, Duration hold) {
    Section section;
    section.name = std::move(name);
    section.lock = lock;
    section.hold = hold;
    network.sections.push_back(std::move(section));
    return network.sections.size() - 1;
  }
  Section &section(std::size_t index) { return network.sections[index]; }

  /// Takes `weight` parts of the threads.
  std::size_t addClass(std::string name, double weight = 1) {
    ThreadClass threads;
    threads.name = std::move(name);
    threads.weight = weight;
    network.classes.push_back(std::move(threads));
    return network.classes.size() - 1;
  }
  std::size_t addFixedClass(std::string name, int threads) {
    const std::size_t index = addClass(std::move(name));
    network.classes[index].scales = false;
    network.classes[index].threads = threads;
    return index;
  }
  /// Adds the transitions from one section in one class.
  void addRow(std::size_t threadClass, std::size_t from, const std::vector<Step> &steps) {
    for (const Step &step : steps) {
      Transition transition;
      transition.threadClass = threadClass;
      transition.from = from;
      transition.to = step.to;
      transition.probability = step.probability;
      transition.local = step.local;
      network.transitions.push_back(transition);
    }
  }

  const Network &built() const { return network; }
  Network take() { return std::move(network); }

private:
  Network network;
};

} // namespace qdadvise::workloads
