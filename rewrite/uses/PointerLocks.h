// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one lock of all pointers to locks that are connected, once all units are read.
#pragma once

#include "rewrite/uses/ProgramUses.h"

namespace qdadvise {

/// Adds the locks that are reached by pointers, where the program makes them itself: a lock for
/// each set of connected nodes. The sites that are known to be of one get its key.
void addPointerLocks(ProgramUses &program);

} // namespace qdadvise
