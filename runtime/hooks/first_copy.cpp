// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See first_copy.h.
#include "runtime/hooks/first_copy.h"

#include "runtime/hooks/recorder.h"
#include "runtime/hooks/registration.h"
#include "runtime/hooks/sandbox.h"
#include "runtime/output/write_profile.h"

#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qdadvise::runtime {

namespace {

/// Far from where programs, their heaps, libraries and sanitizers' shadows lie.
constexpr std::uintptr_t agreedAddress = 0x514400000000u;
constexpr std::size_t pageBytes = 4096;
constexpr char magic[16] = "qdadvise doors";

/// The entries of whoever has that page, if it is one of us. They are read so that no page of
/// another make can be touched.
const RuntimeEntries *otherCopysEntries() {
  RuntimeEntries there{};
  const int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return nullptr;
  const ssize_t count = pread(fd, &there, sizeof there, static_cast<off_t>(agreedAddress));
  close(fd);
  const bool isOurs = count == static_cast<ssize_t>(sizeof there) &&
                      std::memcmp(there.magic, magic, sizeof magic) == 0 &&
                      there.version == siteRecordVersion;
  return isOurs ? reinterpret_cast<const RuntimeEntries *>(agreedAddress) : nullptr;
}

const RuntimeEntries *claim() {
  // The system call goes past the sanitizers' mmap: ThreadSanitizer's knows no MAP_FIXED_NOREPLACE
  // and would ask for address 0 instead. It keeps this page to itself, and then nobody has claimed
  // it.
  const long answer = syscall(SYS_mmap, agreedAddress, pageBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  const auto address = static_cast<std::uintptr_t>(answer);
  void *const page = reinterpret_cast<void *>(address);
  if (address != agreedAddress) {
    if (answer > 0) // a kernel that takes the address for a hint
      munmap(page, pageBytes);
    return otherCopysEntries();
  }
  RuntimeEntries ours{"",
                      siteRecordVersion,
                      __qdadvise_register,
                      __qdadvise_unregister,
                      __qdadvise_xray,
                      recordReader,
                      actAtOnce,
                      writeBeforeEnd,
                      __qdadvise_register_sled_table,
                      __qdadvise_unregister_sled_table,
                      noteSandbox};
  std::memcpy(ours.magic, magic, sizeof magic);
  std::memcpy(page, &ours, sizeof ours);
  mprotect(page, pageBytes, PROT_READ); // if this fails, the page stays writable, and works
  return nullptr;
}

/// 0 not asked yet, 1 being asked, 2 known.
int state = 0;
const RuntimeEntries *first = nullptr;

} // namespace

const RuntimeEntries *firstCopy() {
  if (__builtin_expect(__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2, 1))
    return first;
  int untouched = 0;
  if (__atomic_compare_exchange_n(&state, &untouched, 1, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    first = claim();
    __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2)
    sched_yield();
  return first;
}

} // namespace qdadvise::runtime
