// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A critical section of a C program as a function, with a struct for what it uses of the function
// that it was in.
#pragma once

#include "rewrite/sections/CallSection.h"

namespace qdadvise {

struct Outlined {
  std::vector<SectionEdit> edits;
  std::optional<Gate> gate; ///< it cannot be one
  clang::SourceLocation at;
  std::string detail;
};

Outlined outline(const SectionShape &shape, const std::string &lock, clang::ASTContext &context);

} // namespace qdadvise
