// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores as Markdown.
#pragma once

#include "bench/accuracy/Scores.h"

#include <cstddef>
#include <string>
#include <vector>

namespace qdadvise::accuracy {

/// All tables, as Markdown.
std::string printScores(const std::vector<Scored> &scored);
/// The largest errors of W and the costliest decisions, by name of the case: for developing.
std::string printWorst(const std::vector<Scored> &scored, std::size_t count);

} // namespace qdadvise::accuracy
