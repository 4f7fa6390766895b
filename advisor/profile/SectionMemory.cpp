// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Profile.h"
#include "runtime/abi/memory_entry.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace qdadvise {

void SectionMemory::merge(const SectionMemory &other) { format::addMemory(*this, other); }

double SectionMemory::sharedShare() const {
  const std::uint64_t accesses = reads + writes;
  return accesses > 0 ? static_cast<double>(sharedAccesses) / static_cast<double>(accesses) : 0;
}

bool SectionMemory::updatesOneLocation() const {
  return executions > 0 && locationsRead == 0 && locationsWritten == executions &&
         writes == executions && reads <= executions;
}

bool SectionMemory::meets(const SectionMemory &other) const {
  const auto names = [](const SectionMemory &one, std::uint32_t site) {
    return one.otherOverlaps > 0 ||
           std::any_of(std::begin(one.overlaps), std::end(one.overlaps),
                       [&](const format::SiteOverlap &overlap) { return overlap.site == site; });
  };
  return site == other.site || names(*this, other.site) || names(other, site);
}

/// HyperLogLog (Flajolet, Fusy, Gandouet and Meunier 2007), with linear counting where few
/// registers are set.
double SectionMemory::distinctLines() const {
  constexpr double registers = format::sketchRegisters;
  constexpr double bias = 0.7213 / (1 + 1.079 / registers);
  double sum = 0, empty = 0;
  for (const std::uint8_t rank : lines) {
    sum += std::ldexp(1.0, -rank);
    empty += rank == 0;
  }
  const double estimate = bias * registers * registers / sum;
  return estimate <= 2.5 * registers && empty > 0 ? registers * std::log(registers / empty)
                                                  : estimate;
}

} // namespace qdadvise
