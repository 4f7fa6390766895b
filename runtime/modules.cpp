// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See modules.h.
#include "runtime/modules.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

namespace qdadvise::runtime {

namespace {

/// Not on the stack: it may be a signal handler's. Longer than any path.
char text[8192];

/// A line of /proc/self/maps at a time.
class Lines {
public:
  Lines() : fd(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  Lines(const Lines &) = delete;
  Lines &operator=(const Lines &) = delete;
  ~Lines() {
    if (fd >= 0)
      close(fd);
  }

  /// Without its end; null after the last one.
  char *next() {
    std::memmove(text, text + taken, used - taken);
    used -= taken;
    taken = 0;
    for (;;) {
      if (char *const end = static_cast<char *>(std::memchr(text, '\n', used))) {
        *end = '\0';
        taken = static_cast<std::size_t>(end - text) + 1;
        return text;
      }
      const ssize_t count = fd < 0 ? 0 : read(fd, text + used, sizeof text - used);
      if (count <= 0)
        return nullptr;
      used += static_cast<std::size_t>(count);
    }
  }

private:
  int fd;
  std::size_t used = 0;
  std::size_t taken = 0;
};

struct Mapping {
  std::uint64_t begin = 0, end = 0, fileOffset = 0;
  const char *path = "";
};

std::uint64_t readHex(const char *&at) {
  std::uint64_t value = 0;
  for (;; ++at) {
    const char c = *at;
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<std::uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
    else
      return value;
  }
}

/// `begin-end permissions offset device inode   path`
Mapping parse(const char *line) {
  Mapping map;
  map.begin = readHex(line);
  line += *line == '-';
  map.end = readHex(line);
  for (int blanks = 0; *line && blanks < 2;)
    blanks += *line++ == ' ';
  map.fileOffset = readHex(line);
  const char *const path = std::strchr(line, '/');
  map.path = path ? path : "";
  return map;
}

bool readMemory(int fd, std::uint64_t address, void *to, std::size_t size) {
  return pread(fd, to, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
}

/// How far from its own addresses the file is loaded whose first page is at `first`.
bool findBias(std::uint64_t first, std::uint64_t &bias) {
  const int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ElfW(Ehdr) header;
  bool found = readMemory(fd, first, &header, sizeof header) &&
               std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  for (unsigned i = 0; found; ++i) {
    ElfW(Phdr) segment;
    found = i < header.e_phnum &&
            readMemory(fd, first + header.e_phoff + i * sizeof segment, &segment, sizeof segment);
    if (found && segment.p_type == PT_LOAD && segment.p_offset < 4096) {
      bias = first - (segment.p_vaddr - segment.p_offset);
      break;
    }
  }
  close(fd);
  return found;
}

} // namespace

bool findModule(std::uint64_t address, char *path, std::size_t size, std::uint64_t &offset) {
  Lines lines;
  path[0] = '\0';
  std::uint64_t first = 0;
  while (const char *const line = lines.next()) {
    const Mapping map = parse(line);
    if (map.fileOffset == 0 && *map.path) {
      first = map.begin;
      std::strncpy(path, map.path, size - 1);
      path[size - 1] = '\0';
    }
    if (address < map.begin || address >= map.end)
      continue;
    std::uint64_t bias = 0;
    if (!*map.path || std::strncmp(path, map.path, size - 1) != 0 || !findBias(first, bias))
      return false;
    offset = address - bias;
    return true;
  }
  return false;
}

} // namespace qdadvise::runtime
