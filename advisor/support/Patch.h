// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unified diffs: what changed, for people and for patch(1), and the way back.
#pragma once

#include "advisor/support/Error.h"

#include <map>
#include <string>
#include <string_view>

namespace qdadvise {

/// The changes of a file, with three lines around each; "" if there are none. `path` stands in its
/// first lines as it is.
std::string unifiedDiff(std::string_view before, std::string_view after, const std::string &path);

/// The files of a patch of unifiedDiff's.
std::map<std::string, std::string> patchByFile(std::string_view patch);

/// The text from which the part of a patch about one file made `after`; an error where `after` is
/// not what it made.
Expected<std::string> reversed(std::string_view filePatch, std::string_view after);

/// A text before and after a patch.
struct PatchedText {
  std::string before, after;
};
/// Both, from a text that is one of them; an error where it is neither.
Expected<PatchedText> aroundPatch(const std::string &filePatch, const std::string &text);

} // namespace qdadvise
