// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/workloads/Workloads.h"

#include "bench/workloads/Draw.h"
#include "bench/workloads/Parts.h"

#include <fmt/format.h>

namespace qdadvise::workloads {

std::string MetaConfiguration::name() const {
  return fmt::format("meta.s{:.0f}.l{:.0f}.m{:02}", sectionNs, localNs, matrix);
}

std::vector<MetaConfiguration> metaConfigurations() {
  std::vector<MetaConfiguration> matrices(metaMatrices);
  Draw draw(metaSeed);
  for (std::size_t i = 0; i < metaMatrices; ++i) {
    matrices[i].matrix = i;
    matrices[i].fifoAfterFifo = rounded(draw.between(0.05, 0.95), 4);
    matrices[i].fifoAfterHeap = rounded(draw.between(0.05, 0.95), 4);
  }
  std::vector<MetaConfiguration> result;
  for (const double sectionNs : metaSectionNs)
    for (const double localNs : metaLocalNs)
      for (MetaConfiguration configuration : matrices) {
        configuration.sectionNs = sectionNs;
        configuration.localNs = localNs;
        result.push_back(configuration);
      }
  return result;
}

Workload metaWorkload(const MetaConfiguration &configuration) {
  NetworkBuilder builder;
  const std::size_t worker = builder.addClass("worker");
  const Duration hold = exponential(configuration.sectionNs);
  const std::size_t fifo = builder.addSection("fifo", builder.addLock("fifo"), hold);
  const std::size_t heap = builder.addSection("heap", builder.addLock("heap"), hold);
  const Duration local = exponential(configuration.localNs);
  builder.addRow(
      worker, fifo,
      {{fifo, configuration.fifoAfterFifo, local}, {heap, 1 - configuration.fifoAfterFifo, local}});
  builder.addRow(
      worker, heap,
      {{fifo, configuration.fifoAfterHeap, local}, {heap, 1 - configuration.fifoAfterHeap, local}});
  return {configuration.name(), builder.take(), {metaThreads.begin(), metaThreads.end()}};
}

} // namespace qdadvise::workloads
