// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/numeric/LinearSystem.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace qdadvise {

std::optional<std::vector<double>> solveLinear(std::vector<std::vector<double>> rows,
                                               std::vector<double> right) {
  const std::size_t size = right.size();
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < size; ++i)
      if (std::abs(rows[i][k]) > std::abs(rows[pivot][k]))
        pivot = i;
    if (!(std::abs(rows[pivot][k]) > 0))
      return std::nullopt;
    std::swap(rows[k], rows[pivot]);
    std::swap(right[k], right[pivot]);
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j < size; ++j)
        rows[i][j] -= factor * rows[k][j];
      right[i] -= factor * right[k];
    }
  }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t j = k + 1; j < size; ++j)
      right[k] -= rows[k][j] * right[j];
    right[k] /= rows[k][k];
  }
  return right;
}

} // namespace qdadvise
