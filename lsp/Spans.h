// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a text that is being edited, and how they follow the edits.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstddef>

namespace qdadvise {

/// From `begin` to before `end`, in bytes.
struct Span {
  std::size_t begin = 0, end = 0;

  bool contains(std::size_t offset) const { return begin <= offset && offset < end; }
  bool operator==(const Span &) const = default;
};

/// `replaced` became `length` bytes.
struct Edit {
  Span replaced;
  std::size_t length = 0;
};

/// The edit that makes `text` of `replaced` within `before`, without what is equal at both ends:
/// editors replace a whole document to change a line of it.
Edit smallestEdit(llvm::StringRef before, Span replaced, llvm::StringRef text);

enum class Touch {
  outside, ///< the span's text is what it was
  inside,  ///< it is another
  removed, ///< none of it is left
};

/// Moves a span to where its text is after an edit. What is inserted at one of its ends is outside.
Touch follow(Span &span, const Edit &edit);

} // namespace qdadvise
