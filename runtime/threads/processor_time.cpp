// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/processor_time.h"

#include "runtime/base/text.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qdadvise::runtime {

namespace {

/// The number at `at`, which moves behind it and one space. False if there is none.
bool readNumber(const char *&at, std::uint64_t &number) {
  const char *const begin = at;
  for (number = 0; *at >= '0' && *at <= '9'; ++at)
    number = 10 * number + static_cast<std::uint64_t>(*at - '0');
  const bool found = at != begin;
  at += *at == ' ';
  return found;
}

} // namespace

ProcessorTime parseSchedstat(const char *line) {
  ProcessorTime time{};
  return readNumber(line, time.ranNs) && readNumber(line, time.waitedNs) ? time : ProcessorTime{};
}

ProcessorTime processorTimeOf(std::uint32_t thread) {
  Text<64> path;
  path.add("/proc/self/task/").addNumber(thread).add("/schedstat");
  // Threads ask at their very end, when sanitizers no longer know them: not by the C library's
  // functions, before which those stand.
  const int before = errno;
  char line[96];
  long length = 0;
  if (const long file = syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC);
      file >= 0) {
    length = syscall(SYS_read, file, line, sizeof(line) - 1);
    syscall(SYS_close, file);
  }
  errno = before;
  line[length > 0 ? length : 0] = '\0';
  return parseSchedstat(line);
}

} // namespace qdadvise::runtime
