// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace qdadvise {

/// Columns of text for people.
inline constexpr std::size_t textWidth = 80;

/// Lines of at most 80 columns, broken at spaces, all but the first indented. A word
/// that is longer has a line of its own.
std::string wrapped(const std::string &text, std::size_t indent);

} // namespace qdadvise
