// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/workloads/Workloads.h"

namespace qdadvise::workloads {

namespace {

std::vector<Workload> metaBenchmark() {
  std::vector<Workload> result;
  for (const MetaConfiguration &configuration : metaConfigurations())
    result.push_back(metaWorkload(configuration));
  return result;
}

template <Part part> std::vector<Workload> randomNetworks() {
  std::vector<Workload> result;
  for (std::size_t i = 0; i < randomNetworksAPart; ++i)
    result.push_back(randomNetwork(part, i));
  return result;
}

template <Part part, Special special> std::vector<Workload> specialNetworks() {
  std::vector<Workload> result;
  for (std::size_t i = 0; i < specialNetworksAPart; ++i)
    result.push_back(specialNetwork(part, special, i));
  return result;
}

} // namespace

const std::vector<Family> &families() {
  static const std::vector<Family> table{
      {"meta", "two locks, a FIFO queue's and a pairing heap's (2015 paper, VI)", metaBenchmark},
      {"machine-repair", "one lock and long local computation (2012 paper, 5.2)", machineRepair},
      {"bodytrack", "three locks, three thread classes (2012 paper, 5.3)", bodytrack},
      {"dedup", "a pipeline of thread classes in three phases (2012 paper, 5.4)", dedupPhases},
      {"one-lock", "one contended lock: collapse, priority queue", oneLockCurves},
      {"random.develop", "random networks to develop models with", randomNetworks<Part::develop>},
      {"random.score", "random networks that are only ever scored", randomNetworks<Part::score>},
      {"sticky.develop", "threads mostly stay at a lock, to develop models with",
       specialNetworks<Part::develop, Special::sticky>},
      {"sticky.score", "the same, only ever scored", specialNetworks<Part::score, Special::sticky>},
      {"constant-local.develop", "local times do not vary, to develop models with",
       specialNetworks<Part::develop, Special::constantLocal>},
      {"constant-local.score", "the same, only ever scored",
       specialNetworks<Part::score, Special::constantLocal>},
  };
  return table;
}

} // namespace qdadvise::workloads
