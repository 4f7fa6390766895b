// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Spans.h"

#include <algorithm>

namespace qdadvise {

Edit smallestEdit(llvm::StringRef before, Span replaced, llvm::StringRef text) {
  const llvm::StringRef old = before.substr(replaced.begin, replaced.end - replaced.begin);
  const std::size_t most = std::min(old.size(), text.size());
  std::size_t front = 0, back = 0;
  while (front < most && old[front] == text[front])
    ++front;
  while (back < most - front && old[old.size() - 1 - back] == text[text.size() - 1 - back])
    ++back;
  return {{replaced.begin + front, replaced.end - back}, text.size() - front - back};
}

Touch follow(Span &span, const Edit &edit) {
  const Span &gone = edit.replaced;
  const bool isInsertion = gone.begin == gone.end;
  if (isInsertion && edit.length == 0)
    return Touch::outside;
  const auto moved = [&](std::size_t offset) {
    return offset - (gone.end - gone.begin) + edit.length;
  };
  if (gone.end <= span.begin) {
    span = {moved(span.begin), moved(span.end)};
    return Touch::outside;
  }
  if (gone.begin >= span.end)
    return Touch::outside;
  if (gone.begin <= span.begin && gone.end >= span.end) {
    span = {gone.begin, gone.begin};
    return Touch::removed;
  }
  if (gone.begin < span.begin)
    span.begin = gone.begin + edit.length;
  span.end = gone.end > span.end ? gone.begin : moved(span.end);
  return Touch::inside;
}

} // namespace qdadvise
