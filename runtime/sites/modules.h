// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which file an address of code comes from. Nothing here takes the dynamic linker's own lock,
// which is held as long as constructors of a library run that is being loaded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace qdadvise::runtime {

/// The path of the file mapped at `address`, cut to `size`, and the address as that
/// file has it. False where there is none. Callers take turns. Asks the kernel: a signal handler
/// may have interrupted the linker.
bool findModule(std::uint64_t address, char *path, std::size_t size, std::uint64_t &offset);

/// A module as the dynamic linker has it in memory.
struct LoadedModule {
  const char *path; ///< "": the program itself
  std::uintptr_t base;
  const void *dynamic; ///< its table; null: none
};
/// The module that has this address. Not for signal handlers.
bool findLoaded(const void *address, LoadedModule &found);
/// The name by which others find the function at `address` in it; null if by none.
const char *exportedName(const LoadedModule &module, const void *address);

} // namespace qdadvise::runtime
