// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processors of a machine: hardware threads, the cores that they share, and sockets. And in
// which order threads get them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace qdadvise {

/// Where threads run, one a processor as long as there are some.
enum class ThreadPlacement : std::uint8_t {
  spread,  ///< as Linux does: sockets in turn, a core for each thread before cores are shared
  sockets, ///< pinned: the cores of one socket, then of the next; then the cores are shared
  compact, ///< pinned: all hardware threads of a core, then of the next
};
/// The placements by the names that they have in options and files.
const char *nameOf(ThreadPlacement placement);
std::optional<ThreadPlacement> placementNamed(std::string_view name);
/// All names, for messages.
std::string_view placementNames();

/// Processors have the numbers from 0 up, socket after socket; in a socket the first hardware
/// threads of its cores come before the second ones. Sockets are equally large, but the last one
/// may lack some.
class Processors {
public:
  Processors(int processors, int sockets, int threadsPerCore);

  int count() const { return processors; }
  int socketOf(int processor) const { return processor / perSocket; }
  int coreOf(int processor) const {
    return socketOf(processor) * coresPerSocket + processor % perSocket % coresPerSocket;
  }
  /// The numbers of cores are below this one.
  int coreEnd() const { return socketOf(processors - 1) * coresPerSocket + coresPerSocket; }
  /// Thread i runs on processor i modulo their number of this list.
  std::vector<int> order(ThreadPlacement placement) const;

private:
  int processors, perSocket, coresPerSocket;
};

} // namespace qdadvise
