// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Advice that its reader has settled: nothing is printed of it any more.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qdadvise {

/// `[[suppress]]` of the configuration: a site that fits all that is said. `*` stands for anything.
struct Suppression {
  std::string lock;     ///< name of the lock class; "": any
  std::string file;     ///< the end of a path, from a folder on; "": any
  std::string function; ///< with parameter types or without; "": any
  std::string reason;
};

/// The first that fits a site, or null.
const Suppression *suppressionOf(const std::vector<Suppression> &all, std::string_view lock,
                                 std::string_view file, std::string_view function);

/// The reason of `// qdadvise: keep (reason)` in a line of source, "" where there is none in it;
/// nothing where the line has no such comment.
std::optional<std::string> keepComment(std::string_view line);
/// The same of a line and the one above it, where the comment has that one for itself.
std::optional<std::string> keepCommentAt(std::string_view above, std::string_view line);

} // namespace qdadvise
