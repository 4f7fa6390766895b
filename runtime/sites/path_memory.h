// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread remembers of call paths, so that it need not walk its stack each time:
// the operation and the stack pointer tell a path known already, as in Alam et al.,
// "SyncPerf: Categorizing, Detecting, and Diagnosing Synchronization Performance Bugs",
// EuroSys 2017. Several paths may have the same stack pointer: each return address is
// looked at again where it was found, from the innermost outwards. Those of functions
// whose frames have one size can lie nowhere else while the addresses before them are
// the same; of others (alloca) an old address may have been left there.
#pragma once

#include "runtime/base/hash_index.h"

#include <cstdint>

namespace qdadvise::runtime {

/// Callers at most, besides the function that the site is in.
inline constexpr unsigned deepestPath = 16;

/// Return addresses on a stack, the innermost first: into the site's function, its caller...
struct StackWalk {
  std::uint64_t addresses[deepestPath + 1];
  std::uint32_t offsets[deepestPath + 1]; ///< of where they lie, from the stack pointer
  std::uint32_t count;
  bool found; ///< all of them lie there
};

/// What one thread remembers. Bounded: what comes later takes the place of what came before.
class PathMemory {
public:
  /// Begins anew for another thread, or where code has been unloaded.
  void use(std::uint32_t thread, std::uint32_t unloads) {
    if (ofThread == thread && ofUnloads == unloads)
      return;
    for (Row &row : rows)
      for (Known &known : row.knowns)
        known.site = format::none;
    for (Open &open : opens)
      open.site = format::none;
    ofThread = thread;
    ofUnloads = unloads;
  }

  /// The site that stands for the path by which `site` is reached with this stack; none: walk it.
  std::uint32_t find(std::uint32_t site, std::uint64_t stack) const {
    for (const Known &known : rows[rowOf(site, stack)].knowns)
      if (known.site == site && known.stack == stack && liesThere(known.walk, stack))
        return known.pathSite;
    return format::none;
  }

  void remember(std::uint32_t site, std::uint64_t stack, const StackWalk &walk,
                std::uint32_t pathSite) {
    if (!walk.found)
      return;
    Row &row = rows[rowOf(site, stack)];
    row.knowns[row.next++ % rowSize] = {stack, site, pathSite, walk};
  }

  // An operation ends as what it began as: its last hook may be called when the function's
  // frame is gone already.

  void begin(std::uint32_t site, std::uint64_t address, std::uint32_t pathSite) {
    opens[next++ % openCount] = {address, site, pathSite};
  }
  /// What it began as; the site itself if that is forgotten.
  std::uint32_t end(std::uint32_t site, std::uint64_t address) {
    for (std::uint32_t back = 1; back <= openCount; ++back) {
      Open &open = opens[(next - back) % openCount];
      if (open.site != site || open.address != address)
        continue;
      open.site = format::none;
      return open.pathSite;
    }
    return site;
  }

private:
  struct Known {
    std::uint64_t stack = 0;
    std::uint32_t site = format::none;
    std::uint32_t pathSite = format::none;
    StackWalk walk = {};
  };
  struct Open {
    std::uint64_t address = 0;
    std::uint32_t site = format::none;
    std::uint32_t pathSite = format::none;
  };

  static constexpr std::uint32_t rowCount = 32;
  static constexpr std::uint32_t rowSize = 8; ///< paths with the same stack pointer, or more
  static constexpr std::uint32_t openCount = 16;

  struct Row {
    Known knowns[rowSize];
    std::uint32_t next = 0;
  };

  static std::uint64_t rowOf(std::uint32_t site, std::uint64_t stack) {
    return (mixHash(site, stack) >> 32) % rowCount;
  }
  static bool liesThere(const StackWalk &walk, std::uint64_t stack) {
    for (std::uint32_t i = 0; i < walk.count; ++i)
      if (*reinterpret_cast<const volatile std::uint64_t *>(stack + walk.offsets[i]) !=
          walk.addresses[i])
        return false;
    return true;
  }

  Row rows[rowCount];
  Open opens[openCount];
  std::uint32_t next = 0;
  std::uint32_t ofThread = 0;
  std::uint32_t ofUnloads = 0;
};

} // namespace qdadvise::runtime
