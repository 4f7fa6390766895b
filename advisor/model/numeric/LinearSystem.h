// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

namespace qdadvise {

/// Solves a small system of linear equations by Gauss elimination. Nothing where it has no
/// solution, or several.
std::optional<std::vector<double>> solveLinear(std::vector<std::vector<double>> rows,
                                               std::vector<double> right);

} // namespace qdadvise
