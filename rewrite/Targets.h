// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a lock can become, and how each target is written: as a C++ class, as a type of ours for C,
// as a type of POSIX threads.
#pragma once

#include <span>
#include <string_view>

namespace qdadvise {

/// A class with lock, try_lock and unlock.
struct ClassForm {
  std::string_view type, header; ///< "": there is none
};

/// A type with functions that take its address.
struct FunctionForm {
  std::string_view type, header, initialiser; ///< "": there is none
  std::string_view prefix;                    ///< of its functions
  std::string_view lock, tryLock, unlock;     ///< after the prefix
  bool fillsLines = false;                    ///< it begins with a cache line
  bool delegates = false;                     ///< it has a function for that
  bool returnsError = false;                  ///< 0 for success, as POSIX does; try returns EBUSY
};

struct Target {
  std::string_view name;  ///< for `--kind` and in advice.toml
  std::string_view label; ///< for people
  ClassForm asClass;
  FunctionForm inC;     ///< of ours
  FunctionForm asPosix; ///< of POSIX threads
  bool sharesReads = false, delegates = false;
  bool isAdaptive = false; ///< a pthread mutex by its initialisation
  bool isAtomic = false;   ///< no lock any more: the integer that it was around is an atomic
};

std::span<const Target> targets();
const Target *findTarget(std::string_view name);

} // namespace qdadvise
