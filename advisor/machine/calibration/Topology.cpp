// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/calibration/Topology.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sched.h>
#include <set>
#include <tuple>
#include <utility>

namespace qdadvise {
namespace {

std::vector<int> allowedProcessors() {
  std::vector<int> ids;
  // The set is larger than any machine's, since the kernel refuses one that is too small.
  constexpr int most = 1 << 14;
  cpu_set_t *set = CPU_ALLOC(most);
  const std::size_t size = CPU_ALLOC_SIZE(most);
  if (set && sched_getaffinity(0, size, set) == 0)
    for (int id = 0; id < most; ++id)
      if (CPU_ISSET_S(static_cast<std::size_t>(id), size, set))
        ids.push_back(id);
  if (set)
    CPU_FREE(set);
  if (ids.empty())
    ids.push_back(0);
  return ids;
}

int readTopologyFile(int processor, const char *name, int otherwise) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/" +
                     name);
  int value = 0;
  return file >> value && value >= 0 ? value : otherwise;
}

std::string modelName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      const auto text = line.find_first_not_of(": \t", std::string("model name").size());
      return text == std::string::npos ? "" : line.substr(text);
    }
  return "";
}

} // namespace

Topology readTopology() {
  Topology topology;
  topology.cpu = modelName();
  // The order is by the number of earlier processors of the same core, by socket and by id.
  std::vector<std::tuple<int, int, int>> order;
  std::map<std::pair<int, int>, int> seenOfCore;
  std::set<int> sockets;
  for (const int id : allowedProcessors()) {
    const int socket = readTopologyFile(id, "physical_package_id", 0);
    const int core = readTopologyFile(id, "core_id", id);
    order.emplace_back(seenOfCore[{socket, core}]++, socket, id);
    sockets.insert(socket);
  }
  std::sort(order.begin(), order.end());
  for (const auto &[sibling, socket, id] : order)
    topology.processors.push_back({id, socket, sibling});
  topology.sockets = static_cast<int>(sockets.size());
  return topology;
}

} // namespace qdadvise
