// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a sled of x86-64 calls (`__qdadvise_sled`). The compiler knows of no call there: so it keeps
// all registers. What is done at once is compiled without vector registers, and for the rest they
// are saved.
#pragma once

#include "runtime/abi/sled_record.h"

#if defined(__x86_64__)

namespace qdadvise::runtime {

/// Finds out what vector registers there are. Before the first sled of this copy of the runtime is
/// turned on.
void noteVectorRegisters();

} // namespace qdadvise::runtime

extern "C" {
/// The hook as a call (hooks_call.cpp), where the stack pointer is known.
__attribute__((visibility("hidden"))) void qdadviseSledEvent(qdadvise::SiteRecord *site,
                                                             std::uint32_t instant,
                                                             const void *address,
                                                             std::uint32_t stack);
}

#endif
