// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a simulation counts, and what follows from it: means with 95 % intervals, by the
// method of batch means.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace qdadvise::sim {

struct Interval {
  double low = 0, high = 0;
};

struct Estimate {
  double value = 0, halfWidth = 0;
  Interval interval() const { return {value - halfWidth, value + halfWidth}; }
};

/// Sums over the quantities that are observed, batch by batch. A batch ends when a number
/// of completions is reached; when there are 128, neighbours are merged and batches from then
/// on are twice as long. The first fifth of the run is not counted.
///
/// A run's batches are not independent. They are long enough if intervals from them and
/// from groups of four of them agree; the wider one is given.
class BatchMeans {
public:
  static constexpr std::size_t most = 128;

  explicit BatchMeans(std::size_t quantities, std::uint64_t completionsPerBatch = 128);

  void add(std::size_t quantity, double amount) { open[quantity] += amount; }
  enum class Progress { inBatch, batchEnded, full };
  /// `full`: it ended the last batch before neighbours must be merged, which is a good moment
  /// to look whether it is enough.
  Progress complete();
  /// Merges neighbours.
  void merge();

  std::uint64_t completions() const { return total; }
  /// Batches that count.
  std::size_t counted() const { return batches.size() - dropped(); }

  /// Sum of one quantity over sum of another, 0 where that is 0.
  Estimate ratio(std::size_t quantity, std::size_t over) const;
  /// (`quantity` - `less`) over `over`.
  Estimate ratio(std::size_t quantity, std::size_t less, std::size_t over) const;

private:
  std::size_t dropped() const { return batches.size() / 5; }
  template <typename Numerator> Estimate ratioOf(Numerator numerator, std::size_t over) const;

  std::vector<std::vector<double>> batches;
  std::vector<double> open;
  std::uint64_t perBatch, inOpen = 0, total = 0;
};

} // namespace qdadvise::sim
