// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The detector of findings about threads.
#pragma once

#include "advisor/decide/FindingSearch.h"

namespace qdadvise {

/// Threads of one class that wait while those of another have too much to do.
void findImbalance(FindingSearch &search);

} // namespace qdadvise
