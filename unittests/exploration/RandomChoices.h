// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random schedule from a seed.
#pragma once

#include "unittests/exploration/Choices.h"

#include <array>

namespace qdadvise::sim {

class RandomChoices : public Choices {
public:
  /// `expectedSteps` is the approximate length of a schedule of this program.
  RandomChoices(std::uint64_t seed, std::uint32_t expectedSteps);

  unsigned thread(const Crossroads &at) override;
  unsigned pick(unsigned count) override { return below(count); }

private:
  std::uint64_t number();
  unsigned below(unsigned bound);
  unsigned oneOf(ThreadSet set);
  unsigned walk(const Crossroads &at);
  unsigned byPriority(const Crossroads &at);

  std::uint64_t state;
  bool walks;
  /// In a walk, one in so many steps goes to any thread.
  unsigned stride = 1;
  /// With priorities, the larger first, one in so many steps sends its thread behind all others.
  unsigned changeEvery = 1;
  std::array<std::int32_t, maxExploredThreads> priorities{};
  std::int32_t lowest = 0;
};

} // namespace qdadvise::sim
