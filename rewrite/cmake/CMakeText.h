// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands that a CMake file has, as they are written: variables are not replaced.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qdadvise {

struct CMakeCommand {
  std::string name; ///< in lower case
  std::vector<std::string> arguments;
  std::size_t begin = 0, end = 0; ///< from its name to behind its parenthesis
};

/// None of what comes after the first thing that is no CMake.
std::vector<CMakeCommand> cmakeCommands(std::string_view text);

} // namespace qdadvise
