// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forks of the process: a child has one thread, no events yet, and a file of its own.
#pragma once

namespace qdadvise::runtime {

/// Follows forks from here on.
void prepareForks();

} // namespace qdadvise::runtime
