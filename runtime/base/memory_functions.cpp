// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled with -fno-builtin: else the compiler would see a memset in a loop here, and call it.
#include <cstddef>

#define QDADVISE_OWN extern "C" __attribute__((visibility("hidden")))

QDADVISE_OWN void *qdadvise_memset(void *to, int byte, std::size_t count) {
#if defined(__x86_64__)
  void *next = to;
  asm volatile("rep stosb" : "+D"(next), "+c"(count) : "a"(byte) : "memory");
#else
  for (std::size_t i = 0; i < count; ++i)
    static_cast<char *>(to)[i] = static_cast<char>(byte);
#endif
  return to;
}

QDADVISE_OWN void *qdadvise_memcpy(void *to, const void *from, std::size_t count) {
#if defined(__x86_64__)
  void *next = to;
  asm volatile("rep movsb" : "+D"(next), "+S"(from), "+c"(count) : : "memory");
#else
  for (std::size_t i = 0; i < count; ++i)
    static_cast<char *>(to)[i] = static_cast<const char *>(from)[i];
#endif
  return to;
}

QDADVISE_OWN void *qdadvise_memmove(void *to, const void *from, std::size_t count) {
  if (to <= from)
    return qdadvise_memcpy(to, from, count);
  for (std::size_t i = count; i-- > 0;)
    static_cast<char *>(to)[i] = static_cast<const char *>(from)[i];
  return to;
}
