// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/accuracy/Cases.h"

#include <algorithm>

namespace qdadvise::accuracy {

std::uint64_t hashOf(const std::string &text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : text)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

int Case::allThreads() const {
  int all = threads;
  for (const ThreadClass &one : network.classes)
    all += one.scales ? 0 : static_cast<int>(one.threads);
  return all;
}

namespace {

void add(std::vector<Case> &cases, const workloads::Workload &workload, bool meta) {
  for (const int threads : workload.threads)
    cases.push_back(
        {workload.name + ".t" + std::to_string(threads), workload.network, threads, meta});
}

void shuffle(std::vector<Case> &cases) {
  std::sort(cases.begin(), cases.end(), [](const Case &a, const Case &b) {
    const auto left = hashOf(a.name), right = hashOf(b.name);
    return left != right ? left < right : a.name < b.name;
  });
}

} // namespace

std::vector<Case> casesOf(Part part) {
  std::vector<Case> random, meta, result;
  for (std::size_t i = 0; i < workloads::randomNetworksAPart; ++i)
    add(random, workloads::randomNetwork(part, i), false);
  for (const auto &configuration : workloads::metaConfigurations())
    if ((configuration.matrix % 2 == 0) == (part == Part::develop))
      add(meta, workloads::metaWorkload(configuration), true);
  shuffle(random);
  shuffle(meta);
  for (std::size_t i = 0; i < std::max(random.size(), meta.size()); ++i) {
    if (i < random.size())
      result.push_back(std::move(random[i]));
    if (i < meta.size())
      result.push_back(std::move(meta[i]));
  }
  return result;
}

} // namespace qdadvise::accuracy
