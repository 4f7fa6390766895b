// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The branches of `#if`: which configurations have a piece of text.
#pragma once

#include "rewrite/uses/LockUse.h"

#include <memory>
#include <set>
#include <string>
#include <tuple>

namespace clang {
class SourceManager;
class PPCallbacks;
} // namespace clang

namespace qdadvise {

/// What stands between an `#if`, `#elif` or `#else` and the next of them.
struct Branch {
  TextRange text;
  std::set<std::string> holds, fails; ///< conditions as written, without spaces
  auto key() const { return std::tie(text.file, text.offset, text.length, holds, fails); }
  bool operator<(const Branch &other) const { return key() < other.key(); }
};

/// Is there no configuration that has both places?
bool areExclusive(const TextRange &one, const TextRange &other, const std::set<Branch> &branches);

/// Collects the branches of a unit's own files. `found` must outlive what is returned.
std::unique_ptr<clang::PPCallbacks> branchCollector(const clang::SourceManager &sources,
                                                    std::set<Branch> &found);

} // namespace qdadvise
