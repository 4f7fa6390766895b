// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a CMake project has to say so that its targets find the locks.
#pragma once

#include <map>
#include <set>
#include <string>

namespace qdadvise {

struct LockLinks {
  std::map<std::string, std::string> before, after; ///< texts of the files that change, by path
  std::set<std::string> linked;                     ///< targets that have it, or get it here
};

/// Of the project that `build` was configured from. A target is given the line behind the command
/// that makes it, if its name is written out there, and only there; `after` is empty where `build`
/// is no build folder of CMake's.
LockLinks linkLocks(const std::string &build, const std::set<std::string> &targets);

} // namespace qdadvise
