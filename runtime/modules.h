// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which file an address of code comes from. Asks the kernel and not the dynamic
// linker, whose own lock may be held by whoever is loading a library just now, or by
// what a signal handler has interrupted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace qdadvise::runtime {

/// The path of the file mapped at `address`, cut to `size`, and the address as that
/// file has it. False where there is none. Callers take turns.
bool findModule(std::uint64_t address, char *path, std::size_t size, std::uint64_t &offset);

} // namespace qdadvise::runtime
