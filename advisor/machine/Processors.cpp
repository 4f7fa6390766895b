// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/Processors.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

namespace qdadvise {
namespace {

constexpr const char *names[] = {"spread", "sockets", "compact"};

int upwards(int dividend, int divisor) { return (dividend + divisor - 1) / divisor; }

} // namespace

const char *nameOf(ThreadPlacement placement) { return names[static_cast<std::size_t>(placement)]; }

std::optional<ThreadPlacement> placementNamed(std::string_view name) {
  const auto *const found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<ThreadPlacement>(found - std::begin(names));
}

std::string_view placementNames() { return "spread, sockets and compact"; }

Processors::Processors(int processors, int sockets, int threadsPerCore)
    : processors(processors), perSocket(upwards(processors, sockets)),
      coresPerSocket(upwards(perSocket, threadsPerCore)) {}

std::vector<int> Processors::order(ThreadPlacement placement) const {
  std::vector<int> result(static_cast<std::size_t>(processors));
  std::iota(result.begin(), result.end(), 0);
  const auto rank = [&](int processor) -> std::array<int, 3> {
    const int socket = socketOf(processor), place = processor % perSocket;
    const int core = place % coresPerSocket, sibling = place / coresPerSocket;
    switch (placement) {
    case ThreadPlacement::sockets:
      return {sibling, socket, core};
    case ThreadPlacement::compact:
      return {socket, core, sibling};
    default:
      return {sibling, core, socket};
    }
  };
  std::sort(result.begin(), result.end(), [&](int a, int b) { return rank(a) < rank(b); });
  return result;
}

} // namespace qdadvise
