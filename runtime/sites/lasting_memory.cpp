// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See lasting_memory.h.
#include "runtime/sites/lasting_memory.h"

#include "runtime/base/hash_index.h"

#include <cstring>
#include <new>

namespace qdadvise::runtime {

Arena &lastingMemory() {
  alignas(Arena) static char storage[sizeof(Arena)];
  static bool made = false;
  if (!made) {
    new (storage) Arena();
    made = true;
  }
  return *reinterpret_cast<Arena *>(storage);
}

const char *keepText(const char *text) {
  if (!*text)
    return "";
  const std::size_t bytes = std::strlen(text) + 1;
  char *const copy = lastingMemory().allocateArray<char>(bytes);
  return copy ? static_cast<const char *>(std::memcpy(copy, text, bytes)) : "";
}

std::uint64_t hashText(std::uint64_t hash, const char *text) {
  for (; *text; ++text)
    hash = mixHash(hash, static_cast<unsigned char>(*text));
  return mixHash(hash, 0x100);
}

bool sameText(const char *a, const char *b) { return a == b || std::strcmp(a, b) == 0; }

} // namespace qdadvise::runtime
