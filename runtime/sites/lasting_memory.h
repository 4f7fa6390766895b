// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and strings that last as long as the process. Callers take turns.
#pragma once

#include "runtime/base/arena.h"

#include <cstdint>

namespace qdadvise::runtime {

/// Never given back.
Arena &lastingMemory();
/// A copy that lasts; "" when out of memory.
const char *keepText(const char *text);

bool sameText(const char *a, const char *b);
std::uint64_t hashText(std::uint64_t hash, const char *text);

} // namespace qdadvise::runtime
