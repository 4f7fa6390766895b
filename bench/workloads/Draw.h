// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that are the same with every C++ library. The standard fixes the engines, but not
// the numbers that its distributions make of them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace qdadvise::workloads {

class Draw {
public:
  /// The streams of one seed are independent, so that the hundredth network is the same however
  /// many there are.
  explicit Draw(std::uint64_t seed, std::uint64_t stream = 0)
      : engine(mixed(mixed(seed) + stream)) {}

  /// A number in [0, 1).
  double unit() { return static_cast<double>(engine() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  /// A number whose logarithm is uniform.
  double logBetween(double low, double high) { return low * std::pow(high / low, unit()); }
  /// A whole number in [low, high].
  int whole(int low, int high) {
    return low + static_cast<int>(unit() * static_cast<double>(high - low + 1));
  }
  bool chance(double probability) { return unit() < probability; }
  /// An index, drawn by weights.
  std::size_t pick(const std::vector<double> &weights) {
    double sum = 0;
    for (const double weight : weights)
      sum += weight;
    double left = unit() * sum;
    std::size_t index = 0;
    while (index + 1 < weights.size() && left >= weights[index])
      left -= weights[index++];
    return index;
  }
  template <typename T> void shuffle(std::vector<T> &values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[static_cast<std::size_t>(whole(0, static_cast<int>(i) - 1))]);
  }

private:
  /// The finalizer of SplitMix64, which makes neighbouring seeds unlike.
  static std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
  }

  std::mt19937_64 engine;
};

} // namespace qdadvise::workloads
