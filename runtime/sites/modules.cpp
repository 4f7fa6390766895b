// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See modules.h.
#include "runtime/sites/modules.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

namespace qdadvise::runtime {

namespace {

/// It is not on the stack, which may be a signal handler's. Longer than any path.
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

  /// The next line without its end; null after the last one.
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

namespace {

/// How many symbols the table has: the last chain of the hash table ends with the last one.
std::size_t symbolsHashed(const std::uint32_t *hash) {
  const std::uint32_t buckets = hash[0], first = hash[1], filterWords = hash[2];
  const std::uint32_t *const bucket = hash + 4 + filterWords * (sizeof(ElfW(Addr)) / 4);
  const std::uint32_t *const chain = bucket + buckets;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < buckets; ++i)
    last = bucket[i] > last ? bucket[i] : last;
  if (last < first)
    return first;
  while ((chain[last - first] & 1) == 0)
    ++last;
  return last + 1u;
}

} // namespace

bool findLoaded(const void *address, LoadedModule &found) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  // Without a lock, which another thread may have had when this process was forked.
  dl_find_object object;
  if (_dl_find_object(const_cast<void *>(address), &object) != 0)
    return false;
  const link_map &module = *object.dlfo_link_map;
  found = {module.l_name, module.l_addr, module.l_ld};
  return true;
#else
  struct Search {
    std::uintptr_t wanted;
    LoadedModule *found;
  } search{reinterpret_cast<std::uintptr_t>(address), &found};
  return dl_iterate_phdr(
             [](dl_phdr_info *info, std::size_t, void *told) {
               const auto &[wanted, module] = *static_cast<Search *>(told);
               bool isHere = false;
               const void *dynamic = nullptr;
               for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
                 const auto &part = info->dlpi_phdr[i];
                 const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
                 isHere |= part.p_type == PT_LOAD && wanted - begin < part.p_memsz;
                 if (part.p_type == PT_DYNAMIC)
                   dynamic = reinterpret_cast<const void *>(begin);
               }
               if (isHere)
                 *module = {info->dlpi_name, info->dlpi_addr, dynamic};
               return isHere ? 1 : 0;
             },
             &search) != 0;
#endif
}

const char *exportedName(const LoadedModule &module, const void *address) {
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const std::uint32_t *hash = nullptr;
  for (auto *entry = static_cast<const ElfW(Dyn) *>(module.dynamic);
       entry && entry->d_tag != DT_NULL; ++entry) {
    // Most linkers have made addresses of what were offsets.
    const std::uintptr_t at =
        entry->d_un.d_ptr + (entry->d_un.d_ptr < module.base ? module.base : 0);
    if (entry->d_tag == DT_SYMTAB)
      symbols = reinterpret_cast<const ElfW(Sym) *>(at);
    else if (entry->d_tag == DT_STRTAB)
      names = reinterpret_cast<const char *>(at);
    else if (entry->d_tag == DT_GNU_HASH)
      hash = reinterpret_cast<const std::uint32_t *>(at);
  }
  if (!symbols || !names || !hash)
    return nullptr;
  const std::uintptr_t wanted = reinterpret_cast<std::uintptr_t>(address) - module.base;
  const std::size_t count = symbolsHashed(hash);
  for (std::size_t i = 0; i < count; ++i)
    if (symbols[i].st_shndx != SHN_UNDEF && wanted == symbols[i].st_value &&
        ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC)
      return names + symbols[i].st_name;
  return nullptr;
}

} // namespace qdadvise::runtime
