// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How QDADVISE_OPTIONS is divided: for the runtime, which reads it, and for `qdadvise record`,
// which adds to it.
#pragma once

#include <cstddef>
#include <cstring>

namespace qdadvise::runtime {

struct Span {
  const char *begin;
  std::size_t size;

  bool equals(const char *text) const {
    return std::strlen(text) == size && std::memcmp(begin, text, size) == 0;
  }
};

inline bool isQuote(char c) { return c == '\'' || c == '"'; }

inline Span unquoted(Span value) {
  const bool quoted =
      value.size >= 2 && isQuote(value.begin[0]) && value.begin[value.size - 1] == value.begin[0];
  return quoted ? Span{value.begin + 1, value.size - 2} : value;
}

/// Up to the colon that ends it, which is in no quotes.
inline std::size_t itemSize(const char *text) {
  char quote = '\0';
  std::size_t size = 0;
  for (; text[size] && (quote || text[size] != ':'); ++size) {
    if (quote)
      quote = text[size] == quote ? '\0' : quote;
    else if (size != 0 && text[size - 1] == '=' && isQuote(text[size]))
      quote = text[size];
  }
  return size;
}

/// Calls `use(item)` for each that is not empty.
template <typename Use> void forEachItem(const char *text, Use use) {
  while (text && *text) {
    const std::size_t size = itemSize(text);
    if (size != 0)
      use(Span{text, size});
    text = text[size] ? text + size + 1 : nullptr;
  }
}

} // namespace qdadvise::runtime
