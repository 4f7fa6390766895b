// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites that a profile knows by the address of the call only, turned into places in the
// source by llvm-symbolizer.
#pragma once

#include "advisor/profile/Profile.h"

#include <string>
#include <vector>

namespace qdadvise {

/// A frame of the code at an address; several where functions were inlined, the
/// innermost first.
struct SourceFrame {
  std::string function, file;
  std::uint32_t line = 0, column = 0;
};

/// The frame in which the call of a function stands that is defined in `calleeFile`: the
/// innermost one that is neither there nor in a system header, else the innermost. Null
/// where no frame has a line.
const SourceFrame *callingFrame(const std::vector<SourceFrame> &frames,
                                const std::string &calleeFile);

/// Gives sites with a caller the file, line, column and function of the call; after that
/// they are sites like any other, and those of one place are one. What cannot be found is
/// called by the function and `called from module+0xoffset`, and a note says what to do. The
/// same for the frames of call paths, which stay addresses then.
void resolveCallers(Profile &profile, std::vector<std::string> &notes);

} // namespace qdadvise
