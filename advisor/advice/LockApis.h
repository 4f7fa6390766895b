// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `[[lock_api]]`: locks that are known by name alone. A user's stand in .qdadvise.toml,
// those of common libraries in a file that comes with the plugin; one schema, described
// in docs/reference/recognition.md.
#pragma once

#include "advisor/support/Error.h"
#include "runtime/abi/lock_algorithms.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// What a function does to a lock; the roles of the site record and `ignore`.
enum class ApiRole { acquire, release, wait, block, lifetime, wrapper, ignore };

/// How a caller sees that a lock was taken.
enum class ApiSuccess { always, zero, nonzero };

/// A free function by its qualified name, or a member of the entry's types by its name.
struct ApiFunction {
  std::string name;
  ApiRole role = ApiRole::acquire;
  bool isShared = false, isTry = false, isTimed = false;
  ApiSuccess success = ApiSuccess::always;
  /// Which argument is the lock, from 0 as written. Nothing: the object of a member
  /// function, else the first argument.
  std::optional<unsigned> argument;
};

/// A class whose constructor acquires and whose destructor releases.
struct ApiGuard {
  std::vector<std::string> types;
  bool isShared = false;
  std::optional<unsigned> argument; ///< of the constructor; nothing: the first that is a lock
  std::vector<ApiFunction> members;
};

struct LockApiEntry {
  std::string name; ///< for people
  LockKind kind = LockKind::unknown;
  std::vector<std::string> types;
  std::vector<ApiFunction> functions; ///< members where `types` is not empty
  std::vector<ApiGuard> guards;
  std::vector<std::string>
      ignored; ///< types and functions that are no locks whatever they look like
};

/// Reads the entries of a file that holds nothing else, the one that comes with the plugin. Errors
/// have the form `file:line:column: error: …`.
Expected<std::vector<LockApiEntry>> parseLockApis(const std::string &toml, const std::string &path);

} // namespace qdadvise
