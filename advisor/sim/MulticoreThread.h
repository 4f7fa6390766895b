// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of the virtual multicore, as the parts of the multicore share it.
#pragma once

#include "advisor/sim/Caches.h"
#include "advisor/sim/EventQueue.h"
#include "advisor/sim/Fiber.h"
#include "advisor/sim/VirtualMachine.h"

#include <cstdint>
#include <memory>

namespace qdadvise::sim {

/// Stands for no thread, and for no core.
inline constexpr std::uint32_t noIndex = static_cast<std::uint32_t>(-1);

struct MulticoreThread {
  enum class State {
    onCore, ///< runs, or waits on its core for a line, a turn of spinning or park
    ready,  ///< in the queue of a core
    asleep, ///< its event, if it has one, is that it wants a core again
  };
  /// What a spinning thread does. None of it switches to the thread before its word has changed.
  enum class Spin {
    no,
    watches, ///< its copy of the line; its event, if it has one, is that it yields
    turns,   ///< the line was written: to the end of its turn
    fetches, ///< the line again
  };

  std::unique_ptr<Fiber> fiber = {};
  State state = State::ready;
  std::uint32_t core = 0;
  Time clock = 0;
  /// A store leaves the core before it takes effect. So much of the time until then may still be
  /// spent on something else.
  Time overlap = 0;
  Time drained = 0;   ///< when its plain stores to lines of its own are in its cache
  Time remaining = 0; ///< what was left to do when it lost its core
  /// What it asks for, as long as its request waits to be served.
  struct Request {
    CacheLine *line = nullptr;
    Need need = Need::copy;
    Time arrival = 0;
  };
  Request request = {};
  std::int64_t newLinesAt = -1; ///< the core that has lines which nobody has touched yet; or none
  bool accessing = false;       ///< an access is under way, and cannot be interrupted
  Time ran = 0;                 ///< on a core, comparable only between threads of one core
  Time owed = 0;                ///< what it lacked of its share of a core when it fell asleep
  Time ranLast = -never / 2;    ///< when it lost its core or fell asleep
  Spin spin = Spin::no;
  std::uint32_t id = 0;
  SpinTarget target = {};
  CacheLine *spinsOn = nullptr;
  Time spinsSince = 0;
  unsigned turnsBefore = 0, turns = 0; ///< of the spin-wait: at `spinsSince`, and when it goes on
};

} // namespace qdadvise::sim
