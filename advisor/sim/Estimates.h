// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of a simulation, and means with 95 % intervals from them, by the method of batch means.
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

/// Student's t at 97.5 %, within 0.3 % from ten degrees of freedom on.
double quantile95(double freedom);

/// Sums the observed quantities batch by batch. A batch ends after a number of completions. When
/// there are 128 batches, neighbours are merged, and later batches are twice as long. The first
/// fifth of the run is not counted.
///
/// The batches of a run are not independent. They are long enough if the intervals from batches and
/// from groups of four batches agree; the result is the wider one.
class BatchMeans {
public:
  static constexpr std::size_t most = 128;

  explicit BatchMeans(std::size_t quantities, std::uint64_t completionsPerBatch = 128);

  void add(std::size_t quantity, double amount) { open[quantity] += amount; }
  enum class Progress { inBatch, batchEnded, full };
  /// Counts a completion. `full`: it ended the last batch before neighbours must be merged, which
  /// is a good moment to look whether the results are precise enough.
  Progress complete();
  /// Merges neighbouring batches.
  void merge();

  std::uint64_t completions() const { return total; }
  /// The number of batches that count.
  std::size_t counted() const { return batches.size() - dropped(); }

  /// The sum of a quantity over the batches that count.
  double sum(std::size_t quantity) const;
  /// The sum of one quantity over the sum of another; 0 where the latter is 0.
  Estimate ratio(std::size_t quantity, std::size_t over) const;
  /// The sum of (`quantity` - `less`) over the sum of `over`.
  Estimate ratio(std::size_t quantity, std::size_t less, std::size_t over) const;

private:
  std::size_t dropped() const { return batches.size() / 5; }
  template <typename Numerator> Estimate ratioOf(Numerator numerator, std::size_t over) const;

  std::vector<std::vector<double>> batches;
  std::vector<double> open;
  std::uint64_t perBatch, inOpen = 0, total = 0;
};

} // namespace qdadvise::sim
