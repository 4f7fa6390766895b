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

void add(std::vector<Case> &cases, const workloads::Workload &workload,
         std::optional<std::size_t> metaMatrix) {
  for (const int threads : workload.threads)
    cases.push_back(
        {workload.name + ".t" + std::to_string(threads), workload.network, threads, metaMatrix});
}

void shuffle(std::vector<Case> &cases) {
  std::sort(cases.begin(), cases.end(), [](const Case &a, const Case &b) {
    const auto left = hashOf(a.name), right = hashOf(b.name);
    return left != right ? left < right : a.name < b.name;
  });
}

} // namespace

std::vector<Case> metaCases() {
  std::vector<Case> cases;
  for (const auto &configuration : workloads::metaConfigurations())
    add(cases, workloads::metaWorkload(configuration), configuration.matrix);
  shuffle(cases);
  return cases;
}

std::vector<Case> casesOf(Part part) {
  std::vector<Case> random, meta, result;
  for (std::size_t i = 0; i < workloads::randomNetworksAPart; ++i)
    add(random, workloads::randomNetwork(part, i), std::nullopt);
  shuffle(random);
  for (Case &one : metaCases())
    if ((*one.metaMatrix % 2 == 0) == (part == Part::develop))
      meta.push_back(std::move(one));
  for (std::size_t i = 0; i < std::max(random.size(), meta.size()); ++i) {
    if (i < random.size())
      result.push_back(std::move(random[i]));
    if (i < meta.size())
      result.push_back(std::move(meta[i]));
  }
  for (const auto special : {workloads::Special::sticky, workloads::Special::constantLocal}) {
    std::vector<Case> cases;
    for (std::size_t i = 0; i < workloads::specialNetworksAPart; ++i)
      add(cases, workloads::specialNetwork(part, special, i), std::nullopt);
    for (Case &one : cases) {
      one.special = special;
      result.push_back(std::move(one));
    }
  }
  return result;
}

} // namespace qdadvise::accuracy
