// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a row of events becomes a pattern that is known: the replay goes through it once more, in a
// dry run with tables of its own.
#pragma once

#include "runtime/replay/operations.h"

#include <cstdint>

namespace qdadvise::runtime {

/// Keeps what a row of events comes to that has just been gone through step by step, and began
/// and ended with nothing in hand; `from` was the section before it.
void learnPattern(Accounts &accounts, const Event *events, unsigned count, std::uint32_t from);

} // namespace qdadvise::runtime
