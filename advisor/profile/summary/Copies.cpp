// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/Copies.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace qdadvise {
namespace {

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

CopiesSlowdown slowdownOf(unsigned copies, const std::vector<double> &logarithms) {
  const double middle = medianOf(logarithms);
  std::vector<double> distances;
  for (const double one : logarithms)
    distances.push_back(std::abs(one - middle));
  // Of normal ones the standard deviation is this times the median distance, and of few
  // observations that is too small (Croux and Rousseeuw 1992).
  constexpr double ofNormal = 1.4826, few = 0.8;
  const auto rounds = static_cast<double>(logarithms.size());
  return {copies, std::exp(middle), ofNormal * rounds / (rounds - few) * medianOf(distances),
          logarithms.size()};
}

} // namespace

std::size_t MeasuredCopies::rounds() const {
  std::size_t all = 0;
  for (const CopiesSlowdown &one : slowdowns)
    all += one.rounds;
  return all;
}

std::vector<MeasuredCopies> measuredCopies(const Profile &profile) {
  std::map<std::pair<std::string, unsigned>, std::map<unsigned, std::vector<double>>> machines;
  for (const ProfiledCopies &round : profile.copies)
    machines[{round.cpu, round.processors}][round.copies].push_back(
        std::log(round.besideNs / round.aloneNs));
  std::vector<MeasuredCopies> found;
  for (const auto &[machine, numbers] : machines) {
    MeasuredCopies &here = found.emplace_back(MeasuredCopies{machine.first, machine.second, {}});
    for (const auto &[copies, logarithms] : numbers)
      here.slowdowns.push_back(slowdownOf(copies, logarithms));
  }
  std::sort(found.begin(), found.end(), [](const MeasuredCopies &a, const MeasuredCopies &b) {
    return std::tuple(b.rounds(), a.cpu, a.processors) <
           std::tuple(a.rounds(), b.cpu, b.processors);
  });
  return found;
}

} // namespace qdadvise
