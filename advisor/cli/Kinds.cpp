// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/Common.h"
#include "advisor/model/Prediction.h"

#include <algorithm>
#include <fmt/format.h>

namespace qdadvise {

Expected<std::vector<std::string>> parseKinds(const std::string &text) {
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
      for (const LockAlgorithm &algorithm : lockAlgorithms())
        add(algorithm.name);
    } else if (findLockAlgorithm(item)) {
      add(item);
    } else {
      std::string known;
      for (const LockAlgorithm &algorithm : lockAlgorithms())
        known += std::string(algorithm.name) + ", ";
      return makeError(
          fmt::format("--kind {}: no lock algorithm '{}'; known: {}all", text, item, known));
    }
  }
  return kinds;
}

} // namespace qdadvise
