// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks llvm-symbolizer for the place in the source of sites that a profile knows only by the
// address of the call.
#pragma once

#include "advisor/profile/Profile.h"

#include <string>
#include <vector>

namespace qdadvise {

/// A function that the code at an address belongs to. Where functions were inlined there are
/// several, the innermost first.
struct SourceFrame {
  std::string function, file;
  std::uint32_t line = 0, column = 0;
};

/// Finds the frame that calls a function of `calleeFile`: the innermost one that is neither in that
/// file nor in a system header, else the innermost one. Null where no frame has a line.
const SourceFrame *callingFrame(const std::vector<SourceFrame> &frames,
                                const std::string &calleeFile);

/// Gives sites with a caller the file, line, column and function of the call. Then they are sites
/// like any other, and those of one place become one. A site that cannot be found is named
/// `FUNCTION (called from MODULE+0xOFFSET)`, and a note says what to do. Frames of call paths are
/// treated alike; where they cannot be found they stay addresses.
void resolveCallers(Profile &profile, std::vector<std::string> &notes);

} // namespace qdadvise
