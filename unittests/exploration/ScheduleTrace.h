// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule in words.
#pragma once

#include "unittests/exploration/Choices.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qdadvise::sim {

struct StackRange {
  const void *begin = nullptr;
  const void *end = nullptr;
};

class ScheduleTrace {
public:
  /// Begins the trace of a program. It records steps only if it is `on`.
  void begin(const std::vector<NamedMemory> *named, std::vector<StackRange> threadStacks, bool on);

  bool wanted() const { return recording; }
  /// Adds a step before it takes effect.
  void step(std::uint32_t number, unsigned thread, const Action &action);
  /// Adds the effect of the step, at the latest before the next step.
  void settle();
  /// The step was a compare-and-swap that found another value.
  void failed();
  /// Adds something that happens within a step.
  void note(std::uint32_t number, unsigned thread, const std::string &text);

  /// The name of an address in the program.
  std::string describe(const void *address) const;
  std::string text() const;

private:
  struct Line {
    std::uint32_t number = 0;
    unsigned thread = 0;
    std::string what;
  };
  std::string valueOf(std::uint64_t value, std::uint32_t size) const;

  const std::vector<NamedMemory> *names = nullptr;
  std::vector<StackRange> stacks;
  std::vector<Line> lines;
  bool recording = false;
  bool unsettled = false;
  Action action;
  std::uint64_t before = 0;
};

} // namespace qdadvise::sim
