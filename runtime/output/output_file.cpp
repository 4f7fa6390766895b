// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See output_file.h.
#include "runtime/output/output_file.h"

#include "runtime/base/text.h"
#include "runtime/process/options.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qdadvise::runtime {

std::uint32_t crc32(const void *bytes, std::size_t size) {
  constexpr std::uint32_t polynomial = 0xedb88320u;
  std::uint32_t table[256];
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1) ^ ((value & 1u) != 0 ? polynomial : 0u);
    table[i] = value;
  }
  std::uint32_t crc = ~0u;
  const auto *at = static_cast<const unsigned char *>(bytes);
  for (std::size_t i = 0; i < size; ++i)
    crc = (crc >> 8) ^ table[(crc ^ at[i]) & 0xffu];
  return ~crc;
}

ByteBuffer::~ByteBuffer() {
  if (bytes)
    munmap(bytes, capacity);
}

void ByteBuffer::append(const void *from, std::size_t count) {
  if (outOfMemory)
    return;
  if (used + count > capacity) {
    std::size_t bigger = capacity == 0 ? std::size_t{1} << 16 : capacity * 2;
    while (bigger < used + count)
      bigger *= 2;
    void *const memory =
        bytes ? mremap(bytes, capacity, bigger, MREMAP_MAYMOVE)
              : mmap(nullptr, bigger, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      outOfMemory = true;
      return;
    }
    bytes = static_cast<char *>(memory);
    capacity = bigger;
  }
  if (count != 0)
    std::memcpy(bytes + used, from, count);
  used += count;
}

void ByteBuffer::alignTo8() {
  static constexpr char zeros[8] = {};
  append(zeros, (8 - used % 8) % 8);
}

int writeFile(const char *path, const ByteBuffer &file) {
  Text<maxPath + 32> temporary;
  temporary.add(path).add(".").addNumber(static_cast<std::uint64_t>(getpid())).add(".tmp");
  if (temporary.wasCut())
    return ENAMETOOLONG;
  struct stat there;
  const bool isThere = stat(path, &there) == 0;
  const bool isDevice = isThere && S_ISCHR(there.st_mode);
  if (isThere && !isDevice && !S_ISREG(there.st_mode))
    return S_ISDIR(there.st_mode) ? EISDIR : EEXIST;
  const char *const target = isDevice ? path : temporary.c_str();
  const int fd = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return errno;
  const SizeSignalHeldBack heldBack;
  int error = 0;
  std::size_t done = 0;
  while (error == 0 && done < file.size()) {
    const ssize_t count = write(fd, file.data() + done, file.size() - done);
    if (count >= 0)
      done += static_cast<std::size_t>(count);
    else if (errno != EINTR)
      error = errno;
  }
  if (close(fd) != 0 && error == 0)
    error = errno;
  if (isDevice)
    return error;
  if (error == 0 && std::rename(temporary.c_str(), path) != 0)
    error = errno;
  if (error != 0)
    unlink(temporary.c_str());
  return error;
}

} // namespace qdadvise::runtime
