// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/Kinds.h"

#include "advisor/algorithms/LockAlgorithm.h"
#include "advisor/sim/SimulatedLocks.h"

#include <algorithm>
#include <fmt/format.h>

namespace qdadvise {
namespace {

bool canBe(KindUse use, const std::string &kind) {
  return use == KindUse::predicted ? findLockAlgorithm(kind) != nullptr
                                   : sim::findSimulatedKind(kind) != nullptr;
}

std::string refusal(KindUse use, const std::string &text, const std::string &kind) {
  std::string known;
  for (const LockAlgorithm &algorithm : knownLockAlgorithms())
    if (canBe(use, algorithm.name))
      known += std::string(algorithm.name) + ", ";
  if (use == KindUse::predicted && canBe(KindUse::simulated, kind))
    return fmt::format("--kind {}: there is no model of lock algorithm '{}' yet; `qdadvise "
                       "simulate` runs it. With a model: {}all",
                       text, kind, known);
  return fmt::format("--kind {}: no lock algorithm '{}'; known: {}all", text, kind, known);
}

} // namespace

Expected<std::vector<std::string>> parseKinds(const std::string &text, KindUse use) {
  std::vector<std::string> kinds;
  const auto add = [&](const std::string &kind) {
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      kinds.push_back(kind);
  };
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    begin = end + 1;
    if (item == "all") {
      for (const LockAlgorithm &algorithm : knownLockAlgorithms())
        if (canBe(use, algorithm.name))
          add(algorithm.name);
    } else if (canBe(use, item)) {
      add(item);
    } else {
      return makeError(refusal(use, text, item));
    }
  }
  return kinds;
}

} // namespace qdadvise
