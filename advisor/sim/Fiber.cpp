// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Fiber.h"

#include <sys/mman.h>
#include <unistd.h>

namespace qdadvise::sim {

FiberStack::FiberStack(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t size = (bytes + page - 1) / page * page;
  mapped = size + page;
  mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED)
    throw std::bad_alloc();
  mprotect(mapping, page, PROT_NONE);
  stack.size = size;
  stack.sp = static_cast<char *>(mapping) + mapped;
}

FiberStack::~FiberStack() { munmap(mapping, mapped); }

} // namespace qdadvise::sim
