// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes on their way to disk. Async-signal-safe: memory comes from mmap, everything else is plain
// system calls.
#pragma once

#include <cstddef>
#include <cstdint>

namespace qdadvise::runtime {

/// CRC-32 of IEEE 802.3, as zlib's.
std::uint32_t crc32(const void *bytes, std::size_t size);

/// Bytes that grow; all-or-nothing on running out of memory.
class ByteBuffer {
public:
  ByteBuffer() = default;
  ByteBuffer(const ByteBuffer &) = delete;
  ByteBuffer &operator=(const ByteBuffer &) = delete;
  ~ByteBuffer();

  void append(const void *from, std::size_t count);
  void alignTo8();
  bool failed() const { return outOfMemory; }
  /// Its writer has no memory for what else it needs: the file is not whole.
  void fail() { outOfMemory = true; }
  std::size_t size() const { return used; }
  char *data() { return bytes; }
  const char *data() const { return bytes; }

private:
  char *bytes = nullptr;
  std::size_t used = 0;
  std::size_t capacity = 0;
  bool outOfMemory = false;
};

/// Writes beside `path` and renames, so that nobody ever sees half a file; to a device as it
/// is, and over no pipe, which a new file would replace. Returns 0 or the error number.
int writeFile(const char *path, const ByteBuffer &file);

} // namespace qdadvise::runtime
