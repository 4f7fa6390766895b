// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/Kinds.h"

#include <algorithm>
#include <fmt/format.h>

namespace qdadvise {

Expected<std::vector<KindChoice>> parseKinds(const std::string &text, KindNames names) {
  std::vector<KindChoice> kinds;
  const auto add = [&](const KindChoice &kind) {
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      kinds.push_back(kind);
  };
  const auto stands = [names](const LockAlgorithm &algorithm) {
    return names == KindNames::predicted || !algorithm.isIdeal();
  };
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    begin = end + 1;
    if (item == "all") {
      for (const LockAlgorithm &algorithm : lockAlgorithms)
        if (stands(algorithm))
          add(algorithm.kind);
    } else if (item == KindChoice().name()) {
      add(KindChoice());
    } else if (const LockKind kind = algorithmNamed(item); kind != LockKind::unknown) {
      add(kind);
    } else {
      std::string known;
      for (const LockAlgorithm &algorithm : lockAlgorithms)
        if (stands(algorithm))
          known += std::string(algorithm.name) + ", ";
      if (names == KindNames::predicted)
        known += KindChoice().name() + std::string(", ");
      return makeError(
          fmt::format("--kind {}: no lock algorithm '{}'; known: {}all", text, item, known));
    }
  }
  return kinds;
}

} // namespace qdadvise
